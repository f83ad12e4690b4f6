import Foundation
import Holdfast
import Synchronization
import Testing

@Suite("Waiting and threads")
struct StoreConcurrencyTests {
  private func store(timeout: Duration = .seconds(5)) throws -> Store {
    var options = StorageOptions()
    options.timeout = timeout
    let store = Store(try KeyValueStorage(MemoryEngine()), options: options)
    try fill(store)
    return store
  }

  private func fill(_ store: Store) throws {
    try store.write { transaction in
      try transaction.createCollection(
        CollectionDefinition(
          "counter",
          fields: [FieldDefinition("id", .integer), FieldDefinition("value", .integer)],
          key: ["id"]
        )
      )
      try transaction.insert(["id": 1, "value": 0], into: "counter")
    }
  }

  @Test("64 waiting async writers do not stall a timer")
  func timerKeepsTicking() async throws {
    let store = try store(timeout: .seconds(30))
    let ticks = Mutex(0)
    let release = DispatchSemaphore(value: 0)
    let first = Task {
      try await store.write { _ in release.wait() }
    }
    let readers = (0..<8).map { _ in
      Task { try await store.read { _ in release.wait() } }
    }
    let writers = (0..<64).map { _ in
      Task {
        try await store.write { transaction in
          let record = try transaction.get(1, in: "counter")
          guard case .integer(let value)? = record?["value"] else { return }
          try transaction.update(1, set: ["value": .integer(value + 1)], in: "counter")
        }
      }
    }
    // The cooperative pool is free while 65 writers and 8 readers wait or block, or these would never
    // be reached.
    for _ in 0..<20 {
      try await Task.sleep(for: .milliseconds(1))
      ticks.withLock { $0 += 1 }
    }
    #expect(ticks.withLock { $0 } == 20)
    for _ in 0...readers.count { release.signal() }
    try await first.value
    for reader in readers { try await reader.value }
    for writer in writers { try await writer.value }
    let value = try await store.read { try $0.get(1, in: "counter")?["value"] }
    #expect(value == .integer(64))
  }

  @Test("A wait for the writer ends with busy, synchronous and asynchronous")
  func busy() async throws {
    let store = try store(timeout: .milliseconds(50))
    let entered = DispatchSemaphore(value: 0)
    let release = DispatchSemaphore(value: 0)
    let holder = Thread {
      _ = Result {
        try store.write { _ in
          entered.signal()
          release.wait()
        }
      }
    }
    holder.start()
    await wait(entered)
    let error = await #expect(throws: StorageError.self) {
      try await store.write { _ in }
    }
    #expect(error?.code == .busy)
    let synchronous = #expect(throws: StorageError.self) { try writeNothing(store) }
    #expect(synchronous?.code == .busy)
    let closing = #expect(throws: StorageError.self) { try store.close() }
    #expect(closing?.code == .busy)
    // A reader is not held up by the writer.
    let value = try await store.read { try $0.get(1, in: "counter")?["value"] }
    #expect(value == .integer(0))
    release.signal()
  }

  private func writeNothing(_ store: Store) throws { try store.write { _ in } }

  private func wait(_ semaphore: DispatchSemaphore) async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        semaphore.wait()
        continuation.resume()
      }
    }
  }

  @Test("A task cancelled before its body ran throws and leaves no trace")
  func cancellation() async throws {
    let store = try store()
    let release = DispatchSemaphore(value: 0)
    let first = Task { try await store.write { _ in release.wait() } }
    let second = Task {
      try await store.write { transaction in
        try transaction.insert(["id": 2, "value": 0], into: "counter")
      }
    }
    second.cancel()
    await #expect(throws: CancellationError.self) { try await second.value }
    release.signal()
    try await first.value
    #expect(try await store.read { try $0.count("counter") } == 1)
  }

  @Test("Handles that outlive their scope, and nested writes, are typed errors")
  func scopes() throws {
    let store = try store()
    var escaped: WriteTransaction?
    try store.write { transaction in
      escaped = transaction
      let nested = #expect(throws: StorageError.self) { try store.write { _ in } }
      #expect(nested?.code == .nestedTransaction)
      let closing = #expect(throws: StorageError.self) { try store.close() }
      #expect(closing?.code == .nestedTransaction)
      try transaction.insert(["id": 2, "value": 7], into: "counter")
      #expect(try store.read { try $0.count("counter") } == 2, "read joins the body")
    }
    let late = #expect(throws: StorageError.self) { try escaped?.count("counter") }
    #expect(late?.code == .transactionClosed)
    try store.close()
    try store.close()
    let closed = #expect(throws: StorageError.self) { try store.read { _ in } }
    #expect(closed?.code == .closed)
  }

  @Test("A cursor goes on after writes with the smallest row behind its last one")
  func cursorAcrossWrites() throws {
    let store = try store()
    try store.write { transaction in
      for id in 2...10 {
        try transaction.insert(["id": .integer(Int64(id)), "value": 1], into: "counter")
      }
      let rows = try transaction.rows(Query("counter", limit: 8))
      var seen: [Int64] = []
      while let row = try rows.next() {
        let id = row.integer(0)
        seen.append(id)
        if id == 3 {
          try transaction.delete(4, from: "counter")
          try transaction.insert(["id": 0, "value": 1], into: "counter")
          try transaction.insert(["id": 11, "value": 1], into: "counter")
        }
      }
      #expect(seen == [1, 2, 3, 5, 6, 7, 8, 9])
    }
  }

  @Test("Savepoints nest, and close the cursors opened in them")
  func savepoints() throws {
    struct Stop: Error {}
    let store = try store()
    try store.write { transaction in
      var inner: RowCursor?
      do {
        try transaction.savepoint {
          try transaction.insert(["id": 2, "value": 0], into: "counter")
          try transaction.savepoint { try transaction.delete(1, from: "counter") }
          inner = try transaction.rows(Query("counter"))
          let row = try inner?.next()
          #expect(row != nil)
          throw Stop()
        }
        Issue.record("the savepoint swallowed the error")
      } catch is Stop {}
      let error = #expect(throws: StorageError.self) { try inner?.next() }
      #expect(error?.code == .transactionClosed)
      let keys = try transaction.fetch(Query("counter")).map(\.key)
      #expect(keys == [Key(1)])
    }
  }
}
