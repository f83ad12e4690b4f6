import Foundation

/// Decodes models straight from rows: no dictionary and no intermediate value.
///
/// Keys are expected in stored order and looked up otherwise. One decoder serves all rows of an
/// operation. Not thread-safe.
final class RowDecoder: Decoder {
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  let layout: RowLayout
  /// Whether an optional property that is no field is an error, rather than nil.
  var isStrict = false
  // Only this decoder's own calls touch these, one at a time; the checks would cost more than they do.
  @exclusivity(unchecked) private var slots: UnsafePointer<RowView.Slot>
  @exclusivity(unchecked) private var slotCount = 0
  @exclusivity(unchecked) private var next = 0
  private lazy var json = NestedJSON()
  private lazy var paddedRow = RowBuffer()

  /// One slot that is never read nor written.
  private nonisolated(unsafe) static let noSlot = {
    let slot = UnsafeMutablePointer<RowView.Slot>.allocate(capacity: 1)
    slot.initialize(to: .null)
    return UnsafePointer(slot)
  }()

  init(_ layout: RowLayout) {
    self.layout = layout
    slots = Self.noSlot
  }

  /// Memory for a model, while none is in it, and whose.
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var memoryType: ObjectIdentifier?

  deinit { memory?.deallocate() }

  /// Takes memory for a model; give it back empty.
  private func takeMemory<M>(for type: M.Type) -> UnsafeMutableRawPointer {
    if let taken = memory, memoryType == ObjectIdentifier(type) {
      memory = nil
      return taken
    }
    return .allocate(byteCount: MemoryLayout<M>.size, alignment: MemoryLayout<M>.alignment)
  }

  /// Takes memory back, for the next model of the same type.
  private func giveBack<M>(_ taken: UnsafeMutableRawPointer, _ type: M.Type) {
    memory?.deallocate()
    memory = taken
    memoryType = ObjectIdentifier(type)
  }

  /// The row that is being decoded; what owns its memory is held by ``decode(_:from:)``.
  @inline(__always)
  var row: RowView { RowView(slots: slots, count: slotCount) }

  /// The model that a row holds.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` for a stored value of another type than declared,
  ///   ``StorageError/Code/typeMismatch`` for one that the model has no room for; what the model's
  ///   own decoding throws.
  func decode<M: Decodable>(_ type: M.Type, from row: RowView) throws -> M {
    // Not a temporary allocation, whose generic result costs a look-up of its type for each row.
    let taken = takeMemory(for: type)
    defer { giveBack(taken, type) }
    let memory = taken.assumingMemoryBound(to: type)
    try decode(type, from: row, into: memory)
    return memory.move()
  }

  /// Initializes memory with the model that a row holds.
  ///
  /// - Throws: as ``decode(_:from:)``; then the memory holds nothing.
  func decode<M: Decodable>(
    _ type: M.Type,
    from row: RowView,
    into memory: UnsafeMutablePointer<M>
  ) throws {
    guard row.count == layout.count else {
      if let padded = padded(row) { return try decode(type, from: padded, into: memory) }
      throw StorageError(
        .corrupt,
        "a stored record of \(layout.collection) has \(row.count) fields, not \(layout.count)"
      )
    }
    slots = row.slots
    slotCount = row.count
    next = 0
    // A decoder that the model kept must not reach the row when it is gone.
    defer {
      slots = Self.noSlot
      slotCount = 0
      withExtendedLifetime(row) {}
    }
    if layout.direct == ObjectIdentifier(type) {
      return try assemble(layout.properties, into: UnsafeMutableRawPointer(memory))
    }
    do {
      memory.initialize(to: try M(from: self))
    } catch let error as DecodingError {
      throw StorageError(
        .typeMismatch,
        "\(layout.describe(max(next - 1, 0))) holds a value that \(M.self) does not take",
        underlying: error
      )
    }
  }

  /// One field of a row.
  ///
  /// - Throws: as ``decode(_:from:)``.
  func decode<T: Decodable>(_ type: T.Type, at position: Int, of row: RowView) throws -> T {
    if row.count < layout.count, let padded = padded(row) {
      return try decode(type, at: position, of: padded)
    }
    slots = row.slots
    slotCount = row.count
    defer {
      slots = Self.noSlot
      slotCount = 0
      withExtendedLifetime(row) {}
    }
    return try value(type, position)
  }

  /// A row with the fields that it lacks; nil if it lacks others.
  private func padded(_ row: RowView) -> RowView? {
    guard let absent = layout.absent, row.count + absent.values.count == layout.count else {
      return nil
    }
    paddedRow.reset(count: layout.count)
    for position in 0..<row.count { paddedRow.setSlot(position, row.slots[position]) }
    for (offset, value) in absent.values.enumerated() { paddedRow.set(row.count + offset, value) }
    return paddedRow.view
  }

  @inline(__always)
  func find(_ name: String) -> Int? {
    guard let position = layout.position(name, next: next), position < row.count else {
      return nil
    }
    next = position + 1
    return position
  }

  /// The field of a key that must be there.
  @inline(__always)
  func position(_ name: String) throws -> Int {
    guard let position = find(name) else { throw layout.missing(name) }
    return position
  }

