/// The 64-bit xxHash, for noticing changed files and damaged journal groups; not for cryptography.
///
/// Source: Yann Collet, “xxHash fast digest algorithm”, `doc/xxhash_spec.md`, XXH64 with seed 0.
struct XXHash64 {
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  /// The four accumulators; one by one, since multiplying vectors of 64-bit words is slow.
  private var lanes = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)
  private var total: UInt64 = 0
  /// Bytes that do not fill a stripe of 32 yet.
  private var rest: [UInt8] = []

  /// The hash of some bytes.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = XXHash64()
    let whole = bytes.count & ~31
    hash.absorb(UnsafeRawBufferPointer(rebasing: bytes[..<whole]))
    hash.total = UInt64(bytes.count)
    return hash.finish(UnsafeRawBufferPointer(rebasing: bytes[whole...]))
  }

  /// Takes in more bytes.
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    total &+= UInt64(bytes.count)
    var bytes = bytes[...]
    if !rest.isEmpty {
      let wanted = min(32 - rest.count, bytes.count)
      rest.append(contentsOf: bytes.prefix(wanted))
      bytes = bytes.dropFirst(wanted)
      guard rest.count == 32 else { return }
      rest.withUnsafeBytes { absorb($0) }
      rest.removeAll(keepingCapacity: true)
    }
    let whole = bytes.count & ~31
    absorb(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole)))
    rest.append(contentsOf: bytes.dropFirst(whole))
  }

  private mutating func absorb(_ stripes: UnsafeRawBufferPointer) {
    var lanes = lanes
    var offset = 0
    while offset < stripes.count {
      lanes.0 = Self.round(lanes.0, Self.word(stripes, offset))
      lanes.1 = Self.round(lanes.1, Self.word(stripes, offset + 8))
      lanes.2 = Self.round(lanes.2, Self.word(stripes, offset + 16))
      lanes.3 = Self.round(lanes.3, Self.word(stripes, offset + 24))
      offset += 32
    }
    self.lanes = lanes
  }

  /// The hash of everything taken in so far.
  func finish() -> UInt64 { rest.withUnsafeBytes { finish($0) } }

  /// The hash of everything with these bytes, fewer than 32, as the last ones.
  private func finish(_ rest: UnsafeRawBufferPointer) -> UInt64 {
    var hash: UInt64
    if total >= 32 {
      hash =
        Self.rotate(lanes.0, 1) &+ Self.rotate(lanes.1, 7) &+ Self.rotate(lanes.2, 12)
        &+ Self.rotate(lanes.3, 18)
      hash = Self.merge(hash, lanes.0)
      hash = Self.merge(hash, lanes.1)
      hash = Self.merge(hash, lanes.2)
      hash = Self.merge(hash, lanes.3)
    } else {
      hash = Self.prime5
    }
    hash &+= total
    hash = Self.absorbRest(rest, hash)
    hash = (hash ^ (hash >> 33)) &* Self.prime2
    hash = (hash ^ (hash >> 29)) &* Self.prime3
    return hash ^ (hash >> 32)
  }

  private static func absorbRest(_ bytes: UnsafeRawBufferPointer, _ start: UInt64) -> UInt64 {
    var hash = start
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = rotate(hash ^ round(0, word(bytes, offset)), 27) &* prime1 &+ prime4
      offset += 8
    }
    if offset + 4 <= bytes.count {
      let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
      hash = rotate(hash ^ (UInt64(word) &* prime1), 23) &* prime2 &+ prime3
      offset += 4
    }
    while offset < bytes.count {
      hash = rotate(hash ^ (UInt64(bytes[offset]) &* prime5), 11) &* prime1
      offset += 1
    }
    return hash
  }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  @inline(__always)
  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
    rotate(lane &+ word &* prime2, 31) &* prime1
  }

  @inline(__always)
  private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
    value << count | value >> (64 - count)
  }

  /// A hash as 16 lower-case hexadecimal digits.
  static func text(_ hash: UInt64) -> String {
    var digits: [UInt8] = []
    appendText(hash, to: &digits)
    return String(decoding: digits, as: UTF8.self)
  }

  /// Appends a hash as 16 lower-case hexadecimal digits.
  static func appendText(_ hash: UInt64, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { digits in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: hash >> UInt64(60 - 4 * index)) & 0x0F
        digits[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
      }
      bytes.append(contentsOf: digits)
    }
  }
}
