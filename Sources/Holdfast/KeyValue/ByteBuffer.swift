/// A growable run of bytes that keeps its memory from use to use.
///
/// Not thread-safe.
package final class ByteBuffer {
  // No call leaves an access to these open while it calls out, so there is nothing to check.
  @exclusivity(unchecked) private var base: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var capacity: Int
  /// How many bytes it holds.
  @exclusivity(unchecked) package private(set) var count = 0

  /// Above this capacity an emptied buffer gives its memory back.
  private static let keptCapacity = 1 << 20

  package init(capacity: Int = 128) {
    self.capacity = max(capacity, 16)
    base = .allocate(byteCount: self.capacity, alignment: 16)
  }

  deinit { base.deallocate() }

  /// The bytes, valid until the buffer is next changed or released.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The bytes from `start` on, valid until the buffer is next changed or released.
  package func bytes(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start...])
  }

  /// The first `length` bytes, valid until the buffer is next changed or released.
  package func bytes(upTo length: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<length])
  }

  /// Empties the buffer.
  @inline(__always)
  package func removeAll() {
    count = 0
    if capacity > Self.keptCapacity { shrink() }
  }

  private func shrink() {
    base.deallocate()
    capacity = 4096
    base = .allocate(byteCount: capacity, alignment: 16)
  }

  /// Appends one byte.
  @inline(__always)
  package func append(_ byte: UInt8) {
    let end = reserve(1)
    end.storeBytes(of: byte, as: UInt8.self)
    count += 1
  }

  /// Appends bytes, which must not be the buffer's own.
  @inline(__always)
  package func append(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress, source.count > 0 else { return }
    let end = reserve(source.count)
    end.copyMemory(from: start, byteCount: source.count)
    count += source.count
  }

  /// Appends the low `length` bytes of `value`, the most significant first.
  @inline(__always)
  package func appendBigEndian(_ value: UInt64, length: Int) {
    let end = reserve(8)
    let shifted = length == 0 ? 0 : value << UInt64(64 - 8 * length)
    end.storeBytes(of: shifted.bigEndian, as: UInt64.self)
    count += length
  }

  /// Makes room for `needed` more bytes.
  ///
  /// - Returns: where they go; follow with ``advance(by:)``.
  @inline(__always)
  package func reserve(_ needed: Int) -> UnsafeMutableRawPointer {
    if count + needed > capacity { grow(to: count + needed) }
    return base + count
  }

  /// Takes in bytes that were stored where ``reserve(_:)`` said.
  @inline(__always)
  package func advance(by length: Int) { count += length }

  @inline(never)
  private func grow(to needed: Int) {
    let newCapacity = max(needed, capacity * 2)
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
    fresh.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = fresh
    capacity = newCapacity
  }
}
