import Testing

@testable import Holdfast

/// The order-preserving encoding of keys.
struct KeyCodingTests {
  static let integers: [Int64] = [
    .min, .min + 1, -0x1_0000_0001, -0x1_0000_0000, -65537, -65536, -65535, -257, -256, -255, -2,
    -1, 0, 1, 2, 254, 255, 256, 257, 65534, 65535, 65536, 0xFFFF_FFFF, 0x1_0000_0000,
    9_007_199_254_740_993, .max - 1, .max,
  ]
  static let reals: [Double] = [
    -.infinity, -.greatestFiniteMagnitude, -1.5, -1, -.leastNormalMagnitude,
    -.leastNonzeroMagnitude,
    0, .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1 + 0.2, 1, 1.5, .greatestFiniteMagnitude,
    .infinity,
  ]

  static func encode(_ values: [Value]) -> [UInt8] {
    let buffer = ByteBuffer()
    for value in values { KeyCoding.append(value, to: buffer) }
    return Array(buffer.bytes)
  }

  static func encodeSlots(_ values: [Value]) -> [UInt8] {
    let row = RowBuffer(count: values.count)
    for (index, value) in values.enumerated() { row.set(index, value) }
    let buffer = ByteBuffer()
    for index in values.indices { KeyCoding.append(row.view.slots[index], to: buffer) }
    return Array(buffer.bytes)
  }

  static func decode(_ bytes: [UInt8], count: Int) throws -> [Value] {
    let row = RowBuffer()
    try bytes.withUnsafeBytes { try KeyCoding.decode($0, count: count, into: row) }
    return try row.view.values()
  }

  @Test func `the bytes are those of the FoundationDB tuple layer`() {
    #expect(Self.encode([.null]) == [0x00])
    #expect(Self.encode([.blob([0x66, 0, 0x6F])]) == [0x01, 0x66, 0x00, 0xFF, 0x6F, 0x00])
    #expect(
      Self.encode([.text("F\u{d4}O\0bar")])
        == [0x02, 0x46, 0xC3, 0x94, 0x4F, 0x00, 0xFF, 0x62, 0x61, 0x72, 0x00]
    )
    #expect(Self.encode([.integer(-5_551_212)]) == [0x11, 0xAB, 0x4B, 0x93])
    #expect(Self.encode([.integer(0)]) == [0x14])
    #expect(
      Self.encode([.integer(.min)]) == [0x0C, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    )
    #expect(Self.encode([.real(-42)]) == [0x21, 0x3F, 0xBA, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    #expect(Self.encode([.real(-0.0)]) == Self.encode([.real(0)]))
  }

  @Test func `integers and reals at every edge keep their order and come back`() throws {
    let lists = [Self.integers.map { Value.integer($0) }, Self.reals.map { Value.real($0) }]
    for list in lists {
      let encoded = list.map { Self.encode([$0]) }
      for (index, bytes) in encoded.enumerated() {
        #expect(try Self.decode(bytes, count: 1) == [list[index]])
        if index > 0 { #expect(encoded[index - 1].lexicographicallyPrecedes(bytes)) }
      }
    }
  }

  @Test func `random keys sort as their values do and come back`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    for _ in 0..<3000 {
      let kinds = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        ValueKind(rawValue: UInt8.random(in: 1...4, using: &random)) ?? .integer
      }
      let left = Self.values(kinds, using: &random)
      let right =
        Bool.random(using: &random)
        ? Self.values(kinds, using: &random)
        : Self.nearby(left, using: &random)
      let (a, b) = (Self.encode(left), Self.encode(right))
      let order = zip(left, right).lazy.map { Value.compare($0, $1) }.first { $0 != 0 } ?? 0
      #expect(a.lexicographicallyPrecedes(b) == (order < 0), "seed \(seed)")
      #expect((a == b) == (order == 0), "seed \(seed)")
      #expect(a == Self.encodeSlots(left), "seed \(seed)")
      #expect(try Self.decode(a, count: kinds.count) == left, "seed \(seed)")
      let row = RowBuffer(count: left.count)
      for (index, value) in left.enumerated() { row.set(index, value) }
      let length = left.indices.reduce(0) { $0 + KeyCoding.encodedLength(row.view, $1) }
      #expect(length == a.count, "seed \(seed)")
    }
  }

  @Test func `damaged keys are refused and never crash`() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    for _ in 0..<20_000 {
      var bytes: [UInt8]
      if Bool.random(using: &random) {
        bytes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
          Bool.random(using: &random)
            ? UInt8.random(in: 0...255, using: &random)
            : [0x00, 0x01, 0x02, 0x0C, 0x14, 0x1C, 0x21, 0xFF].randomElement(using: &random) ?? 0
        }
      } else {
        let kinds: [ValueKind] = [.text, .integer, .real]
        bytes = Self.encode(Self.values(kinds, using: &random))
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255,
          using: &random
        )
        if Bool.random(using: &random) { bytes.removeLast() }
      }
      let count = Int.random(in: 1...3, using: &random)
      do {
        // What is accepted is in its one valid form.
        let values = try Self.decode(bytes, count: count)
        #expect(Self.encode(values) == bytes, "seed \(seed)")
      } catch {
        #expect((error as? StorageError)?.code == .corrupt, "seed \(seed)")
      }
    }
  }

  static func values(_ kinds: [ValueKind], using random: inout SeededGenerator) -> [Value] {
    kinds.map { kind in
      if Int.random(in: 0..<8, using: &random) == 0 { return .null }
      switch kind {
      case .null: return .null
      case .integer:
        return .integer(
          Int64(truncatingIfNeeded: random.next()) >> Int64.random(in: 0...63, using: &random)
        )
      case .real: return .real(Self.reals.randomElement(using: &random) ?? 0)
      case .text: return .text(Self.text(using: &random))
      case .blob:
        return .blob(
          (0..<Int.random(in: 0...4, using: &random)).map { _ in
            [0, 0, 1, 0xFE, 0xFF].randomElement(using: &random) ?? 0
          }
        )
      }
    }
  }

  private static func nearby(_ values: [Value], using random: inout SeededGenerator) -> [Value] {
    values.map { value in
      if Bool.random(using: &random) { return value }
      switch value {
      case .null: return .null
      case .integer(let integer): return .integer(integer &+ 1)
      case .real(let real): return .real(real.nextUp == 0 ? 0 : real.nextUp)
      case .text(let text):
        return .text(text + ["\0", "a", "\u{7F}"][Int.random(in: 0...2, using: &random)])
      case .blob(let blob): return .blob(blob + [UInt8.random(in: 0...255, using: &random)])
      }
    }
  }

  private static func text(using random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...4, using: &random))
      .map { _ in
        ["\0", "a", "b", "é", "e\u{301}", "\u{FFFF}", "😀"].randomElement(using: &random) ?? ""
      }
      .joined()
  }
}
