/// Concise Binary Object Representation, as far as Holdfast writes it.
///
/// Source: RFC 8949, with the
/// preferred (shortest) integers and definite lengths of its section 4.1.
enum CBOR {
  /// The major types, as the upper three bits of an item's first byte.
  enum Major {
    static let unsigned: UInt8 = 0x00
    static let negative: UInt8 = 0x20
    static let bytes: UInt8 = 0x40
    static let text: UInt8 = 0x60
    static let array: UInt8 = 0x80
    static let map: UInt8 = 0xA0
  }

  static let false8: UInt8 = 0xF4
  static let true8: UInt8 = 0xF5
  static let null: UInt8 = 0xF6
  static let double: UInt8 = 0xFB

  /// The most bytes of an item's head.
  static let maximumHeadLength = 9

  /// Stores an item's head where `end` points, which has room for ``maximumHeadLength`` bytes.
  ///
  /// - Returns: where the head ends.
  @inline(__always)
  static func store(_ major: UInt8, _ argument: UInt64, at end: UnsafeMutableRawPointer)
    -> UnsafeMutableRawPointer
  {
    if argument < 24 {
      end.storeBytes(of: major | UInt8(truncatingIfNeeded: argument), as: UInt8.self)
      return end + 1
    }
    if argument <= 0xFF {
      end.storeBytes(of: major | 24, as: UInt8.self)
      (end + 1).storeBytes(of: UInt8(truncatingIfNeeded: argument), as: UInt8.self)
      return end + 2
    }
    if argument <= 0xFFFF {
      end.storeBytes(of: major | 25, as: UInt8.self)
      (end + 1).storeBytes(
        of: UInt16(truncatingIfNeeded: argument).bigEndian,
        as: UInt16.self
      )
      return end + 3
    }
    if argument <= 0xFFFF_FFFF {
      end.storeBytes(of: major | 26, as: UInt8.self)
      (end + 1).storeBytes(
        of: UInt32(truncatingIfNeeded: argument).bigEndian,
        as: UInt32.self
      )
      return end + 5
    }
    end.storeBytes(of: major | 27, as: UInt8.self)
    (end + 1).storeBytes(of: argument.bigEndian, as: UInt64.self)
    return end + 9
  }

  /// Reads the argument of an item's head and moves `position` behind the head.
  ///
  /// - Returns: nil if the head is cut off, or not in its shortest form, or indefinite.
  @inline(__always)
  static func argument(
    _ initial: UInt8,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer
  ) -> UInt64? {
    let short = initial & 0x1F
    if short < 24 { return UInt64(short) }
    let left = end - position
    switch short {
    case 24:
      guard left >= 1 else { return nil }
      let value = UInt64(position.loadUnaligned(as: UInt8.self))
      position += 1
      return value >= 24 ? value : nil
    case 25:
      guard left >= 2 else { return nil }
      let value = UInt64(UInt16(bigEndian: position.loadUnaligned(as: UInt16.self)))
      position += 2
      return value > 0xFF ? value : nil
    case 26:
      guard left >= 4 else { return nil }
      let value = UInt64(UInt32(bigEndian: position.loadUnaligned(as: UInt32.self)))
      position += 4
      return value > 0xFFFF ? value : nil
    case 27:
      guard left >= 8 else { return nil }
      let value = UInt64(bigEndian: position.loadUnaligned(as: UInt64.self))
      position += 8
      return value > 0xFFFF_FFFF ? value : nil
    default: return nil
    }
  }
}

extension ByteBuffer {
  /// Appends the head of a CBOR item.
  func appendCBOR(_ major: UInt8, _ argument: UInt64) {
    let start = reserve(CBOR.maximumHeadLength)
    advance(by: CBOR.store(major, argument, at: start) - start)
  }

  /// Appends a CBOR byte string.
  func appendCBOR(bytes: UnsafeRawBufferPointer) {
    appendCBOR(CBOR.Major.bytes, UInt64(bytes.count))
    append(bytes)
  }
}
