/// The objects of a binary property list that is being written.
///
/// Format: `CFBinaryPList.c` of Core Foundation. An object is a marker byte with its content;
/// containers refer to others by number, here always in four bytes; a table of offsets and a
/// trailer of 32 bytes end the file.
struct BinaryPropertyListObjects {
  private struct Container {
    var isDictionary: Bool
    var keys: [UInt32] = []
    var values: [UInt32] = []
  }

  /// The length of the header, which the caller writes.
  private static let headerLength: UInt64 = 8
  private static let referenceSize: UInt8 = 4

  private var offsets: [UInt64] = []
  private var position = headerLength
  private var open: [Container] = []
  private var keyNumbers: [String: UInt32] = [:]
  private var root: UInt32 = 0

  mutating func open(isDictionary: Bool) { open.append(Container(isDictionary: isDictionary)) }

  mutating func close(_ bytes: inout [UInt8]) {
    let container = open.removeLast()
    add(&bytes) { bytes in
      Self.appendMarker(container.isDictionary ? 0xD0 : 0xA0, container.values.count, to: &bytes)
      for number in container.keys { Self.append(UInt64(number), 4, to: &bytes) }
      for number in container.values { Self.append(UInt64(number), 4, to: &bytes) }
    }
  }

  mutating func key(_ name: String, _ bytes: inout [UInt8]) {
    if let number = keyNumbers[name] {
      open[open.count - 1].keys.append(number)
      return
    }
    let start = bytes.count
    offsets.append(position)
    var copy = name
    copy.withUTF8 { Self.appendString(UnsafeRawBufferPointer($0), to: &bytes) }
    position += UInt64(bytes.count - start)
    let number = UInt32(offsets.count - 1)
    keyNumbers[name] = number
    open[open.count - 1].keys.append(number)
  }

  mutating func string(_ utf8: UnsafeRawBufferPointer, _ bytes: inout [UInt8]) {
    add(&bytes) { Self.appendString(utf8, to: &$0) }
  }

  mutating func data(_ value: UnsafeRawBufferPointer, _ bytes: inout [UInt8]) {
    add(&bytes) { bytes in
      Self.appendMarker(0x40, value.count, to: &bytes)
      bytes.append(contentsOf: value)
    }
  }

  mutating func integer(_ value: Int64, _ bytes: inout [UInt8]) {
    add(&bytes) { Self.appendInteger(value, to: &$0) }
  }

  mutating func real(_ value: Double, _ bytes: inout [UInt8]) {
    add(&bytes) { bytes in
      bytes.append(0x23)
      Self.append(value.bitPattern, 8, to: &bytes)
    }
  }

  mutating func bool(_ value: Bool, _ bytes: inout [UInt8]) {
    add(&bytes) { $0.append(value ? 0x09 : 0x08) }
  }

  /// Writes the table of offsets and the trailer.
  func finish(_ bytes: inout [UInt8]) {
    let size: UInt8 =
      position <= 0xFF ? 1 : position <= 0xFFFF ? 2 : position <= 0xFFFF_FFFF ? 4 : 8
    for offset in offsets { Self.append(offset, size, to: &bytes) }
    bytes.append(contentsOf: [0, 0, 0, 0, 0, 0, size, Self.referenceSize])
    Self.append(UInt64(offsets.count), 8, to: &bytes)
    Self.append(UInt64(root), 8, to: &bytes)
    Self.append(position, 8, to: &bytes)
  }

  // MARK: Parts

  /// Adds an object to the innermost open container, or as the root.
  private mutating func add(_ bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    let start = bytes.count
    offsets.append(position)
    write(&bytes)
    position += UInt64(bytes.count - start)
    let number = UInt32(offsets.count - 1)
    if open.isEmpty {
      root = number
    } else {
      open[open.count - 1].values.append(number)
    }
  }

  private static func appendString(_ utf8: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      appendMarker(0x50, utf8.count, to: &bytes)
      bytes.append(contentsOf: utf8)
      return
    }
    let units = Array(String(decoding: utf8, as: UTF8.self).utf16)
    appendMarker(0x60, units.count, to: &bytes)
    for unit in units { append(UInt64(unit), 2, to: &bytes) }
  }

  private static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
    let power: UInt8
    switch value {
    case 0...0xFF: power = 0
    case 0...0xFFFF: power = 1
    case 0...0xFFFF_FFFF: power = 2
    default: power = 3
    }
    bytes.append(0x10 | power)
    append(UInt64(bitPattern: value), 1 << power, to: &bytes)
  }

  private static func appendMarker(_ marker: UInt8, _ count: Int, to bytes: inout [UInt8]) {
    if count < 15 {
      bytes.append(marker | UInt8(count))
    } else {
      bytes.append(marker | 15)
      appendInteger(Int64(count), to: &bytes)
    }
  }

  private static func append(_ value: UInt64, _ size: UInt8, to bytes: inout [UInt8]) {
    for shift in stride(from: Int(size) * 8 - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}
