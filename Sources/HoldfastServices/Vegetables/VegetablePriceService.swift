import Foundation
public import Holdfast

/// What a vegetable costs; names are unique.
public struct VegetablePrice: Model, Hashable {
  /// The id; the store chooses it.
  public var id: Int64?
  /// The vegetable's name, never blank.
  public var name: String
  /// The price, positive and finite.
  public var price: Double

  /// The collection `vegetable`.
  public static let schema = Schema<VegetablePrice>("vegetable", key: \.id) {
    Unique(\.name)
  }

  /// Creates a price; it is checked when it is added.
  public init(id: Int64? = nil, name: String, price: Double) {
    self.id = id
    self.name = name
    self.price = price
  }
}

/// Prices of vegetables on any store; each method comes for a transaction, synchronous and
/// asynchronous.
public struct VegetablePriceService: Sendable {
  /// The store.
  public let store: Store
  let prices: Repository<VegetablePrice>

  /// Creates the service on a store.
  public init(_ store: Store) {
    self.store = store
    prices = Repository(store)
  }

  /// Adds a vegetable.
  ///
  /// - Returns: it with its id.
  /// - Throws: `StorageError.Code.invalidValue` for a blank name or a price that is not positive
  ///   and finite; `StorageError.Code.uniqueViolation` if there is one of that name.
  @discardableResult
  public func add(_ name: String, price: Double, in transaction: WriteTransaction) throws
    -> VegetablePrice
  {
    guard name.contains(where: { !$0.isWhitespace }) else {
      throw StorageError(.invalidValue, "a vegetable needs a name; give one that is not blank")
    }
    try check(price)
    if try find(name, in: transaction) != nil {
      throw StorageError(
        .uniqueViolation,
        "there is a vegetable of that name already; change its price instead"
      )
    }
    return try prices.insert(VegetablePrice(name: name, price: price), in: transaction)
  }

  /// All vegetables, in the order in which they were added.
  public func list(in transaction: ReadTransaction) throws -> [VegetablePrice] {
    try prices.fetch(in: transaction)
  }

  /// The vegetable of that name, or nil.
  public func find(_ name: String, in transaction: ReadTransaction) throws -> VegetablePrice? {
    try prices.fetch(where: .equal("name", .text(name)), limit: 1, in: transaction).first
  }

  /// Removes a vegetable.
  ///
  /// - Throws: `StorageError.Code.notFound` if there is none of that name.
  public func remove(_ name: String, in transaction: WriteTransaction) throws {
    guard try prices.deleteAll(where: .equal("name", .text(name)), in: transaction) > 0 else {
      throw missing("remove")
    }
  }

  /// Changes a price.
  ///
  /// - Returns: the vegetable as it is now.
  /// - Throws: `StorageError.Code.notFound` if there is none of that name;
  ///   `StorageError.Code.invalidValue` for a price that is not positive and finite.
  @discardableResult
  public func changePrice(of name: String, to price: Double, in transaction: WriteTransaction)
    throws -> VegetablePrice
  {
    try check(price)
    guard var vegetable = try find(name, in: transaction) else { throw missing("reprice") }
    vegetable.price = price
    try prices.update(vegetable, in: transaction)
    return vegetable
  }

  private func check(_ price: Double) throws(StorageError) {
    guard price.isFinite, price > 0 else {
      throw StorageError(
        .invalidValue,
        "a vegetable's price must be positive and finite; give one like 3.5"
      )
    }
  }

  private func missing(_ what: String) -> StorageError {
    StorageError(
      .notFound,
      "there is no vegetable of that name to \(what); list them for the names"
    )
  }
}
