import Holdfast

/// What the values of a file's fields have in common, to choose the fields' types by.
struct FieldInference {
  /// The kinds of values that a file's fields hold.
  struct Kinds: OptionSet {
    let rawValue: Int
    static let bool = Kinds(rawValue: 1)
    static let integer = Kinds(rawValue: 2)
    /// An integer beyond 64 bits.
    static let bigInteger = Kinds(rawValue: 4)
    static let real = Kinds(rawValue: 8)
    static let text = Kinds(rawValue: 16)
    static let blob = Kinds(rawValue: 32)
    static let date = Kinds(rawValue: 64)
    static let nested = Kinds(rawValue: 128)
    /// An integer of 64 bits that no double equals.
    static let exactInteger = Kinds(rawValue: 256)
  }

  /// One field.
  struct Field {
    let name: String
    var kinds: Kinds = []
    /// In how many records it has a value.
    var count = 0
  }

  /// The fields, in the order in which they were met.
  private(set) var fields: [Field] = []
  /// The number of records.
  var recordCount = 0
  private var positions: [[UInt8]: Int] = [:]
  private var expected = 0

  /// The position of a field, new or met before; names are compared by bytes.
  mutating func position(of name: UnsafeRawBufferPointer) throws(StorageError) -> Int {
    if expected < fields.count, fields[expected].name.utf8.elementsEqual(name) {
      expected += 1
      return expected - 1
    }
    return try position(of: Array(name))
  }

  /// The position of a field, new or met before.
  mutating func position(of bytes: [UInt8]) throws(StorageError) -> Int {
    if let position = positions[bytes] {
      expected = position + 1
      return position
    }
    guard fields.count < CollectionDefinition.maximumFieldCount else {
      throw StorageError(
        .invalidSchema,
        "the records have more than \(CollectionDefinition.maximumFieldCount) different fields"
      )
    }
    positions[bytes] = fields.count
    fields.append(Field(name: String(decoding: bytes, as: UTF8.self)))
    expected = fields.count
    return fields.count - 1
  }

  /// Begins a record.
  mutating func beginRecord() {
    recordCount += 1
    expected = 0
  }

  /// Notes a value; null is not noted.
  mutating func note(_ kinds: Kinds, at position: Int) {
    fields[position].kinds.formUnion(kinds)
    fields[position].count += 1
  }

  /// Notes an integer.
  mutating func note(_ integer: Int64, at position: Int) {
    let isInexact = Int64(exactly: Double(integer)) != integer
    note(isInexact ? [.integer, .exactInteger] : .integer, at: position)
  }

  // MARK: Types

  /// The type that holds all values of a field of a JSON file.
  static func jsonType(_ kinds: Kinds) -> FieldType {
    if kinds.contains(.nested) || (kinds.contains(.bool) && kinds != .bool) { return .json }
    return flatType(kinds)
  }

  /// The type that holds all values of a field that has no nested ones.
  static func flatType(_ kinds: Kinds) -> FieldType {
    switch kinds.subtracting(.exactInteger) {
    case []: return .text
    case .bool: return .bool
    case .integer: return .integer
    case .bigInteger, [.bigInteger, .integer]: return .decimal
    case .real: return .real
    case [.real, .integer]: return kinds.contains(.exactInteger) ? .any : .real
    case .text: return .text
    case .blob: return .blob
    case .date: return .date
    // `any` holds numbers of 64 bits only.
    default: return kinds.contains(.bigInteger) ? .json : .any
    }
  }

  /// The definition of a collection for the records.
  ///
  /// - Parameters:
  ///   - name: the collection's name.
  ///   - key: the names of the key's fields; nil to take `id`, or to add it as an automatic key.
  ///   - type: the type for the kinds of a field's values.
  /// - Returns: the definition, not validated.
  /// - Throws: `StorageError` with code `unknownField` or `invalidSchema` if the key cannot be it.
  func definition(
    _ name: String,
    key: [String]?,
    type: (Kinds) -> FieldType
  ) throws(StorageError) -> CollectionDefinition {
    var definitions = fields.map { field in
      FieldDefinition(field.name, type(field.kinds), optional: field.count < recordCount)
    }
    if let key {
      for part in key {
        guard let index = fields.firstIndex(where: { $0.name.utf8.elementsEqual(part.utf8) })
        else {
          throw StorageError(
            .unknownField,
            "the records have no field \(part) for the key; they have "
              + fields.map(\.name).joined(separator: ", ")
          )
        }
        guard !definitions[index].isOptional else {
          throw StorageError(
            .invalidSchema,
            "field \(part) is null in some records, so it cannot be in the key; choose another"
          )
        }
      }
      return CollectionDefinition(name, fields: definitions, key: key)
    }
    guard let index = fields.firstIndex(where: { Name.folded($0.name) == "id" }) else {
      definitions.insert(FieldDefinition("id", .integer), at: 0)
      return CollectionDefinition(name, fields: definitions, key: ["id"], automaticKey: true)
    }
    let id = definitions[index]
    guard !id.isOptional, id.type == .integer || id.type == .text else {
      throw StorageError(
        .invalidSchema,
        "field \(id.name) cannot be the key, since it is not an integer or text in every record; "
          + "say --key FIELD"
      )
    }
    return CollectionDefinition(name, fields: definitions, key: [id.name])
  }
}
