public import Holdfast

/// Users of the microblog, on any store.
///
/// Each method comes for a transaction, synchronous and asynchronous. Names are not unique: finding
/// by name gives the user with the lowest id, removing by name removes all of them.
public struct UserService: Sendable {
  /// The store.
  public let store: Store
  let users: Repository<User>

  /// Creates the service on a store.
  public init(_ store: Store) {
    self.store = store
    users = Repository(store)
  }

  /// Adds a user; fields that are nil stay empty.
  ///
  /// - Returns: the user with its id.
  @discardableResult
  public func add(_ user: User, in transaction: WriteTransaction) throws -> User {
    try users.insert(user, in: transaction)
  }

  /// Removes a user.
  ///
  /// - Returns: whether there was one.
  /// - Throws: `StorageError.Code.referenceViolation` if the user has statuses.
  @discardableResult
  public func remove(_ id: Int64, in transaction: WriteTransaction) throws -> Bool {
    try users.delete(id, in: transaction)
  }

  /// Removes all users of a name, or none of them.
  ///
  /// - Returns: how many there were.
  /// - Throws: `StorageError.Code.referenceViolation` if one of them has statuses.
  @discardableResult
  public func remove(named name: String, in transaction: WriteTransaction) throws -> Int {
    try users.deleteAll(where: .equal("name", .text(name)), in: transaction)
  }

  /// Changes the given fields of a user and leaves the others alone.
  ///
  /// - Returns: the user as it is now.
  /// - Throws: `StorageError.Code.notFound` if there is no such user.
  @discardableResult
  public func modify(_ id: Int64, _ changes: UserChanges, in transaction: WriteTransaction) throws
    -> User
  {
    guard var user = try users.get(id, in: transaction) else {
      throw StorageError(
        .notFound,
        "there is no user \(id) to modify; list the users for their ids"
      )
    }
    changes.apply(to: &user)
    try users.update(user, in: transaction)
    return user
  }

  /// The user of that id, or nil.
  public func find(_ id: Int64, in transaction: ReadTransaction) throws -> User? {
    try users.get(id, in: transaction)
  }

  /// The user of that name, the one with the lowest id if there are several, or nil.
  public func find(named name: String, in transaction: ReadTransaction) throws -> User? {
    try users.fetch(where: .equal("name", .text(name)), limit: 1, in: transaction).first
  }

  /// All users, in id order.
  public func list(in transaction: ReadTransaction) throws -> [User] {
    try users.fetch(in: transaction)
  }

  /// At most `count` users in id order: the first ones, or those behind the page that gave `after`.
  public func page(after: PageToken? = nil, count: Int, in transaction: ReadTransaction) throws
    -> Page<User>
  {
    try users.page(limit: count, after: after, in: transaction)
  }
}
