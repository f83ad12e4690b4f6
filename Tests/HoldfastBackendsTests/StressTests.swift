import Foundation
import Holdfast
import HoldfastBackends
import Synchronization
import Testing

/// A number that tasks count up.
private final class Tally: Sendable {
  private let count = Mutex(0)
  var total: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}

/// Every backend under many threads and tasks at once, and under calls that are not allowed.
@Suite("Stress on every backend")
struct StressTests {
  static let urls = [
    "memory:", "sqlite:FOLDER/s.db", "lmdb:FOLDER/l", "json:FOLDER/j", "plist:FOLDER/p",
  ]

  private static let counter = CollectionDefinition(
    "counter",
    fields: [FieldDefinition("id", .integer), FieldDefinition("value", .integer)],
    key: ["id"],
    automaticKey: true,
    indexes: [IndexDefinition(["value"])]
  )

  /// Runs a body on a store of a backend, in a folder of its own, and closes it.
  private static func withStore(_ url: String, _ body: @Sendable (Store) async throws -> Void)
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var parsed = try StorageURL(url.replacingOccurrences(of: "FOLDER", with: folder.path))
    parsed.options.durability = .none
    parsed.options.timeout = .seconds(60)
    let store = try Backends.open(parsed)
    try await store.write { transaction in
      try transaction.createCollection(Self.counter)
      try transaction.insert(["id": 1, "value": 0], into: "counter")
    }
    try await body(store)
    try store.close()
  }

  private static func add(_ transaction: WriteTransaction) throws {
    guard case .integer(let value)? = try transaction.get(1, in: "counter")?["value"] else {
      throw StorageError(.notFound, "the counter is missing")
    }
    try transaction.update(1, set: ["value": .integer(value + 1)], in: "counter")
    try transaction.insert(["value": .integer(value + 1)], into: "counter")
  }

  /// The counter says how many rows are beside it, in every snapshot.
  private static func check(_ transaction: ReadTransaction) throws {
    let value = try transaction.get(1, in: "counter")?["value"]
    var count = 0
    let rows = try transaction.rows(Query("counter"))
    while try rows.next() != nil { count += 1 }
    #expect(value == .integer(Int64(count - 1)))
    let counted = try transaction.count("counter")
    #expect(counted == count)
  }

  @Test("Eight threads read and write, and every snapshot is whole", arguments: urls)
  func threads(_ url: String) async throws {
    try await Self.withStore(url) { store in
      let failures = Mutex<[String]>([])
      await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
        let group = DispatchGroup()
        for number in 0..<8 {
          group.enter()
          let thread = Thread {
            for _ in 0..<25 {
              do {
                if number < 4 {
                  try store.write { try Self.add($0) }
                } else {
                  try store.read { try Self.check($0) }
                }
              } catch {
                failures.withLock { $0.append("\(error)") }
              }
            }
            group.leave()
          }
          thread.stackSize = 8 << 20
          thread.start()
        }
        group.notify(queue: .global()) { done.resume() }
      }
      #expect(failures.withLock { $0 } == [])
      let count = try await store.read { try $0.count("counter") }
      #expect(count == 101)
    }
  }

  @Test("Five hundred asynchronous readers at once, beside writers", arguments: urls)
  func readers(_ url: String) async throws {
    try await Self.withStore(url) { store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<500 {
          group.addTask {
            if number % 50 == 0 {
              try await store.write { try Self.add($0) }
            } else {
              try await store.read { try Self.check($0) }
            }
          }
        }
        try await group.waitForAll()
      }
      let count = try await store.read { try $0.count("counter") }
      #expect(count == 11)
    }
  }

  @Test("A storm of cancelled tasks leaves whole transactions only", arguments: urls)
  func cancellation(_ url: String) async throws {
    try await Self.withStore(url) { store in
      let written = Tally()
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let task = Task {
              if number % 3 == 0 { return try await store.read { try Self.check($0) } }
              try await store.write { try Self.add($0) }
              written.add()
            }
            if number % 2 == 0 { task.cancel() }
            let result = await task.result
            if case .failure(let error) = result {
              #expect(error is CancellationError, "\(error)")
            }
          }
        }
      }
      let count = try await store.read { try $0.count("counter") }
      #expect(count == written.total + 1)
      try await store.read { try Self.check($0) }
    }
  }

  @Test("What outlives its scope is a typed error, from any thread", arguments: urls)
  func escaped(_ url: String) async throws {
    try await Self.withStore(url) { try Self.misuse($0) }
  }

  private static func misuse(_ store: Store) throws {
    var transactions: [ReadTransaction] = []
    var cursors: [RowCursor] = []
    var writer: WriteTransaction?
    try store.read { transaction in
      transactions.append(transaction)
      let rows = try transaction.rows(Query("counter"))
      let first = try rows.next() != nil
      #expect(first)
      cursors.append(rows)
      let nested = #expect(throws: StorageError.self) { try store.write { _ in } }
      #expect(nested?.code == .nestedTransaction)
    }
    try store.write { transaction in
      writer = transaction
      let rows = try transaction.rows(Query("counter", where: .equal("value", 0)))
      let first = try rows.next() != nil
      #expect(first)
      cursors.append(rows)
    }
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try store.write { transaction in
        cursors.append(try transaction.rows(Query("counter")))
        try transaction.delete(1, from: "counter")
        throw Stop()
      }
    }
    for cursor in cursors {
      let error = #expect(throws: StorageError.self) { try cursor.next() }
      #expect(error?.code == .transactionClosed)
      cursor.close()
    }
    let reading = #expect(throws: StorageError.self) { try transactions[0].count("counter") }
    #expect(reading?.code == .transactionClosed)
    let writing = #expect(throws: StorageError.self) {
      try writer?.insert(["value": 3], into: "counter")
    }
    #expect(writing?.code == .transactionClosed)
    let saving = #expect(throws: StorageError.self) { try writer?.savepoint {} }
    #expect(saving?.code == .transactionClosed)
    let count = try store.read { try $0.count("counter") }
    #expect(count == 1)
    try store.close()
    let closed = #expect(throws: StorageError.self) { try store.write { _ in } }
    #expect(closed?.code == .closed)
    let late = #expect(throws: StorageError.self) { try transactions[0].count("counter") }
    #expect(late?.code == .transactionClosed)
  }
}
