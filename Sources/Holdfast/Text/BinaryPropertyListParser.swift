import Foundation

/// Reads the binary property list format from memory; see ``BinaryPropertyListObjects`` for it.
struct BinaryPropertyListParser: ~Copyable {
  private struct Container {
    var isDictionary: Bool
    var references: Int
    var count: Int
    var next = 0
    var isAtValue = false
  }

  private let file: UnsafeRawBufferPointer
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let root: Int
  private let table: Int
  /// Which containers have been met: no file makes one twice, save to take forever.
  private var isMet: [Bool]
  private var open: [Container] = []
  private var hasBegun = false
  private var keys = JSONKeys()
  /// How many more bytes of strings and data may be given: values are shared in honest files too,
  /// but only so often.
  private var budget: Int
  private var position = 0
  private var converted = ByteStack()
  private(set) var bytes = UnsafeRawBufferPointer(start: nil, count: 0)

  init(_ file: UnsafeRawBufferPointer, _ trailer: BinaryPropertyListTrailer) {
    self.file = file
    offsetSize = trailer.offsetSize
    referenceSize = trailer.referenceSize
    count = trailer.count
    root = trailer.root
    table = trailer.table
    isMet = Array(repeating: false, count: trailer.count)
    budget = file.count.multipliedReportingOverflow(by: 256).partialValue + 1 << 24
  }

  /// The place of the current value, for errors.
  var place: String { "byte \(position)" }

  mutating func next() throws(StorageError) -> PropertyListToken {
    guard let last = open.indices.last else {
      if hasBegun { return .end }
      hasBegun = true
      return try object(root)
    }
    if open[last].next == open[last].count {
      let container = open.removeLast()
      if container.isDictionary { keys.close() }
      return container.isDictionary ? .endDictionary : .endArray
    }
    let container = open[last]
    if !container.isDictionary {
      open[last].next += 1
      return try object(reference(container, container.next))
    }
    if container.isAtValue {
      open[last].isAtValue = false
      open[last].next += 1
      return try object(reference(container, container.count + container.next))
    }
    open[last].isAtValue = true
    guard try object(reference(container, container.next)) == .string else {
      throw malformed("a key that is no string")
    }
    guard keys.insert(bytes) else {
      let name = String(decoding: bytes, as: UTF8.self)
      throw malformed("the key \(name.debugDescription) twice in one dictionary")
    }
    return .key
  }

  private func malformed(_ message: String) -> StorageError {
    StorageError(.malformedInput, "not a property list: \(message) at \(place)")
  }

  // MARK: Objects

  private func reference(_ container: Container, _ index: Int) throws(StorageError) -> Int {
    let number = try unsigned(container.references + index * referenceSize, referenceSize)
    guard number < UInt64(count) else { throw malformed("a reference to no object") }
    return Int(number)
  }

  private mutating func object(_ number: Int) throws(StorageError) -> PropertyListToken {
    let offset = try unsigned(table + number * offsetSize, offsetSize)
    guard offset >= 8, offset < UInt64(table) else { throw malformed("an offset out of range") }
    position = Int(offset)
    let marker = file[position]
    let low = marker & 15
    switch marker >> 4 {
    case 0 where marker == 0x08: return .bool(false)
    case 0 where marker == 0x09: return .bool(true)
    case 1: return try integer(position)
    case 2: return .real(try real(low))
    case 3 where low == 3: return try date()
    case 4:
      bytes = try content(low, unit: 1)
      return .data
    case 5:
      let text = try content(low, unit: 1)
      guard text.allSatisfy({ $0 < 0x80 }) else { throw malformed("a string that is not ASCII") }
      bytes = text
      return .string
    case 6:
      try convert(try content(low, unit: 2))
      return .string
    case 0xA: return try open(number, low, isDictionary: false)
    case 0xD: return try open(number, low, isDictionary: true)
    default: throw malformed("a value of a kind that records do not have")
    }
  }

