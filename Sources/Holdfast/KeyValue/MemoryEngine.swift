import Synchronization

/// An ordered key-value engine in memory, for tests and previews and as the home of other backends'
/// rows: copy-on-write trees, so that a snapshot costs nothing.
///
/// A private engine ends with its last reference. A shared one, ``shared(name:)``, lives in the
/// process until ``destroy(name:)``, so that closing and opening again can be tested.
public final class MemoryEngine: OrderedKeyValueEngine {
  /// A snapshot.
  public typealias Reader = MemorySnapshot
  /// A write transaction.
  public typealias Writer = MemoryTransaction

  /// The tables of one moment.
  struct Content: Sendable {
    var numbers: [String: Int] = [:]
    var trees: [MemoryTree] = []
    /// The numbers of dropped tables.
    var free: [Int] = []
  }

  /// The longest key, in bytes.
  public let maximumKeyLength: Int

  private struct State {
    var content = Content()
    var isClosed = false
  }

  private let state = Mutex(State())
  private let gate = WriterGate()
  private let isShared: Bool

  private static let sharedEngines = Mutex<[String: MemoryEngine]>([:])

  /// Creates an empty private engine.
  ///
  /// - Parameter maximumKeyLength: at least 511; less than the default serves to test how longer
  ///   index entries are kept.
  public convenience init(maximumKeyLength: Int = 1 << 30) {
    self.init(maximumKeyLength: maximumKeyLength, isShared: false)
  }

  private init(maximumKeyLength: Int, isShared: Bool) {
    precondition(maximumKeyLength >= 511, "keys of 511 bytes must fit")
    self.maximumKeyLength = maximumKeyLength
    self.isShared = isShared
  }

  /// The engine of that name in this process, created empty if there is none.
  public static func shared(name: String) -> MemoryEngine {
    sharedEngines.withLock { engines in
      if let engine = engines[name] { return engine }
      let engine = MemoryEngine(maximumKeyLength: 1 << 30, isShared: true)
      engines[name] = engine
      return engine
    }
  }

  /// Forgets the shared engine of that name; stores that have it open keep it until they close.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  public static func destroy(name: String) -> Bool {
    sharedEngines.withLock { $0.removeValue(forKey: name) != nil }
  }

  /// What the engine offers.
  public var capabilities: Capabilities {
    Capabilities(
      backend: "memory",
      engine: "Holdfast memory",
      maximumValueSize: 1 << 30,
      sharesBetweenProcesses: false,
      isPersistent: false
    )
  }

  /// Begins a snapshot.
  ///
  /// O(1).
  ///
  /// - Throws: ``StorageError/Code/closed``.
  public func beginReading(timeout: Duration) throws(StorageError) -> MemorySnapshot {
    MemorySnapshot(try content())
  }

  /// Begins the write transaction, once the one before has ended.
  ///
  /// - Throws: ``StorageError/Code/busy``, ``StorageError/Code/closed``.
  public func beginWriting(timeout: Duration) throws(StorageError) -> MemoryTransaction {
    guard gate.enter(until: { .now + timeout }) else {
      throw StorageError(
        .busy,
        "another writer held the store for longer than the timeout; try again",
        backend: "memory"
      )
    }
    do throws(StorageError) {
      return MemoryTransaction(self, try content())
    } catch {
      gate.leave()
      throw error
    }
  }

  /// The table of that name, if a committed transaction created it.
  public func openTable(_ name: String) throws(StorageError) -> KeyValueTable? {
    try content().numbers[name].map { KeyValueTable(number: $0) }
  }

  /// Closes a private engine; a shared one stays.
  public func close() throws(StorageError) {
    if isShared { return }
    state.withLock { state in
      state.isClosed = true
      state.content = Content()
    }
  }

  private func content() throws(StorageError) -> Content {
    let content = state.withLock { $0.isClosed ? nil : $0.content }
    guard let content else {
      throw StorageError(.closed, "the store is closed; open it again", backend: "memory")
    }
    return content
  }

  /// Takes over what a transaction has written.
  func commit(_ content: Content) {
    state.withLock { $0.content = content }
  }

  /// Lets the next writer in.
  func leave() { gate.leave() }
}
