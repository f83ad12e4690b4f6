import Foundation
import Holdfast
import HoldfastArchive
import Synchronization
import Testing

/// A store whose journal outgrows its files with one commit, and that goes on while a checkpoint runs.
final class BackgroundHistory: Sendable {
  /// The commits that were reported as done, in order.
  private let done = Mutex<[String]>([])
  /// The commits that were reported as failed.
  private let failed = Mutex<[(name: String, code: StorageError.Code?)]>([])

  private let files: ControlledFiles?

  /// A history that tells files of its commits.
  init(acknowledging files: ControlledFiles? = nil) { self.files = files }

  var acknowledged: [String] { done.withLock { $0 } }
  var failures: [(name: String, code: StorageError.Code?)] { failed.withLock { $0 } }

  static let long = String(repeating: "long ", count: 200)

  static func prepare(_ fixture: ArchiveFixture, _ format: ArchiveFormat) throws {
    let storage = try fixture.storage(format)
    try SchemaHistory.commit(storage) { writer in
      _ = try writer.createCollection(people)
      _ = try writer.createCollection(SchemaHistory.pets)
      for name in ["a", "b"] { try writer.put([.null, .text(name), .null], "people") }
      for name in ["rex", "ida"] { try writer.put([.text(name), 1.5], "pets") }
    }
    try storage.close()
  }

  func commit(_ name: String, _ storage: ArchiveStorage) {
    commit(name, storage) { try $0.put([.null, .text(name), .null], "people") }
  }

  func commit(_ name: String, _ storage: ArchiveStorage, _ body: SchemaHistory.Commit) {
    let error = code { try SchemaHistory.commit(storage, body) }
    if let error {
      failed.withLock { $0.append((name, error)) }
    } else {
      done.withLock { $0.append(name) }
      files?.acknowledge()
    }
  }

  /// Commits so much that a checkpoint begins, and more while it runs; waits until it has ended.
  func run(
    _ storage: ArchiveStorage,
    _ files: ControlledFiles,
    _ look: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    let places = Mutex(Set<String>())
    let isBegun = DispatchSemaphore(value: 0)
    files.beforeSync { name in
      if !name.hasPrefix("journal") { look(name) }
      // Each is synced again, the journals under the lock too.
      guard places.withLock({ $0.insert(name).inserted }) else { return }
      switch name {
      case "people.json.next", "people.plist.next":
        isBegun.wait()
        self.commit("c", storage)
      case "catalog.json.next":
        // Keys that other records had, given back and taken.
        self.commit("d", storage) { writer in
          try writer.delete(1, "people")
          try writer.put([2, "a", 2], "people")
          try writer.put([1, "b", 1], "people")
          try writer.put([9, "e", .null], "people")
          try writer.delete(9, "people")
        }
      case "journal.jsonl.marked": self.commit("f", storage)
      default: break
      }
    }
    commit("first", storage) { writer in
      try writer.put([.null, .text(Self.long), .null], "people")
      try writer.put(["max", .null], "pets")
      try writer.delete("ida", "pets")
    }
    // What comes later is noted later.
    isBegun.signal()
    storage.finishCheckpoint()
    files.beforeSync { _ in }
    commit("last", storage)
  }

  /// The names and counters that a store may have after each commit.
  static func state(_ commits: [String]) -> [String] {
    var rows: [Int64: String] = [1: "a", 2: "b"]
    var counter: Int64 = 2
    var pets = ["ida", "rex"]
    for commit in commits {
      switch commit {
      case "first":
        rows[3] = long
        counter = 3
        pets = ["max", "rex"]
      case "d":
        rows[1] = "b"
        rows[2] = "a"
        counter = 9
      default:
        counter += 1
        rows[counter] = commit
      }
    }
    return rows.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" } + pets + ["\(counter)"]
  }

  static func found(_ fixture: ArchiveFixture, _ format: ArchiveFormat) throws -> [String] {
    let content = try fixture.content(format)
    let people = try #require(content.collections["people"])
    let rows = people.rows.compactMap { row -> String? in
      guard case .integer(let key) = row[0], case .text(let name) = row[1] else { return nil }
      return "\(key) \(name)"
    }
    let pets = content.collections["pets"]?.rows.compactMap { row -> String? in
      guard case .text(let name) = row[0] else { return nil }
      return name
    }
    return rows + (pets ?? []) + ["\(people.counter)"]
  }

  /// Checks that a store holds the acknowledged commits and at most one more, and can go on.
  static func check(
    _ fixture: ArchiveFixture,
    _ format: ArchiveFormat,
    _ acknowledged: [String],
    next: String?,
    _ place: String
  ) throws {
    let content = try found(fixture, format)
    let allowed = [acknowledged] + (next.map { [acknowledged + [$0]] } ?? [])
    #expect(allowed.map(state).contains(content), "\(place): \(content) after \(acknowledged)")
    let faults = try fixture.storage(format) { $0.isReadOnly = true }
      .verify(timeout: .seconds(1)).filter(\.isFault)
    #expect(faults.isEmpty, "\(place): \(faults)")
    let storage = try fixture.storage(format)
    try SchemaHistory.commit(storage) { try $0.put([50, "after", .null], "people") }
    try storage.close()
    let after = try found(fixture, format)
    #expect(after.contains("50 after") && after.count == content.count + 1, "\(place)")
    let names = try fixture.names().sorted()
    #expect(names.count == 5, "\(place): \(names)")
  }
}
