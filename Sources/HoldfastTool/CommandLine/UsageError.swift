/// Wrong usage: ends the tool with status 2.
package struct UsageError: Error, CustomStringConvertible {
  /// One line: what is wrong, and the nearest valid word or what would be right.
  package let description: String

  /// Creates an error.
  package init(_ description: String) { self.description = description }

  /// A word that is not one of those that are known, with the nearest one.
  package static func unknown(
    _ what: String,
    _ word: String,
    among known: [String],
    showAll: Bool = true
  ) -> UsageError {
    var message = "unknown \(what) '\(word)'"
    if let nearest = Spelling.nearest(to: word, among: known) {
      message += "; did you mean \(nearest)?"
    }
    if showAll { message += " (known: \(known.joined(separator: ", ")))" }
    return UsageError(message)
  }
}

/// A check that found differences or failures: ends the tool with status 1 and no message of its own.
package struct CheckFailed: Error {
  /// Creates the error.
  package init() {}
}
