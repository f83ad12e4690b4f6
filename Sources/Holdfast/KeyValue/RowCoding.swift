/// The stored form of a row: a CBOR array of its fields, in field order, key fields included.
///
/// Null is `f6`; integers have major type 0 or 1 in shortest form; `bool` fields are `f4` and `f5`;
/// reals are eight-byte doubles, always; text has major type 3, blobs major type 2.
enum RowCoding {
  /// How a field is stored.
  enum Shape: UInt8 {
    case integer
    case bool
    case real
    case text
    case blob
    case uuid
    case any

    init(_ type: FieldType) {
      switch type {
      case .integer: self = .integer
      case .bool: self = .bool
      case .real: self = .real
      case .text, .date, .decimal, .json: self = .text
      case .blob: self = .blob
      case .uuid: self = .uuid
      case .any: self = .any
      }
    }
  }

  /// Appends a row's stored form.
  ///
  /// The row has as many fields as `shapes`. In the field at `position` the integer is stored instead
  /// of what the row has there, unless `position` is negative.
  static func append(
    _ row: RowView,
    _ shapes: UnsafePointer<Shape>,
    replacing position: Int = -1,
    with integer: Int64 = 0,
    to buffer: ByteBuffer
  ) {
    var room = CBOR.maximumHeadLength * (row.count + 1)
    for index in 0..<row.count {
      let slot = row.slots[index]
      if slot.kind == .text || slot.kind == .blob { room += Int(slot.bits) }
    }
    let start = buffer.reserve(room)
    var end = CBOR.store(CBOR.Major.array, UInt64(row.count), at: start)
    for index in 0..<row.count {
      let slot = index == position ? .integer(integer) : row.slots[index]
      end = store(slot, shapes[index], at: end)
    }
    buffer.advance(by: end - start)
  }

  @inline(__always)
  private static func store(
    _ slot: RowView.Slot,
    _ shape: Shape,
    at end: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    switch slot.kind {
    case .null:
      end.storeBytes(of: CBOR.null, as: UInt8.self)
      return end + 1
    case .integer:
      let value = Int64(bitPattern: slot.bits)
      if shape == .bool {
        end.storeBytes(of: value == 0 ? CBOR.false8 : CBOR.true8, as: UInt8.self)
        return end + 1
      }
      return value >= 0
        ? CBOR.store(CBOR.Major.unsigned, slot.bits, at: end)
        : CBOR.store(CBOR.Major.negative, ~slot.bits, at: end)
    case .real:
      let value = Double(bitPattern: slot.bits)
      end.storeBytes(of: CBOR.double, as: UInt8.self)
      (end + 1).storeBytes(of: (value == 0 ? 0 : slot.bits).bigEndian, as: UInt64.self)
      return end + 9
    case .text, .blob:
      let body = CBOR.store(
        slot.kind == .text ? CBOR.Major.text : CBOR.Major.bytes,
        slot.bits,
        at: end
      )
      if let pointer = slot.pointer { body.copyMemory(from: pointer, byteCount: Int(slot.bits)) }
      return body + Int(slot.bits)
    }
  }

  /// Decodes a stored row into slots that borrow `bytes`.
  ///
  /// - Returns: false if the bytes are anything but `count` values of these shapes; the slots are
  ///   then of no use. Never reads outside `bytes`; allocates nothing.
  static func decode(
    _ bytes: UnsafeRawBufferPointer,
    _ shapes: UnsafePointer<Shape>,
    count: Int,
    into slots: UnsafeMutablePointer<RowView.Slot>
  ) -> Bool {
    guard var position = bytes.baseAddress, bytes.count > 0 else { return false }
    let end = position + bytes.count
    let first = position.load(as: UInt8.self)
    position += 1
    guard first & 0xE0 == CBOR.Major.array,
      let stored = CBOR.argument(first, &position, end), stored == UInt64(count)
    else { return false }
    for index in 0..<count {
      guard let slot = slot(shapes[index], &position, end) else { return false }
      slots[index] = slot
    }
    return position == end
  }

  @inline(__always)
  private static func slot(
    _ shape: Shape,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer
  ) -> RowView.Slot? {
    guard position < end else { return nil }
    let initial = position.load(as: UInt8.self)
    position += 1
    switch initial & 0xE0 {
    case CBOR.Major.text:
      guard shape == .text || shape == .any, let bytes = run(initial, &position, end) else {
        return nil
      }
      return .text(bytes)
    case CBOR.Major.bytes:
      guard shape == .blob || shape == .uuid || shape == .any,
        let bytes = run(initial, &position, end), shape != .uuid || bytes.count == 16
      else { return nil }
      return .blob(bytes)
    case CBOR.Major.unsigned, CBOR.Major.negative:
      guard shape == .integer || shape == .any,
        let argument = CBOR.argument(initial, &position, end), argument >> 63 == 0
      else { return nil }
      return RowView.Slot(
        kind: .integer,
        bits: initial & 0x20 == 0 ? argument : ~argument,
        pointer: nil
      )
    default: return simple(initial, shape, &position, end)
    }
  }

  @inline(__always)
  private static func run(
    _ initial: UInt8,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer
  ) -> UnsafeRawBufferPointer? {
    guard let length = CBOR.argument(initial, &position, end), length <= UInt64(end - position)
    else { return nil }
    defer { position += Int(length) }
    return UnsafeRawBufferPointer(start: position, count: Int(length))
  }

  @inline(__always)
  private static func simple(
    _ initial: UInt8,
    _ shape: Shape,
    _ position: inout UnsafeRawPointer,
    _ end: UnsafeRawPointer
  ) -> RowView.Slot? {
    switch initial {
    case CBOR.null: return .null
    case CBOR.false8, CBOR.true8:
      return shape == .bool ? .integer(Int64(initial & 1)) : nil
    case CBOR.double:
      guard shape == .real || shape == .any, end - position >= 8 else { return nil }
      let bits = UInt64(bigEndian: position.loadUnaligned(as: UInt64.self))
      position += 8
      // NaN and −0.0 are never written.
      guard !Double(bitPattern: bits).isNaN, bits != 1 << 63 else { return nil }
      return RowView.Slot(kind: .real, bits: bits, pointer: nil)
    default: return nil
    }
  }
}
