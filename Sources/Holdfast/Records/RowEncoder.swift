import Foundation

/// Encodes models straight into rows: no dictionary and no intermediate value.
///
/// Keys are expected in declared order and looked up otherwise. One encoder serves all rows of an
/// operation. Not thread-safe.
final class RowEncoder: Encoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let layout: RowLayout
  let buffer: RowBuffer
  @exclusivity(unchecked) private var next = 0
  private lazy var json = NestedJSON()

  init(_ layout: RowLayout) {
    self.layout = layout
    buffer = RowBuffer(count: layout.count)
  }

  /// Encodes a model, and calls `body` with its row, which is valid until the body returns.
  ///
  /// - Throws: ``StorageError/Code/invalidValue``, ``StorageError/Code/typeMismatch``; what the
  ///   model's own encoding throws; what the body throws.
  func withRow<M: Encodable, T>(of model: M, _ body: (RowView) throws -> T) throws -> T {
    buffer.reset(count: layout.count)
    next = 0
    do {
      if layout.direct == ObjectIdentifier(M.self) {
        try take(model)
      } else {
        try model.encode(to: self)
      }
    } catch let error as EncodingError {
      throw StorageError(
        .invalidValue,
        "a record of \(layout.collection) could not be encoded",
        underlying: error
      )
    }
    return try body(buffer.view)
  }

  /// Encodes a model property by property, as it is in memory.
  private func take<M>(_ model: M) throws {
    try withUnsafeBytes(of: model) { memory in
      let start = memory.baseAddress.unsafelyUnwrapped
      for property in layout.properties {
        try property.type.store(start + property.offset, property.position, self)
      }
    }
  }

  /// A single value as the layout's first field stores it.
  func literal(_ value: some Encodable) throws -> Value {
    buffer.reset(count: layout.count)
    do {
      try encode(value, at: 0)
    } catch let error as EncodingError {
      throw StorageError(
        .invalidValue,
        "\(layout.describe(0)) cannot hold such a value",
        underlying: error
      )
    }
    return try buffer.view.value(0)
  }

  @inline(__always)
  func position(_ name: String) throws -> Int {
    guard let position = layout.position(name, next: next) else { throw layout.missing(name) }
    next = position + 1
    return position
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowEncodingContainer<Key>(encoder: self))
  }
  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusingEncoder(collection: layout.collection, what: "an unkeyed container")
  }
  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingEncoder(collection: layout.collection, what: "a single value container")
  }

  // MARK: Values

  func encode(_ value: Date, at position: Int) throws {
    try withUnsafeTemporaryAllocation(byteCount: DateCoding.length, alignment: 1) { bytes in
      guard DateCoding.encode(value, into: bytes) else {
        throw StorageError(
          .invalidValue,
          "\(layout.describe(position)) takes dates of the years 0000 to 9999 only"
        )
      }
      buffer.setText(position, UnsafeRawBufferPointer(bytes))
    }
  }

  func encode(unsigned value: UInt64, at position: Int) throws {
    guard let integer = Int64(exactly: value) else {
      throw StorageError(
        .invalidValue,
        "\(layout.describe(position)) takes integers up to \(Int64.max) only"
      )
    }
    buffer.setInteger(position, integer)
  }

  /// Encodes a value whose type is known only at run time.
  func encode<T: Encodable>(_ value: T, at position: Int) throws {
    // Comparing types is much cheaper than a dynamic cast, and proves the bit casts right.
    if T.self == Date.self {
      try encode(unsafeBitCast(value, to: Date.self), at: position)
    } else if T.self == UUID.self {
      withUnsafeBytes(of: value) { buffer.setBlob(position, $0) }
    } else if T.self == Data.self {
      unsafeBitCast(value, to: Data.self).withUnsafeBytes { buffer.setBlob(position, $0) }
    } else if T.self == [UInt8].self {
      unsafeBitCast(value, to: [UInt8].self).withUnsafeBytes { buffer.setBlob(position, $0) }
    } else if T.self == String.self {
      buffer.setText(position, unsafeBitCast(value, to: String.self))
    } else if let value = value as? Decimal {
      guard !value.isNaN, let text = DecimalCoding.canonical(value.description) else {
        throw StorageError(.invalidValue, "\(layout.describe(position)) cannot hold NaN")
      }
      buffer.setText(position, text)
    } else if let value = value as? URL {
      buffer.setText(position, value.absoluteString)
    } else if let value = value as? Duration {
      buffer.setText(position, LeafType.text(value))
    } else if layout.types[position] == .json {
      try encodeJSON(value, at: position)
    } else {
      try value.encode(to: FieldEncoder(encoder: self, position: position))
    }
  }

  private func encodeJSON(_ value: some Encodable, at position: Int) throws {
    do {
      let text = try json.encode(value)
      if text.elementsEqual("null".utf8) {
        buffer.setNull(position)
      } else {
        text.withUnsafeBytes { buffer.setText(position, $0) }
      }
    } catch let error as EncodingError {
      throw StorageError(
        .invalidValue,
        "\(layout.describe(position)) holds a value that JSON cannot: NaN, or nothing at all",
        underlying: error
      )
    }
  }
}
