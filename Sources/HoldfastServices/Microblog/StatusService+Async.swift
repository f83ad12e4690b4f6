import Holdfast

/// Each method in a transaction of its own, asynchronously.
extension StatusService {
  /// Adds a status of a user who exists; see ``add(_:in:)``.
  @discardableResult
  public func add(_ status: Status) async throws -> Status {
    try await store.write { try self.add(status, in: $0) }
  }

  /// Removes a status and says whether there was one.
  @discardableResult
  public func remove(_ id: Int64) async throws -> Bool {
    try await store.write { try self.remove(id, in: $0) }
  }

  /// Changes the given fields of a status; see ``modify(_:_:in:)``.
  @discardableResult
  public func modify(_ id: Int64, _ changes: StatusChanges) async throws -> Status {
    try await store.write { try self.modify(id, changes, in: $0) }
  }

  /// The status of that id with its user, or nil.
  public func find(_ id: Int64) async throws -> StatusEntry? {
    try await store.read { try self.find(id, in: $0) }
  }

  /// All statuses with their users, in id order.
  public func list() async throws -> [StatusEntry] {
    try await store.read { try self.list(in: $0) }
  }

  /// At most `count` statuses, newest first; see ``page(after:count:in:)``.
  public func page(after id: Int64? = nil, count: Int) async throws -> [StatusEntry] {
    try await store.read { try self.page(after: id, count: count, in: $0) }
  }

  /// The newest statuses above an id, newest first; see ``newer(than:count:in:)``.
  public func newer(than id: Int64, count: Int) async throws -> [StatusEntry] {
    try await store.read { try self.newer(than: id, count: count, in: $0) }
  }
}
