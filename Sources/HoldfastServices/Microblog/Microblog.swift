public import Holdfast

/// The microblog: users and their statuses on one store.
///
/// ```swift
/// let microblog = try await Microblog.open(store)
/// let ada = try await microblog.users.add(User(name: "ada", screenName: "Ada"))
/// ```
public struct Microblog: Sendable {
  /// The users.
  public let users: UserService
  /// The statuses.
  public let statuses: StatusService
  /// Whether opening created the microblog or found it.
  public let opening: Opening

  /// Remembers in the store itself that the microblog was created, so that a lost store is created
  /// again.
  private static let isCreated = PreferenceKey("microblog.isCreated", default: false)

  private init(_ store: Store, opening: Opening) {
    users = UserService(store)
    statuses = StatusService(store)
    self.opening = opening
  }

  /// Opens the microblog on a store, creating it on the first run.
  ///
  /// - Throws: `StorageError.Code.readOnly` if it has to be created in a store that only reads.
  @available(*, noasync, message: "use the asynchronous version")
  public static func open(_ store: Store) throws -> Microblog {
    if try store.read({ try exists(store, in: $0) }) {
      return Microblog(store, opening: .existed)
    }
    return Microblog(store, opening: try store.write { try create(store, in: $0) })
  }

  /// Opens the microblog on a store, creating it on the first run.
  ///
  /// - Throws: `StorageError.Code.readOnly` if it has to be created in a store that only reads.
  public static func open(_ store: Store) async throws -> Microblog {
    if try await store.read({ try exists(store, in: $0) }) {
      return Microblog(store, opening: .existed)
    }
    return Microblog(store, opening: try await store.write { try create(store, in: $0) })
  }

  private static func exists(_ store: Store, in transaction: ReadTransaction) throws -> Bool {
    try Preferences(store).get(isCreated, in: transaction)
  }

  private static func create(_ store: Store, in transaction: WriteTransaction) throws -> Opening {
    // Another process may have created it since it was looked for.
    if try exists(store, in: transaction) { return .existed }
    try Repository<User>(store).create(in: transaction)
    try Repository<Status>(store).create(in: transaction)
    try Preferences(store).set(isCreated, to: true, in: transaction)
    return .created
  }
}
