public import Holdfast
import Synchronization

/// What the body of a case works with: fresh stores, a seeded generator, expectations.
///
/// Stores opened through it are closed when the case ends. May be used from any thread.
public final class ConformanceContext: Sendable {
  /// How many failures of one case are kept; the others are counted.
  static let keptFailures = 20

  private struct State {
    var failures: [ConformanceFailure] = []
    var failureCount = 0
    var checkCount = 0
    var stores: [Store] = []
    var engine = ""
    var peers: [PeerProcess] = []
  }

  /// The harness under test.
  public let harness: any Harness
  /// The seed of everything random in the case.
  public let seed: UInt64
  private let state = Mutex(State())
  private let log = TraceLog()

  /// Creates a context over a fresh harness.
  public init(_ harness: any Harness, seed: UInt64) {
    self.harness = harness
    self.seed = seed
  }

  // MARK: Stores

  /// Quick options: nothing here cuts the power.
  public static var quick: StorageOptions {
    var options = StorageOptions()
    options.durability = .none
    return options
  }

  /// Opens the store at a place, and closes it when the case ends.
  public func open(
    _ place: HarnessPlace = .main,
    options: StorageOptions = ConformanceContext.quick
  ) throws -> Store {
    note("open \(place.rawValue)\(Self.changes(options))")
    let store = try tracing(place) { try harness.open(place, options: options) }
    state.withLock { state in
      state.stores.append(store)
      state.engine = store.capabilities.engine
    }
    return store
  }

  /// Opens the store at a place with some of the quick options changed.
  public func open(
    _ place: HarnessPlace = .main,
    with change: (inout StorageOptions) -> Void
  ) throws -> Store {
    var options = Self.quick
    change(&options)
    return try open(place, options: options)
  }

  /// Opens the main store and creates collections in it.
  public func open(creating first: CollectionDefinition, _ rest: CollectionDefinition...)
    async throws -> Store
  {
    let store = try open()
    try await store.write { transaction in
      for definition in [first] + rest { try transaction.createCollection(definition) }
    }
    return store
  }

  /// Runs `body` so that the calls of a store which it opens are steps of the trace.
  func tracing<T>(_ place: HarnessPlace = .main, _ body: () throws -> T) rethrows -> T {
    let name = place == .main ? "" : place.rawValue
    let tracing = StorageInterposition { [log] storage in Self.traced(storage, log, name) }
    return try StorageInterposition.$current.withValue(tracing, operation: body)
  }

  private static func traced(
    _ storage: some Storage,
    _ log: TraceLog,
    _ name: String
  ) -> any Storage {
    TracingStorage(storage, log, store: name)
  }

  /// Closes a store and opens its place again.
  public func reopen(_ store: Store, _ place: HarnessPlace = .main) throws -> Store {
    try store.close()
    return try open(place)
  }

  /// Starts a second process on the store at a place; it ends with the case.
  ///
  /// - Throws: `StorageError.Code.unsupported` if the harness knows no second process.
  func startPeer(_ place: HarnessPlace = .main) throws -> PeerProcess {
    guard let command = harness.peer(at: place) else {
      throw StorageError(
        .unsupported,
        "the harness of \(harness.backend) starts no second process; give it a peer"
      )
    }
    let peer = try PeerProcess(command)
    state.withLock { $0.peers.append(peer) }
    return peer
  }

  /// Ends every second process, and closes every store that the case opened.
  func closeAll() {
    let peers = state.withLock { state in
      defer { state.peers = [] }
      return state.peers
    }
    for peer in peers { peer.kill() }
    let stores = state.withLock { state in
      defer { state.stores = [] }
      return state.stores
    }
    for store in stores {
      do {
        try store.close()
      } catch {
        fail("closing the store after the case threw \(error)")
      }
    }
  }

  // MARK: Findings

  /// Whether the backend declares a capability.
  func offers(_ capability: ConformanceCase.Capability, _ declared: Capabilities) -> Bool {
    switch capability {
    case .persistence: declared.isPersistent
    case .processes: declared.sharesBetweenProcesses
    }
  }

  /// Records a failure: what is wrong or, with `expected` and `got`, what was looked at.
  ///
  /// Parameter `history`: the smallest list of steps that shows it, if one was searched for.
  public func fail(
    _ message: String,
    expected: String? = nil,
    got: String? = nil,
    history: [String] = [],
    fileID: String = #fileID,
    line: Int = #line
  ) {
    let failure = ConformanceFailure(
      ReportText.clipped(message, 1000),
      expected: expected,
      got: got,
      history: history,
      place: ConformanceFailure.place(fileID, line)
    )
    state.withLock { state in
      state.failureCount += 1
      if state.failures.count < Self.keptFailures { state.failures.append(failure) }
    }
    log.end("FAILED at \(failure.place)")
  }

  /// Adds a step to the trace that a failure prints; after the first failure it has ended.
  public func note(_ step: String) { log.add(.text(step)) }

  /// Counts a check, and notes in the trace that it was right.
  func checked(_ isRight: Bool, _ fileID: String, _ line: Int) {
    state.withLock { $0.checkCount += 1 }
    if isRight { log.add(.checks(1, fileID, line)) }
  }

  /// The failures so far; of very many the first ones.
  public var failures: [ConformanceFailure] { state.withLock { $0.failures } }
  /// How many checks failed so far.
  public var failureCount: Int { state.withLock { $0.failureCount } }
  /// How many checks were made so far.
  public var checkCount: Int { state.withLock { $0.checkCount } }
  /// The steps up to the first failure, or so far.
  public var notes: [String] { log.lines }
  /// The engine of the store that was opened last, with its version.
  var engine: String { state.withLock { $0.engine } }

  /// A generator for this case; the same seed gives the same numbers.
  public func generator() -> SeededGenerator { SeededGenerator(seed: seed) }

  // MARK: Steps

  /// What of some options is not as in ``quick``.
  private static func changes(_ options: StorageOptions) -> String {
    var changes: [String] = []
    if options.durability != quick.durability {
      changes.append("durability \(options.durability.rawValue)")
    }
    if options.isReadOnly { changes.append("read-only") }
    if !options.createsIfMissing { changes.append("not creating") }
    if options.timeout != quick.timeout { changes.append("timeout \(options.timeout)") }
    return changes.isEmpty ? "" : " (\(changes.joined(separator: ", ")))"
  }
}
