import Testing

@testable import Holdfast

/// The stored form of rows, and of the catalog.
struct RowCodingTests {
  static let types: [FieldType] = [
    .integer, .bool, .real, .text, .blob, .uuid, .date, .any, .decimal, .json,
  ]

  static func encode(_ values: [Value], _ types: [FieldType]) -> [UInt8] {
    let row = RowBuffer(count: values.count)
    for (index, value) in values.enumerated() { row.set(index, value) }
    let buffer = ByteBuffer()
    let shapes = types.map(RowCoding.Shape.init)
    shapes.withUnsafeBufferPointer {
      if let base = $0.baseAddress { RowCoding.append(row.view, base, to: buffer) }
    }
    return Array(buffer.bytes)
  }

  static func decode(_ bytes: [UInt8], _ types: [FieldType]) throws -> [Value]? {
    let shapes = types.map(RowCoding.Shape.init)
    var slots = [RowView.Slot](repeating: .null, count: types.count)
    return try bytes.withUnsafeBytes { bytes in
      try slots.withUnsafeMutableBufferPointer { slots in
        try shapes.withUnsafeBufferPointer { shapes -> [Value]? in
          guard let slots = slots.baseAddress, let shapes = shapes.baseAddress,
            RowCoding.decode(bytes, shapes, count: types.count, into: slots)
          else { return nil }
          return try RowView(slots: slots, count: types.count).values()
        }
      }
    }
  }

  @Test func `a row is a CBOR array as RFC 8949 spells it`() {
    #expect(
      Self.encode(
        [10, 0, 1, -500, 1.5, "é", .blob([1, 2]), nil],
        [.integer, .bool, .bool, .integer, .real, .text, .blob, .text]
      )
        == [
          0x88, 0x0A, 0xF4, 0xF5, 0x39, 0x01, 0xF3, 0xFB, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0, 0x62, 0xC3,
          0xA9, 0x42, 1, 2, 0xF6,
        ]
    )
    #expect(
      Self.encode([.integer(.min)], [.integer])
        == [0x81, 0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    )
    #expect(Self.encode([.real(-0.0)], [.real]) == Self.encode([.real(0)], [.real]))
  }

  @Test func `every value comes back`() throws {
    for integer in KeyCodingTests.integers + [23, 24, -24, -25] {
      let bytes = Self.encode([.integer(integer)], [.integer])
      #expect(try Self.decode(bytes, [.integer]) == [.integer(integer)])
    }
    for real in KeyCodingTests.reals {
      #expect(try Self.decode(Self.encode([.real(real)], [.real]), [.real]) == [.real(real)])
    }
    for length in [0, 1, 23, 24, 255, 256, 65535, 65536, 1_000_000] {
      let row: [Value] = [
        .text(String(repeating: "x", count: length)), .blob([UInt8](repeating: 0, count: length)),
      ]
      #expect(try Self.decode(Self.encode(row, [.text, .blob]), [.text, .blob]) == row)
    }
    let many = (0..<1000).map { Value.integer($0) }
    let types = many.map { _ in FieldType.integer }
    #expect(try Self.decode(Self.encode(many, types), types) == many)
  }

  @Test func `a value of another type than the field's is refused`() throws {
    let samples: [(FieldType, Value)] = [
      (.integer, 1), (.bool, 1), (.real, 1.0), (.text, "1"), (.blob, .blob([1])),
    ]
    for (stored, value) in samples {
      for (read, _) in samples {
        let found = try Self.decode(Self.encode([value], [stored]), [read])
        #expect((found != nil) == (read == stored), "\(stored) as \(read)")
      }
    }
    #expect(try Self.decode(Self.encode([.blob([1, 2])], [.blob]), [.uuid]) == nil)
  }

  @Test func `damaged rows are refused and never crash`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    let good = Self.encode(
      [
        1_000_000, 1, 2.5, "text", .blob([1, 2, 3]), .blob([UInt8](repeating: 7, count: 16)), "d",
        "any", "1", "{}",
      ],
      Self.types
    )
    for round in 0..<30_000 {
      var bytes = good
      switch round % 4 {
      case 0:
        bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        if !bytes.isEmpty { bytes[0] = 0x8A }
      case 1:
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255,
          using: &random
        )
      case 2: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      default:
        // A length that claims far more than there is.
        bytes.replaceSubrange(
          Int.random(in: 1..<bytes.count, using: &random)..<bytes.count,
          with: [0x7B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
        )
      }
      let values: [Value]?
      do { values = try Self.decode(bytes, Self.types) } catch { values = nil }
      if let values { #expect(Self.encode(values, Self.types) == bytes, "seed \(seed)") }
      _ = bytes.withUnsafeBytes { CBOR.item($0) }
      _ = try? bytes.withUnsafeBytes { try CatalogCoding.collection(id: 1, $0) }
    }
  }

  @Test func `a collection's definition comes back from the catalog`() throws {
    var catalog = Catalog(storeID: "s")
    var definition = KeyValueStorageTests.people
    definition.fields.append(FieldDefinition("rank", .integer, default: -7))
    definition.fields.append(FieldDefinition("ratio", .real, optional: true, default: 2.0))
    definition.fields.append(FieldDefinition("raw", .blob, default: .blob([0, 1])))
    definition.fields.append(FieldDefinition("note", .text, optional: true, default: .null))
    let collection = try catalog.add(definition, physicalName: CatalogCoding.physicalName)
    let buffer = ByteBuffer()
    buffer.append(CatalogCoding.item(collection))
    let read = try CatalogCoding.collection(id: collection.id, buffer.bytes)
    #expect(read.definition == definition)
    #expect(read.indexes.map(\.id) == collection.indexes.map(\.id))
    #expect(read.indexes.map(\.physicalName) == ["i2", "i3", "i4"])
    #expect(read.physicalName == "c1")
  }

  @Test func `the hash of long entries is SHA-256`() {
    func prefix(_ text: String) -> (UInt64, UInt64) {
      Array(text.utf8).withUnsafeBytes { SHA256.prefix(of: $0) }
    }
    #expect(prefix("") == (0xe3b0_c442_98fc_1c14, 0x9afb_f4c8_996f_b924))
    #expect(prefix("abc") == (0xba78_16bf_8f01_cfea, 0x4141_40de_5dae_2223))
    #expect(
      prefix("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == (0x248d_6a61_d206_38b8, 0xe5c0_2693_0c3e_6039)
    )
    #expect(
      prefix(String(repeating: "a", count: 1_000_000))
        == (0xcdc7_6e5c_9914_fb92, 0x81a1_c7e2_84d7_3e67)
    )
  }
}
