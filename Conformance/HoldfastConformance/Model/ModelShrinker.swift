import Holdfast

/// Makes a history that fails smaller, as long as it fails in the same way: first whole steps, by
/// chunks (Zeller, Hildebrandt, “Simplifying and Isolating Failure-Inducing Input”, 2002), then what
/// the steps hold.
struct ModelShrinker {
  private let fails: ([ModelStep]) -> ModelFailure?
  private let deadline: ContinuousClock.Instant
  private(set) var steps: [ModelStep]
  private(set) var failure: ModelFailure

  /// Prepares to shrink a history that fails; `fails` runs one on fresh stores, and gives nil if it
  /// does not.
  init(
    _ steps: [ModelStep],
    _ failure: ModelFailure,
    limit: Duration,
    fails: @escaping ([ModelStep]) -> ModelFailure?
  ) {
    self.steps = steps
    self.failure = failure
    self.fails = fails
    deadline = .now + limit
  }

  private var isOver: Bool { ContinuousClock.now >= deadline }

  /// Shrinks until nothing smaller fails, or time is up.
  mutating func shrink() {
    // What comes after the difference did not make it.
    if failure.kind != ModelFailure.atEnd {
      _ = takes(Array(steps.prefix(failure.place + 1)))
    }
    var before: Int
    repeat {
      before = size
      dropChunks()
      dropPairs()
      dropFields()
      simplify()
    } while size < before && !isOver
    rename()
  }

  /// How large the history is, for telling progress.
  private var size: Int { steps.reduce(0) { $0 + 20 + $1.line.utf8.count } }

  /// Takes a candidate if it fails in the same way.
  private mutating func takes(_ candidate: [ModelStep]) -> Bool {
    guard !isOver, let found = fails(candidate), found.kind == failure.kind else { return false }
    steps = candidate
    failure = found
    return true
  }

  private mutating func dropChunks() {
    var length = max(steps.count / 2, 1)
    while true {
      var start = 0
      while start < steps.count, !isOver {
        var candidate = steps
        candidate.removeSubrange(start..<min(start + length, steps.count))
        if !takes(candidate) { start += length }
      }
      if length == 1 || isOver { return }
      length = max(length / 2, 1)
    }
  }

  /// What opens and what closes something go together.
  private mutating func dropPairs() {
    var first = 0
    while first < steps.count, !isOver {
      defer { first += 1 }
      guard steps[first].opens else { continue }
      for second in steps.indices where second > first && steps[second].closes {
        var candidate = steps
        candidate.remove(at: second)
        candidate.remove(at: first)
        if takes(candidate) {
          first -= 1
          break
        }
      }
    }
  }

  /// A field goes from its collection and from all records at once.
  private mutating func dropFields() {
    for case .create(let definition) in steps {
      for field in definition.fields where !isOver {
        _ = takes(steps.map { $0.without(field.name, of: definition.name) })
      }
    }
  }

  /// Gives plain names, where the names do not matter.
  private mutating func rename() {
    var free = ["item", "other", "a", "b", "c", "d", "e", "f", "g", "h"][...]
    var names: [String] = []
    for name in steps.flatMap(\.newNames) where !names.contains(name) { names.append(name) }
    for name in names {
      guard !isOver, let plain = free.first(where: { !names.contains($0) }) else { return }
      if ModelText.name(name) == name { continue }
      if takes(steps.map { step in step.renamed { $0 == name ? plain : $0 } }) {
        free = free.drop { $0 != plain }.dropFirst()
      }
    }
  }

  private mutating func simplify() {
    var index = 0
    while index < steps.count, !isOver {
      let isSimpler = steps[index].simpler.contains { simpler in
        var candidate = steps
        candidate[index] = simpler
        return takes(candidate)
      }
      // The same step again, until nothing about it can be simpler.
      if !isSimpler { index += 1 }
    }
  }
}

extension ModelStep {
  fileprivate var opens: Bool {
    switch self {
    case .begin, .savepoint, .close: true
    default: false
    }
  }

  fileprivate var closes: Bool {
    switch self {
    case .commit, .rollback, .release, .undo, .open: true
    default: false
    }
  }
}
