import Foundation

extension KeyCoding {
  /// Where an encoded value ends, without looking at more than its length.
  ///
  /// - Returns: nil if the bytes are not an encoded value.
  static func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    let code = bytes[start]
    switch code {
    case TypeCode.null: return start + 1
    case TypeCode.blob, TypeCode.text:
      guard let base = bytes.baseAddress else { return nil }
      var position = start + 1
      while position < bytes.count {
        guard let zero = memchr(base + position, 0, bytes.count - position) else { return nil }
        position = UnsafeRawPointer(zero) - base + 1
        if position == bytes.count || bytes[position] != escape { return position }
        position += 1
      }
      return nil
    case TypeCode.zero - 8...TypeCode.zero + 8:
      let end = start + 1 + abs(Int(code) - Int(TypeCode.zero))
      return end <= bytes.count ? end : nil
    case TypeCode.real: return start + 9 <= bytes.count ? start + 9 : nil
    default: return nil
    }
  }

  /// Decodes a key or index entry of `count` values into a row.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if the bytes are anything but what ``append(_:to:)``
  ///   writes for `count` values.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer,
    count: Int,
    into row: RowBuffer
  ) throws(StorageError) {
    row.reset(count: count)
    var start = 0
    for index in 0..<count {
      guard let end = end(of: bytes, from: start),
        decode(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), index, into: row)
      else { throw damaged }
      start = end
    }
    guard start == bytes.count else { throw damaged }
  }

  private static var damaged: StorageError {
    StorageError(.corrupt, "a stored key is damaged; restore a backup")
  }

  /// Decodes one value that fills `bytes`; false if it is not in its one valid form.
  private static func decode(
    _ bytes: UnsafeRawBufferPointer,
    _ index: Int,
    into row: RowBuffer
  ) -> Bool {
    let code = bytes[0]
    let body = UnsafeRawBufferPointer(rebasing: bytes[1...])
    switch code {
    case TypeCode.null: return true
    case TypeCode.blob, TypeCode.text:
      let content = UnsafeRawBufferPointer(rebasing: body.dropLast())
      if !content.contains(0) {
        code == TypeCode.text ? row.setText(index, content) : row.setBlob(index, content)
        return true
      }
      let plain = unescape(content)
      plain.withUnsafeBytes {
        code == TypeCode.text ? row.setText(index, $0) : row.setBlob(index, $0)
      }
      return true
    case TypeCode.real:
      let stored = bigEndian(body)
      let value = Double(bitPattern: stored >> 63 == 1 ? stored & ~(1 << 63) : ~stored)
      guard !value.isNaN, !(value == 0 && value.sign == .minus) else { return false }
      row.setReal(index, value)
      return true
    default:
      guard let value = integer(body, isNegative: code < TypeCode.zero) else { return false }
      row.setInteger(index, value)
      return true
    }
  }

  private static func integer(_ body: UnsafeRawBufferPointer, isNegative: Bool) -> Int64? {
    var bits = bigEndian(body)
    if isNegative {
      bits = ~bits
      if body.count < 8 { bits &= (1 << UInt64(8 * body.count)) - 1 }
    }
    guard (64 - bits.leadingZeroBitCount + 7) / 8 == body.count else { return nil }
    if !isNegative { return Int64(exactly: bits) }
    return bits <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- bits) : nil
  }

  private static func bigEndian(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var value: UInt64 = 0
    for byte in bytes { value = value << 8 | UInt64(byte) }
    return value
  }

  private static func unescape(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(bytes.count)
    var position = 0
    while position < bytes.count {
      plain.append(bytes[position])
      position += bytes[position] == 0 ? 2 : 1
    }
    return plain
  }
}
