public import Holdfast

/// A small program on each service, to see it work on any store.
///
/// What it prints depends neither on the backend nor on the clock. It may run again on the same
/// store: it then finds what it made before.
public enum Demo: String, CaseIterable, Sendable {
  /// Users and statuses.
  case microblog
  /// Contacts.
  case contacts
  /// Prices of vegetables.
  case vegetables
  /// Students, in a copy of a store that was shipped.
  case students

  /// Runs the demo.
  ///
  /// - Parameters:
  ///   - store: the store to work in.
  ///   - template: opens a second store, empty or left by an earlier run; only `students` uses it, as
  ///     the store that would be shipped with an app. It is called twice, and closed each time, so it
  ///     must open the same store again.
  ///   - print: takes the output, a line at a time.
  /// - Throws: `StorageError`; a check of the demo that fails unexpectedly is thrown too.
  @available(*, noasync, message: "run it on a thread of its own")
  public func run(
    on store: Store,
    template: () throws -> Store,
    print: @escaping (String) -> Void
  ) throws {
    switch self {
    case .microblog: try MicroblogDemo(print: print).run(on: store)
    case .contacts: try ContactsDemo(print: print).run(on: store)
    case .vegetables: try VegetablesDemo(print: print).run(on: store)
    case .students: try StudentsDemo(print: print).run(on: store, template: template)
    }
  }
}

/// What the demos print alike.
enum DemoText {
  /// A text on one line, shortened where it is long.
  static func line(_ text: String) -> String {
    if text.isEmpty { return "(empty)" }
    let flat = text.replacing("\n", with: "⏎")
    return flat.count > 48 ? "\(flat.prefix(40))… (\(text.count) characters)" : flat
  }

  /// Runs what must be refused, and says how it was.
  static func refusal(_ body: () throws -> Void) throws -> String {
    do {
      try body()
    } catch let error as StorageError {
      return "refused, \(error.code): \(error.message)"
    }
    throw StorageError(.conflict, "the store took what it should have refused; report this")
  }
}
