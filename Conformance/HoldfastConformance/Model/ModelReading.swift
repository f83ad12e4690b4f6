import Foundation
import Holdfast
import Synchronization

/// An open transaction with the cursors that were opened in it.
final class ModelReading {
  let transaction: ReadTransaction
  var cursors: [Int: RowCursor] = [:]

  init(_ transaction: ReadTransaction) { self.transaction = transaction }

  /// A read that is done at once.
  func read(_ read: ModelRead) throws -> String {
    switch read {
    case .get(let name, let key):
      return try transaction.get(Key(key), in: name).map { ModelText.list($0.values) } ?? "nothing"
    case .query(let query): return ModelText.rows(try transaction.fetch(query).map(\.values))
    case .count(let name, let filter): return "\(try transaction.count(name, where: filter))"
    case .aggregate(let name, let figures, let groups, let filter):
      return ModelText.rows(
        try transaction.aggregate(name, figures, groupBy: groups, where: filter)
      )
    }
  }

  func open(cursor number: Int, _ query: Query) throws -> String {
    cursors[number] = try transaction.rows(query)
    return "done"
  }

  func next(_ number: Int, _ count: Int) throws -> String {
    guard let cursor = cursors[number] else { return "no cursor" }
    var rows: [[Value]] = []
    while rows.count < count {
      guard let row = try cursor.next() else { return ModelText.rows(rows) + " end" }
      rows.append(try row.values())
    }
    return ModelText.rows(rows)
  }

  func leave(_ number: Int) -> String {
    cursors[number]?.close()
    cursors[number] = nil
    return "done"
  }

  func page(_ query: Query) throws -> (text: String, next: PageToken?) {
    let page = try transaction.page(query)
    let text = ModelText.rows(page.elements.map(\.values))
    return (page.next == nil ? text + " end" : text, page.next)
  }
}

/// A snapshot that is held on a thread of its own while others write.
final class ModelSnapshot: Sendable {
  private typealias Job = @Sendable (ModelReading) -> Void
  private struct State {
    var job: Job?
    var beginning: Result<Void, any Error>?
    var ended: Escaped<ModelReading>?
  }
  private let state = Mutex(State())
  private let wanted = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)

  /// Begins a snapshot.
  ///
  /// - Throws: what the store throws.
  init(_ store: Store) throws {
    Thread.detachNewThread { [self] in
      let result = Result {
        try Blocking.read(store) { transaction in serve(ModelReading(transaction)) }
      }
      state.withLock { if $0.beginning == nil { $0.beginning = result } }
      done.signal()
    }
    done.wait()
    try state.withLock { $0.beginning }?.get()
  }

  private func serve(_ reading: ModelReading) {
    state.withLock { $0.beginning = .success(()) }
    done.signal()
    while true {
      wanted.wait()
      guard let job = state.withLock({ $0.job }) else {
        let escaped = Escaped<ModelReading>()
        escaped.handle = reading
        state.withLock { $0.ended = escaped }
        return
      }
      job(reading)
      done.signal()
    }
  }

  /// Runs `body` on the snapshot's thread and waits for it.
  func run<T: Sendable>(_ body: @escaping @Sendable (ModelReading) throws -> T) throws -> T {
    let outcome = Mutex<Result<T, any Error>?>(nil)
    let job: Job = { reading in
      let result = Result { try body(reading) }
      outcome.withLock { $0 = result }
    }
    state.withLock { $0.job = job }
    wanted.signal()
    done.wait()
    guard let result = outcome.withLock({ $0 }) else {
      throw StorageError(.ioError, "the snapshot's thread gave no result")
    }
    return try result.get()
  }

  /// Ends the snapshot.
  ///
  /// - Returns: its cursors, which only refuse from now on.
  func end() -> [Int: RowCursor] {
    state.withLock { $0.job = nil }
    wanted.signal()
    done.wait()
    return state.withLock { $0.ended }?.handle?.cursors ?? [:]
  }
}