  private func integer(_ place: Int) throws(StorageError) -> PropertyListToken {
    let size = 1 << Int(file[place] & 15)
    switch size {
    case 1, 2, 4: return .integer(Int64(try unsigned(place + 1, size)))
    case 8: return .integer(Int64(bitPattern: try unsigned(place + 1, 8)))
    case 16:
      let high = try unsigned(place + 1, 8)
      let low = try unsigned(place + 9, 8)
      let fits = high == 0 ? low <= UInt64(Int64.max) : high == .max && low > UInt64(Int64.max)
      return fits ? .integer(Int64(bitPattern: low)) : .bigInteger
    default: throw malformed("an integer of \(size) bytes")
    }
  }

  private func real(_ low: UInt8) throws(StorageError) -> Double {
    let value: Double
    switch low {
    case 2: value = Double(Float(bitPattern: UInt32(try unsigned(position + 1, 4))))
    case 3: value = Double(bitPattern: try unsigned(position + 1, 8))
    default: throw malformed("a real that has neither 4 nor 8 bytes")
    }
    guard !value.isNaN else { throw malformed("a real that is not a number") }
    return value == 0 ? 0 : value
  }

  private mutating func date() throws(StorageError) -> PropertyListToken {
    let seconds = Double(bitPattern: try unsigned(position + 1, 8))
    guard let text = DateCoding.encode(Date(timeIntervalSinceReferenceDate: seconds)) else {
      throw malformed("a date outside the years 0000 to 9999")
    }
    converted.truncate(to: 0)
    for byte in text.utf8 { converted.append(byte) }
    bytes = converted.bytes
    return .date
  }

  private mutating func open(
    _ number: Int,
    _ low: UInt8,
    isDictionary: Bool
  ) throws(StorageError) -> PropertyListToken {
    guard !isMet[number] else { throw malformed("a container that is referred to twice") }
    isMet[number] = true
    guard open.count < PropertyListReader.maximumDepth else {
      throw malformed("more than \(PropertyListReader.maximumDepth) levels of nesting")
    }
    let (start, length) = try extent(low, unit: isDictionary ? 2 * referenceSize : referenceSize)
    open.append(Container(isDictionary: isDictionary, references: start, count: length))
    if isDictionary { keys.open() }
    return isDictionary ? .beginDictionary : .beginArray
  }

  // MARK: Bytes

  /// Where the content of the object at the position starts, and how many units it has.
  private func extent(_ low: UInt8, unit: Int) throws(StorageError) -> (start: Int, count: Int) {
    var start = position + 1
    var length = Int(low)
    if low == 15 {
      guard start < table, file[start] >> 4 == 1, file[start] & 15 <= 3,
        case .integer(let value) = try integer(start), value >= 0, value <= file.count
      else { throw malformed("a length that makes no sense") }
      start += 1 + 1 << Int(file[start] & 15)
      length = Int(value)
    }
    let (total, overflows) = length.multipliedReportingOverflow(by: unit)
    guard !overflows, start <= table, total <= table - start else {
      throw malformed("a value that ends after the file")
    }
    return (start, length)
  }

  private mutating func content(_ low: UInt8, unit: Int) throws(StorageError)
    -> UnsafeRawBufferPointer
  {
    let (start, length) = try extent(low, unit: unit)
    budget -= length
    guard budget >= 0 else { throw malformed("values that are shared too often") }
    return UnsafeRawBufferPointer(rebasing: file[start..<start + length * unit])
  }

  private mutating func convert(_ utf16: UnsafeRawBufferPointer) throws(StorageError) {
    converted.truncate(to: 0)
    var index = 0
    while index < utf16.count {
      var scalar = UInt32(utf16[index]) << 8 | UInt32(utf16[index + 1])
      index += 2
      if scalar & 0xF800 == 0xD800 {
        guard scalar < 0xDC00, index < utf16.count else {
          throw malformed("half of a surrogate pair")
        }
        let low = UInt32(utf16[index]) << 8 | UInt32(utf16[index + 1])
        guard low & 0xFC00 == 0xDC00 else { throw malformed("half of a surrogate pair") }
        index += 2
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + (low & 0x3FF)
      }
      converted.append(scalar: scalar)
    }
    bytes = converted.bytes
  }

  private func unsigned(_ start: Int, _ size: Int) throws(StorageError) -> UInt64 {
    guard start >= 0, start <= file.count - 32 - size else {
      throw malformed("a value that ends after the file")
    }
    var value: UInt64 = 0
    for index in start..<start + size { value = value << 8 | UInt64(file[index]) }
    return value
  }
}
