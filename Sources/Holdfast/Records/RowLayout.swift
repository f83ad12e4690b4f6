import Foundation

/// Names and types of a collection's fields by position, laid out for encoders and decoders.
///
/// Unchecked: everything is constant; metatypes, which the properties hold, do not change.
final class RowLayout: @unchecked Sendable {
  let collection: String
  let names: ContiguousArray<String>
  let types: ContiguousArray<FieldType>
  /// The last fields, which rows do not have yet; they are read, and never written.
  let absent: AbsentFields?
  /// The model whose records need not go through its own coding, if there is one.
  let direct: ObjectIdentifier?
  /// That model's properties.
  let properties: ContiguousArray<Placed>
  private let positions: [String: Int]

  init(
    collection: String,
    fields: [FieldDefinition],
    absent: AbsentFields? = nil,
    properties: StoredProperties? = nil
  ) {
    self.collection = collection
    self.absent = absent
    names = ContiguousArray(fields.map(\.name))
    types = ContiguousArray(fields.map(\.type))
    self.properties = Self.place(properties, names)
    direct = self.properties.isEmpty ? nil : properties?.model
    var positions: [String: Int] = [:]
    for (position, name) in names.enumerated() { positions[name] = position }
    self.positions = positions
  }

  /// The layout of a collection, with fields that it lacks.
  convenience init(
    _ collection: Collection,
    absent: AbsentFields? = nil,
    properties: StoredProperties? = nil
  ) {
    self.init(
      collection: collection.name,
      fields: collection.fields + (absent?.fields ?? []),
      absent: absent,
      properties: properties
    )
  }

  var count: Int { names.count }

  /// The position of a name, in O(1) where it is at `next` or little behind it.
  @inline(__always)
  func position(_ name: String, next: Int) -> Int? {
    if next < names.count, names[next] == name { return next }
    return lookUp(name, behind: next)
  }

  private func lookUp(_ name: String, behind next: Int) -> Int? {
    // Null fields are not encoded, so the name is often one of the next few.
    var candidate = next + 1
    while candidate < names.count, candidate < next + 4 {
      if names[candidate] == name { return candidate }
      candidate += 1
    }
    return positions[name]
  }

  /// A value as field `position` would store it.
  ///
  /// - Throws: ``StorageError/Code/invalidValue``, ``StorageError/Code/typeMismatch``.
  func value(of value: Any, _ position: Int) throws -> Value {
    guard let value = value as? any Encodable else {
      throw StorageError(
        .typeMismatch,
        "\(describe(position)) cannot be compared with a \(type(of: value))"
      )
    }
    let field = FieldDefinition(names[position], types[position], optional: true)
    return try RowEncoder(RowLayout(collection: collection, fields: [field])).literal(value)
  }

  /// A value of a query as field `position` would store it; integers that it cannot hold included.
  ///
  /// - Throws: as ``value(of:_:)``.
  func literal(_ value: Any, _ position: Int) throws -> Value {
    let type = types[position]
    // Comparing types is much cheaper than a dynamic cast, and proves the bit casts right.
    func open<T>(_ value: T) -> Value? {
      switch type {
      case .text:
        return T.self == String.self ? .text(unsafeBitCast(value, to: String.self)) : nil
      case .bool:
        return T.self == Bool.self ? .integer(unsafeBitCast(value, to: Bool.self) ? 1 : 0) : nil
      case .real:
        return T.self == Double.self ? .real(unsafeBitCast(value, to: Double.self)) : nil
      case .integer:
        if T.self == Int64.self { return .integer(unsafeBitCast(value, to: Int64.self)) }
        if T.self == Int.self { return .integer(Int64(unsafeBitCast(value, to: Int.self))) }
        if T.self == UInt64.self { return tooLarge(unsafeBitCast(value, to: UInt64.self)) }
        if T.self == UInt.self { return tooLarge(UInt64(unsafeBitCast(value, to: UInt.self))) }
        return nil
      case .date:
        if T.self != Date.self { return nil }
        return DateCoding.encode(unsafeBitCast(value, to: Date.self)).map { .text($0) }
      case .blob, .uuid, .decimal, .json, .any: return nil
      }
    }
    func tooLarge(_ value: UInt64) -> Value? { value > Int64.max ? .real(0x1p63) : nil }
    if let value = open(value) { return value }
    if let inner = (value as? any AnyOptional)?.wrapped { return try literal(inner, position) }
    return try self.value(of: value, position)
  }

  func missing(_ name: String) -> StorageError {
    StorageError(
      .typeMismatch,
      "collection \(collection) has no field \(name); it has \(names.joined(separator: ", "))"
    )
  }

  func describe(_ position: Int) -> String { "field \(names[position]) of \(collection)" }
}
