public import Holdfast

/// A contact; names are not unique.
public struct Contact: Model, Hashable {
  /// The id; the store chooses it.
  public var id: Int64?
  /// The name.
  public var name: String
  /// The postal address.
  public var address: String
  /// The telephone number, as it is written.
  public var phone: String

  /// The collection `contact`.
  public static let schema = Schema<Contact>("contact", key: \.id) {
    Index(\.name)
  }

  /// Creates a contact.
  public init(id: Int64? = nil, name: String, address: String, phone: String) {
    self.id = id
    self.name = name
    self.address = address
    self.phone = phone
  }
}

/// Contacts on any store; each method comes for a transaction, synchronous and asynchronous.
public struct ContactService: Sendable {
  /// The store.
  public let store: Store
  let contacts: Repository<Contact>

  /// Creates the service on a store.
  public init(_ store: Store) {
    self.store = store
    contacts = Repository(store)
  }

  /// Creates the collection if it is missing, and says whether it was.
  @discardableResult
  public func create(in transaction: WriteTransaction) throws -> Opening {
    let exists = try transaction.catalog.collection(named: contacts.collectionName) != nil
    try contacts.create(in: transaction)
    return exists ? .existed : .created
  }

  /// Adds a contact and gives it its id.
  @discardableResult
  public func add(_ contact: Contact, in transaction: WriteTransaction) throws -> Contact {
    try contacts.insert(contact, in: transaction)
  }

  /// Renames all contacts of a name.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func rename(_ name: String, to newName: String, in transaction: WriteTransaction) throws
    -> Int
  {
    let named = try contacts.fetch(where: .equal("name", .text(name)), in: transaction)
    for var contact in named {
      contact.name = newName
      try contacts.update(contact, in: transaction)
    }
    return named.count
  }

  /// Deletes all contacts of a name.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func delete(named name: String, in transaction: WriteTransaction) throws -> Int {
    try contacts.deleteAll(where: .equal("name", .text(name)), in: transaction)
  }

  /// All contacts, in id order.
  public func list(in transaction: ReadTransaction) throws -> [Contact] {
    try contacts.fetch(in: transaction)
  }
}
