public import Holdfast

/// Statuses of the microblog, on any store, each given together with its user.
///
/// Each method comes for a transaction, synchronous and asynchronous. The users of a list are looked
/// up in one batch, each once.
public struct StatusService: Sendable {
  /// The store.
  public let store: Store
  let statuses: Repository<Status>
  let users: Repository<User>

  /// Creates the service on a store.
  public init(_ store: Store) {
    self.store = store
    statuses = Repository(store)
    users = Repository(store)
  }

  /// Adds a status.
  ///
  /// - Returns: the status with its id.
  /// - Throws: `StorageError.Code.referenceViolation` if there is no such user.
  @discardableResult
  public func add(_ status: Status, in transaction: WriteTransaction) throws -> Status {
    try statuses.insert(status, in: transaction)
  }

  /// Removes a status and says whether there was one.
  @discardableResult
  public func remove(_ id: Int64, in transaction: WriteTransaction) throws -> Bool {
    try statuses.delete(id, in: transaction)
  }

  /// Changes the given fields of a status and leaves the others alone.
  ///
  /// - Returns: the status as it is now.
  /// - Throws: `StorageError.Code.notFound` if there is no such status.
  @discardableResult
  public func modify(_ id: Int64, _ changes: StatusChanges, in transaction: WriteTransaction)
    throws -> Status
  {
    guard var status = try statuses.get(id, in: transaction) else {
      throw StorageError(
        .notFound,
        "there is no status \(id) to modify; list the statuses for their ids"
      )
    }
    changes.apply(to: &status)
    try statuses.update(status, in: transaction)
    return status
  }

  /// The status of that id with its user, or nil.
  public func find(_ id: Int64, in transaction: ReadTransaction) throws -> StatusEntry? {
    guard let status = try statuses.get(id, in: transaction) else { return nil }
    return try withUsers([status], in: transaction).first
  }

  /// All statuses with their users, in id order.
  public func list(in transaction: ReadTransaction) throws -> [StatusEntry] {
    try withUsers(try statuses.fetch(in: transaction), in: transaction)
  }

  /// At most `count` statuses with their users, newest first.
  ///
  /// - Throws: `StorageError.Code.invalidQuery` for a negative count.
  public func page(after id: Int64? = nil, count: Int, in transaction: ReadTransaction) throws
    -> [StatusEntry]
  {
    let filter = id.map { Filter.less("id", .integer($0)) } ?? .all
    let page = try statuses.fetch(
      where: filter,
      sort: [.descending(\.id)],
      limit: count,
      in: transaction
    )
    return try withUsers(page, in: transaction)
  }

  /// The newest statuses whose ids are above `id`, at most `count`, newest first.
  ///
  /// - Throws: `StorageError.Code.invalidQuery` for a negative count.
  public func newer(than id: Int64, count: Int, in transaction: ReadTransaction) throws
    -> [StatusEntry]
  {
    let newer = try statuses.fetch(
      where: .greater("id", .integer(id)),
      sort: [.descending(\.id)],
      limit: count,
      in: transaction
    )
    return try withUsers(newer, in: transaction)
  }

  /// Adds their users to statuses by one batched lookup.
  private func withUsers(_ statuses: [Status], in transaction: ReadTransaction) throws
    -> [StatusEntry]
  {
    let users = try users.referenced(by: \.user, of: statuses, in: transaction)
    return try zip(statuses, users).map { status, user in
      guard let user else {
        throw StorageError(
          .corrupt,
          "a status refers to a user who is not in the store; restore a backup"
        )
      }
      return StatusEntry(status: status, user: user)
    }
  }
}
