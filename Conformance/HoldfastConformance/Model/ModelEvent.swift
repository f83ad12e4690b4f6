import Holdfast

/// What observers must hear of a commit.
struct ModelEvent: Sendable {
  /// What is told of a collection.
  enum Change: Sendable {
    /// These keys, as text; of none nothing.
    case keys(String)
    /// That it changed.
    case vague
    /// Anything, or nothing.
    case any
  }

  /// The most keys that an event names.
  private static let mostKeys = 10_000

  private var changes: [String: Change] = [:]

  /// Nothing.
  init() {}

  /// What the step from one commit to the next is.
  init(from before: ModelContent, to after: ModelContent) {
    let count = after.collections.reduce(0) { $0 + $1.touched.count }
    for collection in after.collections where !collection.touched.isEmpty {
      let name = collection.definition.name
      let old = Self.keys(before[name])
      let new = Self.keys(collection)
      let touched = collection.touched.sorted()
      changes[name] =
        count >= Self.mostKeys
        ? .any
        : .keys(
          Self.text(
            inserted: touched.filter { !old.contains($0) && new.contains($0) },
            updated: touched.filter { old.contains($0) && new.contains($0) },
            deleted: touched.filter { old.contains($0) && !new.contains($0) }
          )
        )
    }
    for (name, isTold) in after.vague { changes[name] = isTold ? .vague : .any }
  }

  private static func keys(_ collection: ModelCollection?) -> Set<String> {
    guard let collection else { return [] }
    return Set(collection.rows.map { ModelText.list(collection.key($0)) })
  }

  private static func text(inserted: [String], updated: [String], deleted: [String]) -> String {
    [("+", inserted), ("~", updated), ("-", deleted)].filter { !$0.1.isEmpty }
      .map { "\($0.0)\($0.1.joined(separator: " "))" }.joined(separator: " ")
  }

  private static func text(_ change: CollectionChange?) -> String {
    guard let change else { return "" }
    func keys(_ keys: [Key]) -> [String] { keys.map { ModelText.list($0.values) }.sorted() }
    return change.isComplete
      ? text(
        inserted: keys(change.inserted),
        updated: keys(change.updated),
        deleted: keys(change.deleted)
      ) : "?"
  }

  /// The first collection of which something else was told; nil if there is none.
  func difference(from event: StoreChange?) -> (expected: String, got: String)? {
    let told = event?.collections ?? [:]
    for name in Set(changes.keys).union(told.keys).sorted() {
      let got = Self.text(told[name])
      let expected: String
      switch changes[name] {
      case .any: continue
      case .vague: expected = "?"
      case .keys(let text): expected = text
      case nil: expected = ""
      }
      if expected == got { continue }
      return ("\(ModelText.name(name)): \(expected)", "\(ModelText.name(name)): \(got)")
    }
    guard let event, event.commits != 1 else { return nil }
    return ("one commit", "\(event.commits) commits")
  }
}