  /// The field of a key if it is there and not null.
  @inline(__always)
  func present(_ name: String) throws -> Int? {
    guard let position = find(name) else {
      if isStrict { throw layout.missing(name) }
      return nil
    }
    return row.isNull(position) ? nil : position
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowDecodingContainer<Key>(decoder: self))
  }
  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw refusal("an unkeyed container")
  }
  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw refusal("a single value container")
  }

  func refusal(_ what: String) -> StorageError {
    StorageError(
      .typeMismatch,
      "a record of \(layout.collection) decodes with \(what); "
        + "a model must be a keyed container of fields"
    )
  }

  // MARK: Values

  func wrongKind(_ position: Int, _ expected: ValueKind) -> StorageError {
    if row.isNull(position) {
      return StorageError(
        .typeMismatch,
        "\(layout.describe(position)) is null, but the model's property needs a value"
      )
    }
    if row.kind(position) != layout.types[position].storedKind ?? row.kind(position) {
      return StorageError(
        .corrupt,
        "\(layout.describe(position)) holds \(row.kind(position)), not \(layout.types[position])"
      )
    }
    return StorageError(
      .typeMismatch,
      "\(layout.describe(position)) is \(layout.types[position]), "
        + "but the model's property takes \(expected)"
    )
  }

  @inline(__always)
  func check(_ position: Int, _ kind: ValueKind) throws {
    if row.kind(position) != kind { throw wrongKind(position, kind) }
  }

  func integer<I: FixedWidthInteger>(_ position: Int, _ type: I.Type) throws -> I {
    try check(position, .integer)
    guard let integer = I(exactly: row.integer(position)) else {
      throw StorageError(
        .typeMismatch,
        "\(layout.describe(position)) holds an integer that \(I.self) does not take"
      )
    }
    return integer
  }
  func bool(_ position: Int) throws -> Bool {
    try check(position, .integer)
    switch row.integer(position) {
    case 0: return false
    case 1: return true
    default:
      throw StorageError(.corrupt, "\(layout.describe(position)) holds neither true nor false")
    }
  }
  func double(_ position: Int) throws -> Double {
    try check(position, .real)
    return row.real(position)
  }
  func float(_ position: Int) throws -> Float {
    let double = try double(position)
    let float = Float(double)
    guard Double(float) == double else {
      throw StorageError(
        .typeMismatch,
        "\(layout.describe(position)) holds a real that Float cannot hold exactly"
      )
    }
    return float
  }
  func string(_ position: Int) throws -> String {
    try check(position, .text)
    guard let text = Bytes.text(row.bytes(position)) else {
      throw StorageError(.corrupt, "\(layout.describe(position)) holds text that is not UTF-8")
    }
    return text
  }
  func date(_ position: Int) throws -> Date {
    try check(position, .text)
    guard let date = DateCoding.decode(utf8: row.bytes(position)) else {
      throw StorageError(.corrupt, "\(layout.describe(position)) holds no RFC 3339 date")
    }
    return date
  }

  /// Decodes a value whose type is known only at run time.
  func value<T: Decodable>(_ type: T.Type, _ position: Int) throws -> T {
    // Comparing types is much cheaper than a dynamic cast, and proves the bit casts right.
    if T.self == Date.self { return unsafeBitCast(try date(position), to: type) }
    if T.self == UUID.self { return try uuid(type, position) }
    if T.self == Data.self {
      try check(position, .blob)
      return unsafeBitCast(Data(row.bytes(position)), to: type)
    }
    if T.self == [UInt8].self {
      try check(position, .blob)
      return unsafeBitCast(Array(row.bytes(position)), to: type)
    }
    if T.self == String.self { return unsafeBitCast(try string(position), to: type) }
    if T.self == Decimal.self || T.self == URL.self || T.self == Duration.self {
      return try spelled(type, position)
    }
    if layout.types[position] == .json {
      return try json(type, position)
    }
    do {
      return try T(from: FieldDecoder(decoder: self, position: position))
    } catch let error as DecodingError {
      throw unsuitable(type, position, error)
    }
  }

  private func unsuitable(_ type: Any.Type, _ position: Int, _ error: (any Error)?)
    -> StorageError
  {
    StorageError(
      .typeMismatch,
      "\(layout.describe(position)) holds a value that \(type) does not take",
      underlying: error
    )
  }

  private func uuid<T>(_ type: T.Type, _ position: Int) throws -> T {
    try check(position, .blob)
    let bytes = row.bytes(position)
    guard bytes.count == 16 else {
      throw StorageError(
        .corrupt,
        "\(layout.describe(position)) holds \(bytes.count) bytes, not a UUID"
      )
    }
    return unsafeBitCast(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)), to: type)
  }

  private func spelled<T>(_ type: T.Type, _ position: Int) throws -> T {
    let text = try string(position)
    let value: Any? =
      if T.self == Decimal.self {
        DecimalCoding.canonical(text) == nil ? nil : Decimal(string: text)
      } else if T.self == URL.self {
        URL(string: text)
      } else {
        LeafType.duration(text)
      }
    guard let value = value as? T else { throw unsuitable(type, position, nil) }
    return value
  }

  private func json<T: Decodable>(_ type: T.Type, _ position: Int) throws -> T {
    let null: StaticString = "null"
    let bytes: UnsafeRawBufferPointer
    if row.isNull(position) {
      bytes = UnsafeRawBufferPointer(start: null.utf8Start, count: null.utf8CodeUnitCount)
    } else {
      try check(position, .text)
      bytes = row.bytes(position)
    }
    do {
      return try json.decode(type, from: bytes)
    } catch let error as DecodingError {
      throw unsuitable(type, position, error)
    }
  }
}
