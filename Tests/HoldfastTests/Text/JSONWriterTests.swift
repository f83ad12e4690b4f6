import Foundation
import Holdfast
import Testing

@Suite struct JSONWriterTests {
  @Test func `values are written without white space and with commas`() {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("a\"b")
    writer.beginArray()
    for value in [0, 7, -7, 10, -10, 1234, .max, .min] as [Int64] { writer.integer(value) }
    writer.endArray()
    writer.key("b")
    writer.null()
    writer.key("c")
    writer.beginObject()
    writer.endObject()
    writer.key("d")
    writer.bool(true)
    writer.endObject()
    #expect(
      writer.text == """
        {"a\\"b":[0,7,-7,10,-10,1234,9223372036854775807,-9223372036854775808],"b":null,"c":{},"d":true}
        """
    )
  }

  @Test func `only what must be escaped is escaped`() {
    var writer = JSONWriter()
    writer.string("\"\\/\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}é\u{2028}😀")
    #expect(
      writer.text
        == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000\\u001f\u{7f}é\u{2028}😀\""
    )
  }

  @Test func `each place in a word is looked at`() throws {
    // Around the bytes that are escaped, and those that words of eight bytes could take for them.
    let pieces = ["\"", "\\", "\u{1F}", "\u{0}", "!", "#", "[", "]", " ", "\u{A2}", "\u{DC}", "é"]
    for length in 0...17 {
      for place in 0...length {
        for piece in pieces {
          let text =
            String(repeating: "a", count: place) + piece
            + String(repeating: "b", count: length - place)
          var writer = JSONWriter()
          writer.string(text)
          #expect(try JSONDecoder().decode(String.self, from: Data(writer.bytes)) == text)
          let isEscaped = piece.utf8.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
          #expect((writer.bytes.count == text.utf8.count + 2) != isEscaped)
        }
      }
    }
  }

  @Test func `invalid UTF-8 is not written`() {
    var writer = JSONWriter()
    #expect(throws: StorageError.self) {
      try [0xFF].withUnsafeBytes { try writer.string(utf8: $0) }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `every double reads back bit for bit`(
    _ seed: UInt64
  ) throws {
    var generator = SeededGenerator(state: seed)
    var values: [Double] = [
      0, 1, -1, 0.1, 1e22, 1e23, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi,
      0x1p53, 0x1p53 + 2, 0x1p63, .leastNormalMagnitude.nextDown, .leastNormalMagnitude,
    ]
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      if value.isFinite { values.append(value) }
      values.append(Double(Int64.random(in: -1_000_000...1_000_000, using: &generator)) / 100)
    }
    for value in values where value != 0 || value.sign == .plus {
      var writer = JSONWriter()
      writer.real(value)
      let tokens = try TextInput.tokens(writer.bytes)
      #expect(tokens == ["real \(value)"])
      var isSame = false
      try writer.bytes.withUnsafeBytes { bytes in
        var reader = JSONReader(ByteSource(bytes))
        if case .real(let read) = try reader.next() { isSame = read.bitPattern == value.bitPattern }
      }
      #expect(isSame, "\(value)")
    }
  }

  @Test func `numbers of any length are the nearest double`() throws {
    let texts = [
      "9007199254740993.0", "9007199254740992.99999999999999999999", "0.1000000000000000055511151",
      "1.7976931348623157e308", "179769313486231570000000000000000000000e270", "1e-323",
      "2.2250738585072012e-308", "123456789012345678", "12345678901234567890.5", "1e0000000000022",
      "0.000000000000000000000000000001e30", "7.2057594037927933e16",
    ]
    for text in texts {
      var read: Double?
      try Array(text.utf8).withUnsafeBytes { bytes in
        var reader = JSONReader(ByteSource(bytes))
        _ = try reader.next()
        read = try reader.nearestReal()
      }
      #expect(read?.bitPattern == strtod(text, nil).bitPattern, "\(text)")
    }
  }

  @Test(arguments: [
    (" { \"b\" : 1 , \"a\" : [ 1.50 , true ] } ", "{\"a\":[1.5,true],\"b\":1}"),
    ("1e2", "100.0"), ("1.0", "1.0"), ("-0", "0"), ("-0.0", "0.0"), ("\"\\u00e9\\/\"", "\"é/\""),
    (
      "{\"é\":1,\"z\":2,\"\\ud83d\\ude00\":3,\"\\uffee\":4}",
      "{\"z\":2,\"é\":1,\"\u{ffee}\":4,\"😀\":3}"
    ),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("0.123456789012345678910", "0.12345678901234567891"), ("1.00000000000000000000", "1.0"),
    ("-12345678901234567890.50", "-12345678901234567890.5"),
    ("0.30000000000000004", "0.30000000000000004"),
    ("0.1000000000000000000000000000000000000000001", "0.1"),
  ]) func `the canonical form is one`(_ text: String, _ expected: String) {
    #expect(JSON.canonical(text) == expected)
    #expect(JSON.canonical(expected) == expected)
  }

  @Test(arguments: ["", "{\"a\":1,\"a\":1}", "[1", "1 2", "NaN"])
  func `what is not JSON has no canonical form`(_ text: String) {
    #expect(JSON.canonical(text) == nil)
  }
}
