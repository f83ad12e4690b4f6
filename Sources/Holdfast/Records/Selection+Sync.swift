/// Each in a transaction of its own, for code that is not asynchronous.
extension Selection {
  /// The records, in order; see ``fetch(in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func fetch() throws -> [M] {
    try repository.store.read { try self.fetch(in: $0) }
  }

  /// The records as smaller models; see ``fetch(as:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func fetch<T: Decodable & Sendable>(as type: T.Type) throws -> [T] {
    try repository.store.read { try self.fetch(as: type, in: $0) }
  }

  /// The first record, or nil; see ``first(in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func first() throws -> M? {
    try repository.store.read { try self.first(in: $0) }
  }

  /// Whether there is a record; see ``exists(in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func exists() throws -> Bool {
    try repository.store.read { try self.exists(in: $0) }
  }

  /// How many records there are; see ``count(in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func count() throws -> Int {
    try repository.store.read { try self.count(in: $0) }
  }

  /// One page; see ``page(of:after:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func page(of count: Int, after token: PageToken? = nil) throws -> Page<M> {
    try repository.store.read { try self.page(of: count, after: token, in: $0) }
  }

  /// One property of each record; see `values(_:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func values<V: Decodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable
  ) throws -> [V] {
    try repository.store.read { try self.values(property, in: $0) }
  }

  /// One figure over the records; see `figure(_:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func figure<Outcome: Sendable>(_ figure: Figure<M, Outcome>) throws -> Outcome {
    try repository.store.read { try self.figure(figure, in: $0) }
  }

  /// Some properties of each record as a tuple; see `values(_:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func values<each V: Decodable & Sendable>(
    _ properties: repeat any KeyPath<M, each V> & Sendable
  ) throws -> [(repeat each V)] {
    try repository.store.read { try self.values(repeat each properties, in: $0) }
  }

  /// Figures over the records, as a tuple; see `figures(_:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func figures<each Outcome: Sendable>(
    _ figures: repeat Figure<M, each Outcome>
  ) throws -> (repeat each Outcome) {
    try repository.store.read { try self.figures(repeat each figures, in: $0) }
  }

  /// Figures a group at a time; see `groups(by:figures:in:)`.
  @available(*, noasync, message: "use the asynchronous version")
  public func groups<each Key: Decodable & Sendable, each Outcome: Sendable>(
    by properties: repeat any KeyPath<M, each Key> & Sendable,
    figures: repeat Figure<M, each Outcome>
  ) throws -> [(key: (repeat each Key), figures: (repeat each Outcome))] {
    try repository.store.read {
      try self.groups(by: repeat each properties, figures: repeat each figures, in: $0)
    }
  }

  /// Removes the records, all or none, and says how many there were; see ``delete(in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func delete() throws -> Int {
    try repository.store.write { try self.delete(in: $0) }
  }

  /// Changes properties of the records, all or none; see ``update(set:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func update(set assignments: Assignment<M>...) throws -> Int {
    try repository.store.write { try self.update(set: assignments, in: $0) }
  }
}
