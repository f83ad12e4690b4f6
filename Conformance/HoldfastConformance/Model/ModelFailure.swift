import Holdfast

/// A step that gave something else than the model says.
struct ModelFailure: Error {
  /// The step's place in its history, from 0.
  var place: Int
  /// The step, as its line.
  var line: String
  var expected: String
  var got: String
  /// What kind of difference it is: shrinking keeps it.
  var kind: String
  /// The backend, or the two that differ; empty until it is known.
  var backend = ""

  /// The kind of a difference between backends at the end of a history.
  static let atEnd = "the backends end differently"

  private static let longestText = 2000

  /// What was expected and what came, in full lines.
  var text: String {
    "step \(place + 1): \(line)\n  expected \(Self.clipped(expected))\n  got      "
      + Self.clipped(got)
  }

  private static func clipped(_ text: String) -> String {
    text.utf8.count <= longestText ? text : "\(text.prefix(longestText))… (cut)"
  }
}

/// What a step gave.
enum ModelOutcome {
  /// This text, and for each record that was written its key, if it is one integer.
  case done(String, keys: [Int64?] = [])
  case threw(any Error)

  /// The text for people.
  var text: String {
    switch self {
    case .done(let text, _): text
    case .threw(let error as StorageError): "the error \(error.code): \(error)"
    case .threw(let error): "\(type(of: error)): \(error)"
    }
  }

  /// The keys that the store may have chosen, one for each write.
  var keys: [Int64?] {
    if case .done(_, let keys) = self { return keys }
    return []
  }

  /// How it differs from what was expected: the kind of difference; nil if it does not.
  func difference(from expectation: ModelExpectation) -> String? {
    switch (expectation, self) {
    case (.done(let expected), .done(let got, _)):
      return expected.utf8.elementsEqual(got.utf8) ? nil : "differs"
    case (.key(let floor), .done(_, let keys)):
      guard case let key?? = keys.first else { return "gives no key" }
      return key > floor ? nil : "gives a key again"
    case (.fails(let codes, let name), .threw(let error as StorageError)):
      if !codes.contains(error.code) { return "throws \(error.code) for \(codes)" }
      if error.message.isEmpty || error.description.contains(where: \.isNewline) {
        return "throws a message that is no line"
      }
      if let name, !error.message.contains(name) { return "throws \(error.code) without its name" }
      return nil
    case (.fails(let codes, _), .done): return "does not throw \(codes)"
    case (_, .threw(let error as StorageError)): return "throws \(error.code)"
    case (_, .threw(let error)): return "throws \(type(of: error))"
    }
  }
}

extension ModelExpectation {
  /// The text for people.
  var text: String {
    switch self {
    case .done(let text): text
    case .fails(let codes, let name):
      "the error " + codes.map(\.rawValue).joined(separator: " or ")
        + (name.map { " naming \($0)" } ?? "")
    case .key(let floor): "an automatic key above \(floor)"
    }
  }
}
