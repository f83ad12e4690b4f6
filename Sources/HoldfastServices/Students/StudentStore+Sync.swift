import Holdfast

/// Each method in a transaction of its own, for code that is not asynchronous.
extension StudentStore {
  /// All students, in id order.
  @available(*, noasync, message: "use the asynchronous version")
  public func list() throws -> [Student] {
    try store.read { try self.list(in: $0) }
  }

  /// Inserts a student; see ``insert(name:age:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func insert(name: String, age: Int) throws -> Student {
    try store.write { try self.insert(name: name, age: age, in: $0) }
  }
}
