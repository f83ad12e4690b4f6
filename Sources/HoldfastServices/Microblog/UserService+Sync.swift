public import Holdfast

/// Each method in a transaction of its own, for code that is not asynchronous.
extension UserService {
  /// Adds a user; see ``add(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func add(_ user: User) throws -> User {
    try store.write { try self.add(user, in: $0) }
  }

  /// Removes a user who has no statuses; see ``remove(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func remove(_ id: Int64) throws -> Bool {
    try store.write { try self.remove(id, in: $0) }
  }

  /// Removes all users of a name and says how many; see ``remove(named:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func remove(named name: String) throws -> Int {
    try store.write { try self.remove(named: name, in: $0) }
  }

  /// Changes the given fields of a user; see ``modify(_:_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func modify(_ id: Int64, _ changes: UserChanges) throws -> User {
    try store.write { try self.modify(id, changes, in: $0) }
  }

  /// The user of that id, or nil.
  @available(*, noasync, message: "use the asynchronous version")
  public func find(_ id: Int64) throws -> User? {
    try store.read { try self.find(id, in: $0) }
  }

  /// The user of that name with the lowest id, or nil.
  @available(*, noasync, message: "use the asynchronous version")
  public func find(named name: String) throws -> User? {
    try store.read { try self.find(named: name, in: $0) }
  }

  /// All users, in id order.
  @available(*, noasync, message: "use the asynchronous version")
  public func list() throws -> [User] {
    try store.read { try self.list(in: $0) }
  }

  /// At most `count` users in id order; see ``page(after:count:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func page(after: PageToken? = nil, count: Int) throws -> Page<User> {
    try store.read { try self.page(after: after, count: count, in: $0) }
  }
}
