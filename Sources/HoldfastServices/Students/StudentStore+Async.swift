import Holdfast

/// Each method in a transaction of its own, asynchronously.
extension StudentStore {
  /// All students, in id order.
  public func list() async throws -> [Student] {
    try await store.read { try self.list(in: $0) }
  }

  /// Inserts a student; see ``insert(name:age:in:)``.
  @discardableResult
  public func insert(name: String, age: Int) async throws -> Student {
    try await store.write { try self.insert(name: name, age: age, in: $0) }
  }
}
