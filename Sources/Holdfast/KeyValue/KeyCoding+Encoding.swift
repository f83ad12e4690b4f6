import Foundation

extension KeyCoding {
  /// The first byte of an encoded value, by its type.
  enum TypeCode {
    static let null: UInt8 = 0x00
    static let blob: UInt8 = 0x01
    static let text: UInt8 = 0x02
    /// Zero; positive integers add the number of their bytes, negative ones subtract it.
    static let zero: UInt8 = 0x14
    static let real: UInt8 = 0x21
  }

  /// Follows a zero byte inside a text or blob, where its end has none.
  static let escape: UInt8 = 0xFF

  /// Greater than every type code: behind a prefix it is above all keys that begin with that prefix.
  static let rangeEnd: UInt8 = 0xFF

  /// Appends the encoding of one field of a row.
  package static func append(_ slot: RowView.Slot, to buffer: ByteBuffer) {
    switch slot.kind {
    case .null: buffer.append(TypeCode.null)
    case .integer: append(integer: Int64(bitPattern: slot.bits), to: buffer)
    case .real: append(real: Double(bitPattern: slot.bits), to: buffer)
    case .text:
      append(
        UnsafeRawBufferPointer(start: slot.pointer, count: Int(slot.bits)),
        TypeCode.text,
        to: buffer
      )
    case .blob:
      append(
        UnsafeRawBufferPointer(start: slot.pointer, count: Int(slot.bits)),
        TypeCode.blob,
        to: buffer
      )
    }
  }

  /// Appends the encoding of an owned value.
  package static func append(_ value: Value, to buffer: ByteBuffer) {
    switch value {
    case .null: buffer.append(TypeCode.null)
    case .integer(let integer): append(integer: integer, to: buffer)
    case .real(let real): append(real: real, to: buffer)
    case .text(var text):
      text.withUTF8 { append(UnsafeRawBufferPointer($0), TypeCode.text, to: buffer) }
    case .blob(let blob): blob.withUnsafeBytes { append($0, TypeCode.blob, to: buffer) }
    }
  }

  /// Appends the encoding of an integer.
  package static func append(integer: Int64, to buffer: ByteBuffer) {
    let magnitude = integer.magnitude
    let length = (64 - magnitude.leadingZeroBitCount + 7) / 8
    if integer >= 0 {
      buffer.append(TypeCode.zero + UInt8(length))
      buffer.appendBigEndian(magnitude, length: length)
    } else {
      // The complement of the magnitude, so that larger magnitudes come first.
      buffer.append(TypeCode.zero - UInt8(length))
      buffer.appendBigEndian(~magnitude, length: length)
    }
  }

  private static func append(real: Double, to buffer: ByteBuffer) {
    let bits = (real == 0 ? 0 : real).bitPattern
    buffer.append(TypeCode.real)
    buffer.appendBigEndian(bits >> 63 == 1 ? ~bits : bits | 1 << 63, length: 8)
  }

  private static func append(
    _ bytes: UnsafeRawBufferPointer,
    _ code: UInt8,
    to buffer: ByteBuffer
  ) {
    buffer.append(code)
    var rest = bytes
    while let start = rest.baseAddress, rest.count > 0, let zero = memchr(start, 0, rest.count) {
      let length = UnsafeRawPointer(zero) - start + 1
      buffer.append(UnsafeRawBufferPointer(rebasing: rest[..<length]))
      buffer.append(escape)
      rest = UnsafeRawBufferPointer(rebasing: rest[length...])
    }
    buffer.append(rest)
    buffer.append(0)
  }
}
