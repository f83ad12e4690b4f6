import Holdfast

/// Each method in a transaction of its own, for code that is not asynchronous.
extension ContactService {
  /// Creates the collection if it is missing, and says whether it was.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func create() throws -> Opening {
    try store.write { try self.create(in: $0) }
  }

  /// Adds a contact and gives it its id.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func add(_ contact: Contact) throws -> Contact {
    try store.write { try self.add(contact, in: $0) }
  }

  /// Renames all contacts of a name and says how many there were.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func rename(_ name: String, to newName: String) throws -> Int {
    try store.write { try self.rename(name, to: newName, in: $0) }
  }

  /// Deletes all contacts of a name and says how many there were.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func delete(named name: String) throws -> Int {
    try store.write { try self.delete(named: name, in: $0) }
  }

  /// All contacts, in id order.
  @available(*, noasync, message: "use the asynchronous version")
  public func list() throws -> [Contact] {
    try store.read { try self.list(in: $0) }
  }
}
