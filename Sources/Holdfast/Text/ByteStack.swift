/// Bytes that grow at the end and stay where they are until they do.
struct ByteStack: ~Copyable {
  private(set) var base: UnsafeMutablePointer<UInt8>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 64) {
    self.capacity = capacity
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  @inline(__always)
  mutating func append(_ byte: UInt8) {
    if count == capacity { grow(to: count + 1) }
    base[count] = byte
    count += 1
  }

  mutating func append(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    if count + source.count > capacity { grow(to: count + source.count) }
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: source.count)
    count += source.count
  }

  /// Appends a Unicode scalar as UTF-8.
  mutating func append(scalar: UInt32) {
    if scalar < 0x80 {
      append(UInt8(scalar))
      return
    }
    if scalar < 0x800 {
      append(UInt8(0xC0 | scalar >> 6))
    } else {
      if scalar < 0x10000 {
        append(UInt8(0xE0 | scalar >> 12))
      } else {
        append(UInt8(0xF0 | scalar >> 18))
        append(UInt8(0x80 | scalar >> 12 & 0x3F))
      }
      append(UInt8(0x80 | scalar >> 6 & 0x3F))
    }
    append(UInt8(0x80 | scalar & 0x3F))
  }

  /// Shortens to `newCount` bytes.
  mutating func truncate(to newCount: Int) {
    count = newCount
    if newCount == 0, capacity > 1 << 20 {
      base.deallocate()
      capacity = 64
      base = .allocate(capacity: capacity)
    }
  }

  private mutating func grow(to needed: Int) {
    capacity = max(needed, capacity * 2)
    let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    fresh.update(from: base, count: count)
    base.deallocate()
    base = fresh
  }
}
