import Holdfast

/// Bytes on their way out: grows, is emptied and reused.
///
/// Not thread-safe.
final class OutputBuffer {
  private var start: UnsafeMutableRawPointer
  private var capacity: Int
  private(set) var count = 0

  init(capacity: Int = 4096) {
    self.capacity = capacity
    start = .allocate(byteCount: capacity, alignment: 16)
  }

  deinit { start.deallocate() }

  /// What was appended; valid until the next change.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Forgets everything past `count`.
  func truncate(to count: Int) { self.count = count }

  /// Forgets everything and gives large memory back.
  func removeAll() {
    count = 0
    guard capacity > 1 << 20 else { return }
    start.deallocate()
    capacity = 4096
    start = .allocate(byteCount: capacity, alignment: 16)
  }

  @inline(__always)
  private func reserve(_ more: Int) {
    if count + more > capacity { grow(count + more) }
  }

  @inline(never)
  private func grow(_ needed: Int) {
    let larger = max(needed, capacity * 2)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
    fresh.copyMemory(from: start, byteCount: count)
    start.deallocate()
    start = fresh
    capacity = larger
  }

  @inline(__always)
  func append(_ byte: UInt8) {
    reserve(1)
    start.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
  }

  func append(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + count).copyMemory(from: base, byteCount: bytes.count)
    count += bytes.count
  }

  func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { append($0) } }

  func append(_ literal: StaticString) {
    append(UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  func append(_ text: String) {
    var copy = text
    copy.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  /// Appends the low `size` bytes of an integer, most significant first.
  func appendBigEndian(_ value: UInt64, size: Int) {
    for place in stride(from: size - 1, through: 0, by: -1) {
      append(UInt8(truncatingIfNeeded: value >> UInt64(place * 8)))
    }
  }

  /// Appends an integer in decimal.
  func appendInteger(_ value: Int64) {
    reserve(20)
    if value < 0 { append(0x2D) }
    var magnitude = value.magnitude
    var digits = 1
    var bound: UInt64 = 10
    while digits < 19, magnitude >= bound {
      digits += 1
      bound &*= 10
    }
    var place = count + digits
    count = place
    repeat {
      place -= 1
      start.storeBytes(
        of: 0x30 + UInt8(truncatingIfNeeded: magnitude % 10),
        toByteOffset: place,
        as: UInt8.self
      )
      magnitude /= 10
    } while magnitude > 0
  }

  /// Appends a finite real as the shortest decimal text that reads back the same.
  func appendReal(_ value: Double) { append(value.description) }
}
