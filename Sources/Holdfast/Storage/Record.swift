/// An owned record: a collection's fields with their values, for code that does not know the type.
///
/// Typed code uses ``Repository`` instead, which never makes one of these.
public struct Record: Sendable {
  /// The collection that the record belongs to.
  public let collection: Collection
  /// The values, in field order.
  public var values: [Value]

  /// Creates a record from values in field order.
  ///
  /// - Precondition: there are as many values as fields.
  public init(_ collection: Collection, values: [Value]) {
    precondition(values.count == collection.fields.count, "one value for each field")
    self.collection = collection
    self.values = values
  }

  /// Creates a record from values by field name; fields not named take their default, else null.
  ///
  /// - Throws: ``StorageError/Code/unknownField`` for a name that is no field.
  public init(_ collection: Collection, _ fields: [String: Value]) throws(StorageError) {
    var values = collection.fields.map { $0.defaultValue ?? .null }
    for (name, value) in fields { values[try collection.position(of: name)] = value }
    self.init(collection, values: values)
  }

  /// The value of a field, or nil if the collection has no such field.
  public subscript(_ field: String) -> Value? {
    collection.positions[field].map { values[$0] }
  }

  /// The record's primary key.
  public var key: Key { Key(collection.keyPositions.map { values[$0] }) }
}

extension Record: Equatable {
  /// Whether two records hold the same values, field by field.
  public static func == (left: Record, right: Record) -> Bool { left.values == right.values }
}
