import Holdfast

/// Each method in a transaction of its own, for code that is not asynchronous.
extension VegetablePriceService {
  /// Adds a vegetable; see ``add(_:price:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func add(_ name: String, price: Double) throws -> VegetablePrice {
    try store.write { try self.add(name, price: price, in: $0) }
  }

  /// All vegetables, in the order in which they were added.
  @available(*, noasync, message: "use the asynchronous version")
  public func list() throws -> [VegetablePrice] {
    try store.read { try self.list(in: $0) }
  }

  /// The vegetable of that name, or nil.
  @available(*, noasync, message: "use the asynchronous version")
  public func find(_ name: String) throws -> VegetablePrice? {
    try store.read { try self.find(name, in: $0) }
  }

  /// Removes a vegetable; see ``remove(_:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func remove(_ name: String) throws {
    try store.write { try self.remove(name, in: $0) }
  }

  /// Changes a price; see ``changePrice(of:to:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  @discardableResult
  public func changePrice(of name: String, to price: Double) throws -> VegetablePrice {
    try store.write { try self.changePrice(of: name, to: price, in: $0) }
  }
}
