/// Order-preserving encoding of key and index values: the FoundationDB tuple layer.
///
/// Null is `00`; blobs `01`, text `02`, both with `00` escaped as `00 FF` and a final `00`; integers
/// `0C`…`1C` by sign and length; reals `21` with their bits made order-preserving. Source: the
/// FoundationDB tuple layer specification, `design/tuple.md`.
public enum KeyCoding {
  /// The longest encoded primary key, in bytes, on every backend.
  public static let maximumKeyLength = 480

  /// The length of one encoded field of a row, in bytes.
  public static func encodedLength(_ row: RowView, _ index: Int) -> Int {
    switch row.kind(index) {
    case .null: return 1
    case .integer:
      let value = row.integer(index)
      let magnitude = value.magnitude
      return 1 + (64 - magnitude.leadingZeroBitCount + 7) / 8
    case .real: return 9
    case .text, .blob:
      let bytes = row.bytes(index)
      var zeros = 0
      for byte in bytes where byte == 0 { zeros += 1 }
      return 2 + bytes.count + zeros
    }
  }

  /// The length of an encoded key that is given alone: its fields in key order.
  static func encodedLength(_ key: RowView) -> Int {
    (0..<key.count).reduce(0) { $0 + encodedLength(key, $1) }
  }
}
