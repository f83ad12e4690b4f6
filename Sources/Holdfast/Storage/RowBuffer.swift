/// An owned, reusable row: slots and the bytes that they point to.
///
/// Encoders fill it field by field and hand its ``view`` to a writer; cursors fill it and hand its
/// view to a reader. Reusing one buffer for many rows allocates nothing. Not thread-safe.
public final class RowBuffer {
  // No call leaves an access to these open while it calls out, so there is nothing to check.
  @exclusivity(unchecked) private var slots: UnsafeMutablePointer<RowView.Slot>
  @exclusivity(unchecked) private var slotCapacity: Int
  /// The bytes of texts and blobs; nil before the first.
  @exclusivity(unchecked) private var bytes: UnsafeMutableRawPointer?
  @exclusivity(unchecked) private var byteCapacity = 0
  @exclusivity(unchecked) private var byteCount = 0
  /// The number of fields.
  @exclusivity(unchecked) public private(set) var count: Int

  /// Creates a buffer of `count` fields, all null.
  public init(count: Int = 0) {
    self.count = count
    slotCapacity = max(count, 8)
    slots = .allocate(capacity: slotCapacity)
    slots.initialize(repeating: .null, count: slotCapacity)
  }

  deinit {
    slots.deallocate()
    bytes?.deallocate()
  }

  /// The row; valid until the buffer is next changed.
  public var view: RowView { RowView(slots: slots, count: count, owner: self) }

  /// Makes the buffer a row of `count` nulls, keeping its memory.
  public func reset(count newCount: Int) {
    if newCount > slotCapacity {
      slots.deallocate()
      slotCapacity = max(newCount, slotCapacity * 2)
      slots = .allocate(capacity: slotCapacity)
    }
    slots.initialize(repeating: .null, count: slotCapacity)
    count = newCount
    byteCount = 0
    if byteCapacity > 1 << 20 {
      bytes?.deallocate()
      byteCapacity = 0
      bytes = nil
    }
  }

  /// Sets field `index` to null.
  public func setNull(_ index: Int) { setSlot(index, .null) }
  /// Sets field `index` to an integer.
  public func setInteger(_ index: Int, _ value: Int64) { setSlot(index, .integer(value)) }
  /// Sets field `index` to a real, −0.0 becoming +0.0.
  ///
  /// NaN is refused later, by the store.
  public func setReal(_ index: Int, _ value: Double) {
    setSlot(index, .real(value == 0 ? 0 : value))
  }
  /// Sets field `index` to a text, copying its UTF-8 bytes.
  public func setText(_ index: Int, _ value: String) {
    let stored: Void? = value.utf8.withContiguousStorageIfAvailable {
      setText(index, UnsafeRawBufferPointer($0))
    }
    if stored == nil {
      var copy = value
      copy.withUTF8 { setText(index, UnsafeRawBufferPointer($0)) }
    }
  }
  /// Sets field `index` to a text, copying `utf8`, which must be valid UTF-8.
  public func setText(_ index: Int, _ utf8: UnsafeRawBufferPointer) {
    setSlot(index, .text(copy(utf8)))
  }
  /// Sets field `index` to a blob, copying `value`.
  public func setBlob(_ index: Int, _ value: UnsafeRawBufferPointer) {
    setSlot(index, .blob(copy(value)))
  }
  /// Sets field `index` to an owned value, copying it.
  public func set(_ index: Int, _ value: Value) {
    switch value {
    case .null: setNull(index)
    case .integer(let value): setInteger(index, value)
    case .real(let value): setReal(index, value)
    case .text(let value): setText(index, value)
    case .blob(let value): value.withUnsafeBytes { setBlob(index, $0) }
    }
  }
  /// Sets field `index` to a slot as it is, without copying: bytes that it points to must outlive
  /// the use of this row.
  ///
  /// For cursors over memory that stays put.
  public func setSlot(_ index: Int, _ slot: RowView.Slot) {
    precondition(index >= 0 && index < count, "field position out of range")
    slots[index] = slot
  }
  /// Makes the buffer an owned copy of `row`.
  public func copy(_ row: RowView) {
    reset(count: row.count)
    for index in 0..<row.count { copyField(index, row.slots[index]) }
  }
  /// Sets field `index` to an owned copy of a slot.
  public func copyField(_ index: Int, _ slot: RowView.Slot) {
    switch slot.kind {
    case .null, .integer, .real: setSlot(index, slot)
    case .text, .blob:
      let bytes = copy(UnsafeRawBufferPointer(start: slot.pointer, count: Int(slot.bits)))
      setSlot(
        index,
        RowView.Slot(kind: slot.kind, bits: slot.bits, pointer: bytes.baseAddress)
      )
    }
  }

  /// Appends bytes to the buffer's own memory, moving earlier slots along when it grows.
  private func copy(_ source: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let needed = byteCount + source.count
    var bytes = bytes
    if bytes == nil || needed > byteCapacity { bytes = grow(to: needed) }
    let start = bytes.unsafelyUnwrapped + byteCount
    if let base = source.baseAddress { start.copyMemory(from: base, byteCount: source.count) }
    byteCount = needed
    return UnsafeRawBufferPointer(start: start, count: source.count)
  }

  private func grow(to needed: Int) -> UnsafeMutableRawPointer {
    let capacity = max(needed, byteCapacity * 2, 256)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 16)
    if let bytes {
      fresh.copyMemory(from: bytes, byteCount: byteCount)
      let old = UnsafeRawPointer(bytes)
      for index in 0..<count {
        if let pointer = slots[index].pointer, pointer >= old, pointer <= old + byteCount {
          slots[index].pointer = UnsafeRawPointer(fresh) + (pointer - old)
        }
      }
      bytes.deallocate()
    }
    bytes = fresh
    byteCapacity = capacity
    return fresh
  }
}
