/// The stored form of index entries.
///
/// An entry's full bytes are the encoded values of the indexed fields, then the encoded primary key:
/// their order is the index's order. Where they are shorter than the engine's longest key, they are
/// the stored key, with an empty value. Otherwise the stored key has exactly that length: the first
/// bytes, 16 bytes of the SHA-256 of the encoded values, and 16 of that of the encoded key; and its
/// value is a CBOR array of two byte strings, the encoded values and the encoded key.
struct IndexEntry {
  /// The length of the two hashes of a long entry.
  static let hashLength = 16

  /// The engine's longest key.
  let limit: Int

  /// How many of a long entry's full bytes are in its key.
  ///
  /// Entries that differ in them are in the
  /// right order as they are stored; entries that share them make a group, to be sorted.
  var prefixLength: Int { limit - 2 * Self.hashLength }

  /// Whether full bytes of that length are stored in the long form.
  @inline(__always)
  func isLong(_ length: Int) -> Bool { length >= limit }

  /// Fills `key` and `value` with the long form of an entry.
  ///
  /// The first `valuesLength` of the entry's full bytes are the encoded values.
  func storeLong(
    _ full: UnsafeRawBufferPointer,
    valuesLength: Int,
    key: ByteBuffer,
    value: ByteBuffer
  ) {
    let values = UnsafeRawBufferPointer(rebasing: full[..<valuesLength])
    let primary = UnsafeRawBufferPointer(rebasing: full[valuesLength...])
    key.removeAll()
    key.append(UnsafeRawBufferPointer(rebasing: full[..<prefixLength]))
    append(hashOf: values, to: key)
    append(hashOf: primary, to: key)
    value.removeAll()
    value.appendCBOR(CBOR.Major.array, 2)
    value.appendCBOR(bytes: values)
    value.appendCBOR(bytes: primary)
  }

  /// Appends the 16 bytes that stand for `bytes` in the key of a long entry.
  func append(hashOf bytes: UnsafeRawBufferPointer, to key: ByteBuffer) {
    let hash = SHA256.prefix(of: bytes)
    key.appendBigEndian(hash.0, length: 8)
    key.appendBigEndian(hash.1, length: 8)
  }

  /// The encoded values and the encoded key in the value of a long entry; nil if it is damaged.
  static func parts(_ value: UnsafeRawBufferPointer)
    -> (values: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer)?
  {
    guard var position = value.baseAddress, value.count > 0,
      position.load(as: UInt8.self) == CBOR.Major.array | 2
    else { return nil }
    let end = position + value.count
    position += 1
    guard let values = byteString(&position, end), let key = byteString(&position, end),
      position == end
    else { return nil }
    return (values, key)
  }

  private static func byteString(_ position: inout UnsafeRawPointer, _ end: UnsafeRawPointer)
    -> UnsafeRawBufferPointer?
  {
    guard position < end else { return nil }
    let initial = position.load(as: UInt8.self)
    position += 1
    guard initial & 0xE0 == CBOR.Major.bytes,
      let length = CBOR.argument(initial, &position, end), length <= UInt64(end - position)
    else { return nil }
    defer { position += Int(length) }
    return UnsafeRawBufferPointer(start: position, count: Int(length))
  }
}
