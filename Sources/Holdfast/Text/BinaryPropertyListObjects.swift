/// The objects of a binary property list that is being written.
///
/// Format: `CFBinaryPList.c` of Core Foundation. An object is a marker byte with its content;
/// containers refer to others by number, here always in four bytes; a table of offsets and a
/// trailer of 32 bytes end the file.
struct BinaryPropertyListObjects {
  /// A container that is open: its keys and values are the last ones, from these places on.
  private struct Container {
    var isDictionary: Bool
    var firstKey: Int
    var firstValue: Int
  }

  /// The length of the header, which the caller writes.
  private static let headerLength: UInt64 = 8
  private static let referenceSize: UInt8 = 4

  private var offsets: [UInt64] = []
  private var position = headerLength
  private var open: [Container] = []
  private var keys: [UInt32] = []
  private var values: [UInt32] = []
  private var keyNumbers: [[UInt8]: UInt32] = [:]
  /// The first keys in the order in which they came, since records tend to repeat it.
  private var recentKeys: [(utf8: [UInt8], number: UInt32)] = []
  private var nextKey = 0
  private var root: UInt32 = 0

  mutating func open(isDictionary: Bool) {
    open.append(
      Container(isDictionary: isDictionary, firstKey: keys.count, firstValue: values.count)
    )
  }

  mutating func close(_ bytes: inout [UInt8]) {
    let container = open.removeLast()
    let start = begin(bytes)
    let count = values.count - container.firstValue
    Self.appendMarker(container.isDictionary ? 0xD0 : 0xA0, count, to: &bytes)
    Self.append(references: keys[container.firstKey...], to: &bytes)
    Self.append(references: values[container.firstValue...], to: &bytes)
    keys.removeLast(keys.count - container.firstKey)
    values.removeLast(count)
    end(start, bytes)
  }

  mutating func key(_ name: UnsafeRawBufferPointer, _ bytes: inout [UInt8]) {
    keys.append(number(ofKey: name, &bytes))
  }

  private mutating func number(
    ofKey name: UnsafeRawBufferPointer,
    _ bytes: inout [UInt8]
  ) -> UInt32 {
    for _ in 0..<2 {
      for index in nextKey..<recentKeys.count where name.elementsEqual(recentKeys[index].utf8) {
        nextKey = index + 1
        return recentKeys[index].number
      }
      nextKey = 0
    }
    let utf8 = Array(name)
    if let number = keyNumbers[utf8] { return number }
    let number = UInt32(offsets.count)
    let start = begin(bytes)
    Self.appendString(name, to: &bytes)
    position += UInt64(bytes.count - start)
    keyNumbers[utf8] = number
    if recentKeys.count < 32 { recentKeys.append((utf8, number)) }
    return number
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

  /// Begins an object; gives where.
  private mutating func begin(_ bytes: [UInt8]) -> Int {
    offsets.append(position)
    return bytes.count
  }

  /// Ends the object that began at `start`: adds it to the innermost container, or as the root.
  private mutating func end(_ start: Int, _ bytes: [UInt8]) {
    position += UInt64(bytes.count - start)
    let number = UInt32(offsets.count - 1)
    if open.isEmpty {
      root = number
    } else {
      values.append(number)
    }
  }

  private mutating func add(_ bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    let start = begin(bytes)
    write(&bytes)
    end(start, bytes)
  }

  private static func appendString(_ utf8: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      appendMarker(0x50, utf8.count, to: &bytes)
      bytes.append(contentsOf: utf8)
      return
    }
    let text = String(decoding: utf8, as: UTF8.self)
    appendMarker(0x60, text.utf16.count, to: &bytes)
    for unit in text.utf16 {
      bytes.append(UInt8(unit >> 8))
      bytes.append(UInt8(unit & 0xFF))
    }
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
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0.suffix(Int(size))) }
  }

  private static func append(references: ArraySlice<UInt32>, to bytes: inout [UInt8]) {
    for number in references {
      withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }
  }
}
