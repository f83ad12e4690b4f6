/// Each in a transaction of its own, for asynchronous code.
///
/// Cancelling the task ends a query that runs with `CancellationError`.
extension Selection {
  /// The records, in order; see ``fetch(in:)``.
  public func fetch() async throws -> [M] {
    try await repository.store.read { try self.fetch(in: $0) }
  }

  /// The records as smaller models; see ``fetch(as:in:)``.
  public func fetch<T: Decodable & Sendable>(as type: T.Type) async throws -> [T] {
    try await repository.store.read { try self.fetch(as: type, in: $0) }
  }

  /// The first record, or nil; see ``first(in:)``.
  public func first() async throws -> M? {
    try await repository.store.read { try self.first(in: $0) }
  }

  /// Whether there is a record; see ``exists(in:)``.
  public func exists() async throws -> Bool {
    try await repository.store.read { try self.exists(in: $0) }
  }

  /// How many records there are; see ``count(in:)``.
  public func count() async throws -> Int {
    try await repository.store.read { try self.count(in: $0) }
  }

  /// One page; see ``page(of:after:in:)``.
  public func page(of count: Int, after token: PageToken? = nil) async throws -> Page<M> {
    try await repository.store.read { try self.page(of: count, after: token, in: $0) }
  }

  /// One property of each record; see `values(_:in:)`.
  public func values<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable
  ) async throws -> [V] {
    try await repository.store.read { try self.values(property, in: $0) }
  }

  /// One figure over the records; see `figure(_:in:)`.
  public func figure<Outcome: Sendable>(_ figure: Figure<M, Outcome>) async throws -> Outcome {
    try await repository.store.read { try self.figure(figure, in: $0) }
  }

  /// Some properties of each record as a tuple; see `values(_:in:)`.
  public func values<each V: Decodable & Sendable>(
    _ properties: repeat any KeyPath<M, each V> & Sendable
  ) async throws -> [(repeat each V)] {
    try await repository.store.read { try self.values(repeat each properties, in: $0) }
  }

  /// Figures over the records, as a tuple; see `figures(_:in:)`.
  public func figures<each Outcome: Sendable>(
    _ figures: repeat Figure<M, each Outcome>
  ) async throws -> (repeat each Outcome) {
    try await repository.store.read { try self.figures(repeat each figures, in: $0) }
  }

  /// Figures a group at a time; see `groups(by:figures:in:)`.
  public func groups<each Key: Decodable & Sendable, each Outcome: Sendable>(
    by properties: repeat any KeyPath<M, each Key> & Sendable,
    figures: repeat Figure<M, each Outcome>
  ) async throws -> [(key: (repeat each Key), figures: (repeat each Outcome))] {
    try await repository.store.read {
      try self.groups(by: repeat each properties, figures: repeat each figures, in: $0)
    }
  }

  /// Removes the records, all or none, and says how many there were; see ``delete(in:)``.
  @discardableResult
  public func delete() async throws -> Int {
    try await repository.store.write { try self.delete(in: $0) }
  }

  /// Changes properties of the records, all or none; see ``update(set:in:)``.
  @discardableResult
  public func update(set assignments: Assignment<M>...) async throws -> Int {
    try await repository.store.write { try self.update(set: assignments, in: $0) }
  }
}
