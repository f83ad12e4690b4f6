/// One stored value as natural JSON, by the type of its field.
///
/// See ``RowJSON``.
public enum ValueJSON {
  /// Writes a field of a row.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if the value does not fit the field's type or is not
  ///   UTF-8.
  public static func write(
    _ row: RowView,
    _ index: Int,
    _ field: FieldDefinition,
    in collection: String,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    let kind = row.kind(index)
    if kind == .null {
      writer.null()
      return
    }
    if let stored = field.type.storedKind, stored != kind {
      throw StorageError(
        .corrupt,
        "field \(field.name) of \(collection) holds \(kind) where \(field.type) belongs"
      )
    }
    switch field.type {
    case .integer: writer.integer(row.integer(index))
    case .bool: writer.bool(row.integer(index) != 0)
    case .real: writer.real(row.real(index))
    case .text, .date, .decimal: try text(row.bytes(index), field, collection, to: &writer)
    case .blob: writer.base64(row.bytes(index))
    case .uuid: try uuid(row.bytes(index), field, collection, to: &writer)
    case .json: try json(row.bytes(index), field, collection, to: &writer)
    case .any: try any(row, index, field, collection, to: &writer)
    }
  }

  private static func text(
    _ bytes: UnsafeRawBufferPointer,
    _ field: FieldDefinition,
    _ collection: String,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    do throws(StorageError) {
      try writer.string(utf8: bytes)
    } catch {
      throw StorageError(
        .corrupt,
        "field \(field.name) of \(collection) is not valid UTF-8; restore a backup"
      )
    }
  }

  private static func uuid(
    _ bytes: UnsafeRawBufferPointer,
    _ field: FieldDefinition,
    _ collection: String,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    guard bytes.count == 16 else {
      throw StorageError(
        .corrupt,
        "field \(field.name) of \(collection) is not 16 bytes; restore a backup"
      )
    }
    try withUUIDText(bytes) { (text) throws(StorageError) in try writer.string(utf8: text) }
  }

  static func withUUIDText<R>(
    _ bytes: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    var text = (
      0 as UInt64, 0 as UInt64, 0 as UInt64, 0 as UInt64, 0 as UInt64
    )
    let result = withUnsafeMutableBytes(of: &text) { out -> Result<R, StorageError> in
      var place = 0
      for (index, byte) in bytes.enumerated() {
        if index == 4 || index == 6 || index == 8 || index == 10 {
          out[place] = 0x2D
          place += 1
        }
        out[place] = hexDigit(byte >> 4)
        out[place + 1] = hexDigit(byte & 15)
        place += 2
      }
      let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(out)[..<place])
      do throws(StorageError) { return .success(try body(bytes)) } catch { return .failure(error) }
    }
    return try result.get()
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

  private static func json(
    _ bytes: UnsafeRawBufferPointer,
    _ field: FieldDefinition,
    _ collection: String,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    guard let canonical = JSON.canonical(bytes),
      canonical.withUnsafeBytes({ Bytes.compare($0, bytes) == 0 })
    else {
      writer.beginObject()
      writer.key(wrapper)
      try text(bytes, field, collection, to: &writer)
      writer.endObject()
      return
    }
    let isWrapped = canonical == Array("null".utf8) || wrapped(canonical) != nil
    if isWrapped {
      writer.beginObject()
      writer.key(wrapper)
    }
    writer.raw(bytes)
    if isWrapped { writer.endObject() }
  }

  private static func any(
    _ row: RowView,
    _ index: Int,
    _ field: FieldDefinition,
    _ collection: String,
    to writer: inout JSONWriter
  ) throws(StorageError) {
    switch row.kind(index) {
    case .null: writer.null()
    case .integer: writer.integer(row.integer(index))
    case .real where row.real(index).isFinite: writer.real(row.real(index))
    case .real:
      writer.beginObject()
      writer.key("real")
      writer.real(row.real(index))
      writer.endObject()
    case .text: try text(row.bytes(index), field, collection, to: &writer)
    case .blob:
      writer.beginObject()
      writer.key("blob")
      writer.base64(row.bytes(index))
      writer.endObject()
    }
  }

  // MARK: Wrapped JSON

  static let wrapper = "$json"

  /// The stored text that a wrapping object stands for, or nil if the canonical value is no such
  /// object: `{"$json": null}`, `{"$json": "text"}`, or one around such an object.
  static func wrapped(_ canonical: [UInt8]) -> [UInt8]? {
    let prefix = Array("{\"$json\":".utf8)
    guard canonical.starts(with: prefix) else { return nil }
    return canonical.withUnsafeBytes { bytes -> [UInt8]? in
      var reader = JSONReader(ByteSource(bytes))
      do throws(StorageError) {
        _ = try reader.next()
        _ = try reader.next()
        var inner = JSONWriter()
        let token = try reader.next()
        if token == .string {
          inner.bytes = Array(reader.bytes)
        } else {
          try reader.copyCanonical(token, to: &inner)
        }
        guard try reader.next() == .endObject else { return nil }
        if token == .string || token == .null { return inner.bytes }
        return wrapped(inner.bytes) == nil ? nil : inner.bytes
      } catch {
        return nil
      }
    }
  }
}
