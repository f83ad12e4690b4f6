/// A key with its value, in one block of memory that never moves and never changes.
final class MemoryEntry: ManagedBuffer<MemoryEntry.Lengths, UInt8> {
  struct Lengths {
    var key: Int
    var value: Int
  }

  /// Copies a key and a value.
  static func make(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> MemoryEntry {
    let made = MemoryEntry.create(minimumCapacity: key.count + value.count) { _ in
      Lengths(key: key.count, value: value.count)
    }
    let entry = unsafeDowncast(made, to: MemoryEntry.self)
    entry.withUnsafeMutablePointerToElements { start in
      let raw = UnsafeMutableRawPointer(start)
      if let base = key.baseAddress { raw.copyMemory(from: base, byteCount: key.count) }
      if let base = value.baseAddress {
        (raw + key.count).copyMemory(from: base, byteCount: value.count)
      }
    }
    return entry
  }

  /// The key's bytes, valid as long as the entry.
  @inline(__always)
  var key: UnsafeRawBufferPointer {
    withUnsafeMutablePointers { UnsafeRawBufferPointer(start: $1, count: $0.pointee.key) }
  }

  /// The value's bytes, valid as long as the entry.
  @inline(__always)
  var value: UnsafeRawBufferPointer {
    withUnsafeMutablePointers {
      UnsafeRawBufferPointer(start: $1 + $0.pointee.key, count: $0.pointee.value)
    }
  }
}

/// A key to look for, with its first eight bytes as a number that sorts alike.
struct MemoryKey {
  let bytes: UnsafeRawBufferPointer
  let prefix: UInt64

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    prefix = Self.prefix(of: bytes)
  }

  /// The first eight bytes, the missing ones as zero.
  ///
  /// Where two keys differ in it, it orders them.
  @inline(__always)
  static func prefix(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
    var prefix: UInt64 = 0
    for byte in bytes { prefix = prefix << 8 | UInt64(byte) }
    return bytes.isEmpty ? 0 : prefix << UInt64(8 * (8 - bytes.count))
  }
}
