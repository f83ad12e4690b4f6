/// Finds what somebody meant to type.
package enum Spelling {
  /// The known word nearest to `word`, if it is near enough to be meant.
  package static func nearest(to word: String, among known: [String]) -> String? {
    let typed = Array(word.lowercased().prefix(64))
    var best: (word: String, distance: Int)?
    for candidate in known {
      let letters = Array(candidate.lowercased())
      var distance = distance(typed, letters)
      if distance > 0, typed.count >= 2, letters.starts(with: typed) { distance = 1 }
      guard distance <= max(2, letters.count / 3), distance < letters.count else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
    }
    return best?.word
  }

  /// The optimal string alignment distance: insertions, deletions, replacements, and swaps of
  /// neighbours.
  package static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var cost = min(
          last[column + 1] + 1,
          current[column] + 1,
          last[column] + (letter == other ? 0 : 1)
        )
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
