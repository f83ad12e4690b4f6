import Holdfast

/// Each method in a transaction of its own, asynchronously.
extension ContactService {
  /// Creates the collection if it is missing, and says whether it was.
  @discardableResult
  public func create() async throws -> Opening {
    try await store.write { try self.create(in: $0) }
  }

  /// Adds a contact and gives it its id.
  @discardableResult
  public func add(_ contact: Contact) async throws -> Contact {
    try await store.write { try self.add(contact, in: $0) }
  }

  /// Renames all contacts of a name and says how many there were.
  @discardableResult
  public func rename(_ name: String, to newName: String) async throws -> Int {
    try await store.write { try self.rename(name, to: newName, in: $0) }
  }

  /// Deletes all contacts of a name and says how many there were.
  @discardableResult
  public func delete(named name: String) async throws -> Int {
    try await store.write { try self.delete(named: name, in: $0) }
  }

  /// All contacts, in id order.
  public func list() async throws -> [Contact] {
    try await store.read { try self.list(in: $0) }
  }
}
