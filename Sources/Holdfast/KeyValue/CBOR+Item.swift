extension CBOR {
  /// A whole CBOR item in memory, for the catalog: small, and read once per schema change.
  enum Item {
    case unsigned(UInt64)
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([Item])
    case map([(key: Item, value: Item)])
    case bool(Bool)
    case null
    case double(Double)

    /// Creates an integer item.
    init(_ value: Int64) {
      self = value >= 0 ? .unsigned(UInt64(value)) : .negative(UInt64(bitPattern: ~value))
    }

    /// The integer, if it is one and fits.
    var integer: Int64? {
      switch self {
      case .unsigned(let value): Int64(exactly: value)
      case .negative(let value): value >> 63 == 0 ? Int64(bitPattern: ~value) : nil
      default: nil
      }
    }

    /// The text, if it is one.
    var text: String? {
      if case .text(let text) = self { text } else { nil }
    }

    /// The truth value, if it is one.
    var bool: Bool? {
      if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements, if it is an array.
    var array: [Item]? {
      if case .array(let items) = self { items } else { nil }
    }

    /// The value for a text key of a map, if it is a map and has one.
    subscript(_ key: String) -> Item? {
      guard case .map(let entries) = self else { return nil }
      return entries.first { $0.key.text == key }?.value
    }
  }

  /// The deepest nesting that is read.
  private static let maximumDepth = 16

  /// Reads one item that fills `bytes`; nil if they are anything else.
  ///
  /// Memory stays in proportion to the number of bytes, whatever they claim.
  static func item(_ bytes: UnsafeRawBufferPointer) -> Item? {
    guard var position = bytes.baseAddress else { return nil }
    let end = position + bytes.count
    guard let item = item(&position, end, depth: 0), position == end else { return nil }
    return item
  }

  private static func item(
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer,
    depth: Int
  ) -> Item? {
    guard depth < maximumDepth, position < end else { return nil }
    let initial = position.load(as: UInt8.self)
    position += 1
    switch initial & 0xE0 {
    case Major.unsigned: return argument(initial, &position, end).map { .unsigned($0) }
    case Major.negative: return argument(initial, &position, end).map { .negative($0) }
    case Major.bytes: return run(initial, &position, end).map { .bytes(Array($0)) }
    case Major.text:
      guard let bytes = run(initial, &position, end) else { return nil }
      return Bytes.text(bytes).map { .text($0) }
    case Major.array: return array(initial, &position, end, depth: depth)
    case Major.map: return map(initial, &position, end, depth: depth)
    default: return simple(initial, &position, end)
    }
  }

  private static func array(
    _ initial: UInt8,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer,
    depth: Int
  ) -> Item? {
    guard let count = argument(initial, &position, end), count <= UInt64(end - position) else {
      return nil
    }
    var items: [Item] = []
    for _ in 0..<count {
      guard let item = item(&position, end, depth: depth + 1) else { return nil }
      items.append(item)
    }
    return .array(items)
  }

  private static func map(
    _ initial: UInt8,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer,
    depth: Int
  ) -> Item? {
    guard let count = argument(initial, &position, end), count <= UInt64(end - position) else {
      return nil
    }
    var entries: [(key: Item, value: Item)] = []
    for _ in 0..<count {
      guard let key = item(&position, end, depth: depth + 1),
        let value = item(&position, end, depth: depth + 1)
      else { return nil }
      entries.append((key, value))
    }
    return .map(entries)
  }

  private static func run(
    _ initial: UInt8,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer
  ) -> UnsafeRawBufferPointer? {
    guard let length = argument(initial, &position, end), length <= UInt64(end - position) else {
      return nil
    }
    defer { position += Int(length) }
    return UnsafeRawBufferPointer(start: position, count: Int(length))
  }

  private static func simple(
    _ initial: UInt8,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer
  ) -> Item? {
    switch initial {
    case false8: return .bool(false)
    case true8: return .bool(true)
    case null: return .null
    case double:
      guard end - position >= 8 else { return nil }
      let bits = UInt64(bigEndian: position.loadUnaligned(as: UInt64.self))
      position += 8
      return .double(Double(bitPattern: bits))
    default: return nil
    }
  }
}

extension ByteBuffer {
  /// Appends a CBOR item.
  func append(_ item: CBOR.Item) {
    switch item {
    case .unsigned(let value): appendCBOR(CBOR.Major.unsigned, value)
    case .negative(let value): appendCBOR(CBOR.Major.negative, value)
    case .bytes(let bytes): bytes.withUnsafeBytes { appendCBOR(bytes: $0) }
    case .text(var text):
      text.withUTF8 {
        appendCBOR(CBOR.Major.text, UInt64($0.count))
        append(UnsafeRawBufferPointer($0))
      }
    case .array(let items):
      appendCBOR(CBOR.Major.array, UInt64(items.count))
      for item in items { append(item) }
    case .map(let entries):
      appendCBOR(CBOR.Major.map, UInt64(entries.count))
      for entry in entries {
        append(entry.key)
        append(entry.value)
      }
    case .bool(let bool): append(bool ? CBOR.true8 : CBOR.false8)
    case .null: append(CBOR.null)
    case .double(let value):
      append(CBOR.double)
      appendBigEndian(value.bitPattern, length: 8)
    }
  }
}
