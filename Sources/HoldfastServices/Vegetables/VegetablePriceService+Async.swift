import Holdfast

/// Each method in a transaction of its own, asynchronously.
extension VegetablePriceService {
  /// Adds a vegetable; see ``add(_:price:in:)``.
  @discardableResult
  public func add(_ name: String, price: Double) async throws -> VegetablePrice {
    try await store.write { try self.add(name, price: price, in: $0) }
  }

  /// All vegetables, in the order in which they were added.
  public func list() async throws -> [VegetablePrice] {
    try await store.read { try self.list(in: $0) }
  }

  /// The vegetable of that name, or nil.
  public func find(_ name: String) async throws -> VegetablePrice? {
    try await store.read { try self.find(name, in: $0) }
  }

  /// Removes a vegetable; see ``remove(_:in:)``.
  public func remove(_ name: String) async throws {
    try await store.write { try self.remove(name, in: $0) }
  }

  /// Changes a price; see ``changePrice(of:to:in:)``.
  @discardableResult
  public func changePrice(of name: String, to price: Double) async throws -> VegetablePrice {
    try await store.write { try self.changePrice(of: name, to: price, in: $0) }
  }
}
