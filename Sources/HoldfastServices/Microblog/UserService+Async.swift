public import Holdfast

/// Each method in a transaction of its own, asynchronously.
extension UserService {
  /// Adds a user; see ``add(_:in:)``.
  @discardableResult
  public func add(_ user: User) async throws -> User {
    try await store.write { try self.add(user, in: $0) }
  }

  /// Removes a user who has no statuses; see ``remove(_:in:)``.
  @discardableResult
  public func remove(_ id: Int64) async throws -> Bool {
    try await store.write { try self.remove(id, in: $0) }
  }

  /// Removes all users of a name and says how many; see ``remove(named:in:)``.
  @discardableResult
  public func remove(named name: String) async throws -> Int {
    try await store.write { try self.remove(named: name, in: $0) }
  }

  /// Changes the given fields of a user; see ``modify(_:_:in:)``.
  @discardableResult
  public func modify(_ id: Int64, _ changes: UserChanges) async throws -> User {
    try await store.write { try self.modify(id, changes, in: $0) }
  }

  /// The user of that id, or nil.
  public func find(_ id: Int64) async throws -> User? {
    try await store.read { try self.find(id, in: $0) }
  }

  /// The user of that name with the lowest id, or nil.
  public func find(named name: String) async throws -> User? {
    try await store.read { try self.find(named: name, in: $0) }
  }

  /// All users, in id order.
  public func list() async throws -> [User] {
    try await store.read { try self.list(in: $0) }
  }

  /// At most `count` users in id order; see ``page(after:count:in:)``.
  public func page(after: PageToken? = nil, count: Int) async throws -> Page<User> {
    try await store.read { try self.page(after: after, count: count, in: $0) }
  }
}
