import Holdfast

/// Each method in a transaction of its own, for code that is not asynchronous.
extension StatusService {
  /// Adds a status of a user who exists; see ``add(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func add(_ status: Status) throws -> Status {
    try store.write { try self.add(status, in: $0) }
  }

  /// Removes a status and says whether there was one.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func remove(_ id: Int64) throws -> Bool {
    try store.write { try self.remove(id, in: $0) }
  }

  /// Changes the given fields of a status; see ``modify(_:_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func modify(_ id: Int64, _ changes: StatusChanges) throws -> Status {
    try store.write { try self.modify(id, changes, in: $0) }
  }

  /// The status of that id with its user, or nil.
  @available(*, noasync, message: "use the asynchronous version")
  public func find(_ id: Int64) throws -> StatusEntry? {
    try store.read { try self.find(id, in: $0) }
  }

  /// All statuses with their users, in id order.
  @available(*, noasync, message: "use the asynchronous version")
  public func list() throws -> [StatusEntry] {
    try store.read { try self.list(in: $0) }
  }

  /// At most `count` statuses, newest first; see ``page(after:count:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func page(after id: Int64? = nil, count: Int) throws -> [StatusEntry] {
    try store.read { try self.page(after: id, count: count, in: $0) }
  }

  /// The newest statuses above an id, newest first; see ``newer(than:count:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func newer(than id: Int64, count: Int) throws -> [StatusEntry] {
    try store.read { try self.newer(than: id, count: count, in: $0) }
  }
}
