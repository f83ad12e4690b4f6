/// Checks rows against the declared types before any backend sees them.
enum FieldCheck {
  /// Checks every field of a row and the length of its key.
  ///
  /// - Throws: ``StorageError/Code/typeMismatch``, ``StorageError/Code/invalidValue``,
  ///   ``StorageError/Code/keyTooLong``.
  static func check(_ row: RowView, _ collection: Collection) throws(StorageError) {
    guard row.count == collection.fields.count else {
      throw StorageError(
        .invalidValue,
        "a record of \(collection.name) has \(collection.fields.count) fields, not \(row.count)"
      )
    }
    for index in 0..<row.count {
      // Nearly every field passes here; the full check finds the words for one that does not.
      if collection.rules[index].plainlyAllows(row.slots[index]) { continue }
      try check(row, index, collection.fields[index], in: collection.name)
    }
    try checkKeyLength(row, collection.keyPositions, collection)
  }

  /// What one field takes, without its name.
  struct Rule: Sendable {
    let type: FieldType
    let kind: ValueKind?
    let allowsNull: Bool

    /// Whether a value of this kind is in its stored form as people give it.
    func isStored(_ kind: ValueKind) -> Bool {
      switch type {
      case .integer, .text, .blob, .bool: kind == self.kind
      case .real, .date, .uuid, .decimal, .json, .any: false
      }
    }

    /// Whether a slot is allowed for sure; false if it needs a closer look.
    @inline(__always)
    func plainlyAllows(_ slot: RowView.Slot) -> Bool {
      if slot.kind == .null { return allowsNull }
      guard slot.kind == kind else { return false }
      switch type {
      case .integer, .text, .blob, .json: return true
      case .bool: return slot.bits <= 1
      case .uuid: return slot.bits == 16
      case .real: return !Double(bitPattern: slot.bits).isNaN
      case .date:
        return DateCoding.isStored(
          utf8: UnsafeRawBufferPointer(start: slot.pointer, count: Int(slot.bits))
        )
      case .decimal, .any: return false
      }
    }
  }

  /// Checks a key given alone: its fields in key order.
  static func checkKey(_ key: RowView, _ collection: Collection) throws(StorageError) {
    guard key.count == collection.keyPositions.count else {
      throw StorageError(
        .typeMismatch,
        "the key of \(collection.name) has \(collection.keyPositions.count) parts, not \(key.count)"
      )
    }
    for index in 0..<key.count {
      let position = collection.keyPositions[index]
      if !key.isNull(index), collection.rules[position].plainlyAllows(key.slots[index]) { continue }
      let field = collection.fields[position]
      if key.isNull(index) {
        throw StorageError(
          .invalidValue,
          "the key of \(collection.name) cannot be null in field \(field.name)"
        )
      }
      try check(key, index, field, in: collection.name)
    }
    try checkKeyLength(key, nil, collection)
  }

  private static func checkKeyLength(
    _ row: RowView,
    _ positions: [Int]?,
    _ collection: Collection
  ) throws(StorageError) {
    var bound = 0
    let count = positions?.count ?? row.count
    for part in 0..<count {
      let slot = row.slots[positions?[part] ?? part]
      bound += slot.kind == .text || slot.kind == .blob ? 2 + 2 * Int(slot.bits) : 9
    }
    if bound <= KeyCoding.maximumKeyLength { return }
    var length = 0
    for part in 0..<count { length += KeyCoding.encodedLength(row, positions?[part] ?? part) }
    guard length <= KeyCoding.maximumKeyLength else {
      throw StorageError(
        .keyTooLong,
        "the key of a record in \(collection.name) takes \(length) bytes; at most "
          + "\(KeyCoding.maximumKeyLength) fit, so shorten it"
      )
    }
  }

  /// Checks one field of a row against its definition.
  static func check(
    _ row: RowView,
    _ index: Int,
    _ field: FieldDefinition,
    in collection: String
  ) throws(StorageError) {
    let kind = row.kind(index)
    if kind == .null {
      if field.isOptional { return }
      throw StorageError(.invalidValue, "field \(field.name) of \(collection) is required")
    }
    if kind == .real, row.real(index).isNaN {
      throw StorageError(.invalidValue, "field \(field.name) of \(collection) cannot hold NaN")
    }
    guard let stored = field.type.storedKind else { return }
    guard kind == stored else {
      throw StorageError(
        .typeMismatch,
        "field \(field.name) of \(collection) takes \(field.type), not \(kind)"
      )
    }
    switch field.type {
    case .bool where row.integer(index) != 0 && row.integer(index) != 1:
      throw StorageError(
        .invalidValue,
        "field \(field.name) of \(collection) takes true or false"
      )
    case .uuid where row.bytes(index).count != 16:
      throw StorageError(.invalidValue, "field \(field.name) of \(collection) takes 16 bytes")
    case .decimal where DecimalCoding.canonical(try row.text(index)) != (try row.text(index)):
      throw StorageError(
        .invalidValue,
        "field \(field.name) of \(collection) takes a decimal number, as 12.5"
      )
    case .date where DateCoding.decode(utf8: row.bytes(index)) == nil:
      throw StorageError(
        .invalidValue,
        "field \(field.name) of \(collection) takes a date as 2026-01-31T12:00:00.000000000Z"
      )
    default:
      break
    }
  }
}

extension FieldDefinition {
  /// The stored form of a value as people give it; JSON is checked here, once, since typed records
  /// write it themselves.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` for a text that is no JSON in a `json` field.
  func stored(_ value: Value, in collection: String) throws(StorageError) -> Value {
    let stored = lenient(value)
    if type == .json, case .text(let text) = stored, JSON.canonical(text) == nil {
      throw StorageError(.invalidValue, "field \(name) of \(collection) takes JSON text")
    }
    return stored
  }
}
