public import Holdfast
import Synchronization

/// What the body of a case works with: fresh stores, a seeded generator, expectations.
///
/// Stores opened through it are closed when the case ends. May be used from any thread.
public final class ConformanceContext: Sendable {
  private struct State {
    var failures: [String] = []
    var notes: [String] = []
    var stores: [Store] = []
  }

  /// The harness under test.
  public let harness: any Harness
  /// The seed of everything random in the case.
  public let seed: UInt64
  private let state = Mutex(State())

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
    let store = try harness.open(place, options: options)
    state.withLock { $0.stores.append(store) }
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

  /// Closes a store and opens its place again.
  public func reopen(_ store: Store, _ place: HarnessPlace = .main) throws -> Store {
    try store.close()
    return try open(place)
  }

  /// Closes every store that the case opened.
  func closeAll() {
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
    }
  }

  /// Records a failure.
  public func fail(_ message: String) {
    state.withLock { $0.failures.append(message) }
  }

  /// Adds a line to the trace that a failure prints.
  public func note(_ line: String) {
    state.withLock { $0.notes.append(line) }
  }

  /// The failures so far.
  public var failures: [String] { state.withLock { $0.failures } }
  /// The trace so far.
  public var notes: [String] { state.withLock { $0.notes } }

  /// A generator for this case; the same seed gives the same numbers.
  public func generator() -> SeededGenerator { SeededGenerator(seed: seed) }
}
