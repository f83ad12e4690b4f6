import Foundation
import Holdfast
import Testing

@Suite struct PropertyListTests {
  static func tokens(_ bytes: [UInt8], chunk: Int? = nil) throws -> [String] {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: bytes)
    var reader: PropertyListReader
    if let chunk {
      reader = PropertyListReader(xml: TextInput.chunked(bytes, chunk: chunk))
    } else {
      reader = try PropertyListReader(UnsafeRawBufferPointer(copy))
    }
    var tokens: [String] = []
    while true {
      switch try reader.next() {
      case .beginDictionary: tokens.append("{")
      case .endDictionary: tokens.append("}")
      case .beginArray: tokens.append("[")
      case .endArray: tokens.append("]")
      case .key: tokens.append("key " + reader.text)
      case .string: tokens.append("string " + reader.text)
      case .data: tokens.append("data \(Array(reader.bytes))")
      case .date: tokens.append("date " + reader.text)
      case .integer(let value): tokens.append("integer \(value)")
      case .bigInteger: tokens.append("big")
      case .real(let value): tokens.append("real \(value)")
      case .bool(let value): tokens.append("\(value)")
      case .end: return tokens
      }
    }
  }

  static func isAccepted(_ bytes: [UInt8], chunk: Int? = nil) -> Bool {
    do {
      _ = try tokens(bytes, chunk: chunk)
      return true
    } catch {
      return false
    }
  }

  static func xml(_ body: String) -> [UInt8] {
    Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(body)</plist>".utf8)
  }

  static let sample = """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/x.dtd">
    <!-- a --- comment -->
    <plist version="1.0">
    <array>
    \t<dict>
    \t\t<key>a&amp;b</key><string> é &lt;&gt;&quot;&apos;&#233;&#x1F600; <![CDATA[<raw>]]]]>\r\nx</string>
    \t\t<key>data</key><data>
    \t\tAQ
    \t\tID
    \t\t</data>
    \t\t<key>n</key><integer> -5 </integer><key>x</key><integer>0x1F</integer>
    \t\t<key>r</key><real>1.5e3</real><key>i</key><real>-infinity</real><key>t</key><true/>
    \t\t<key>f</key><false></false><key>d</key><date>2026-01-31T12:00:00Z</date>
    \t\t<key>e</key><string/><key>z</key><dict/><key>y</key><array/>
    \t\t<key>big</key><integer>9223372036854775808</integer>
    \t</dict>
    </array>
    </plist>

    """

  @Test func `XML reads the same whatever the chunks`() throws {
    let bytes = Array(Self.sample.utf8)
    let expected = [
      "[", "{", "key a&b", "string  é <>\"'é😀 <raw>]]\nx", "key data", "data [1, 2, 3]", "key n",
      "integer -5", "key x", "integer 31", "key r", "real 1500.0", "key i", "real -inf", "key t",
      "true", "key f", "false", "key d", "date 2026-01-31T12:00:00.000000000Z", "key e", "string ",
      "key z", "{", "}", "key y", "[", "]", "key big", "big", "}", "]",
    ]
    #expect(try Self.tokens(bytes) == expected)
    for chunk in 1...16 { #expect(try Self.tokens(bytes, chunk: chunk) == expected) }
  }

  @Test func `XML that is cut off anywhere is an error`() {
    let bytes = Array(Self.sample.utf8)
    for count in 0..<bytes.count - 2 {
      #expect(!Self.isAccepted(Array(bytes[..<count])), "first \(count) bytes")
      #expect(!Self.isAccepted(Array(bytes[..<count]), chunk: 5), "first \(count) bytes")
    }
  }

  @Test(arguments: [
    "<array>", "<dict><key>a</key></dict>", "<dict><string>a</string></dict>", "<key>a</key>",
    "<dict><key>a</key><key>b</key></dict>", "<integer>1.5</integer>", "<integer></integer>",
    "<integer>- 1</integer>", "<integer>0x</integer>", "<real>nan</real>", "<real>1e999</real>",
    "<real></real>", "<real>0x1p3</real>", "<string>&foo;</string>", "<string>&#0;</string>",
    "<string>&#xD800;</string>", "<string>&#xFFFE;</string>", "<string>\u{1}</string>",
    "<string>\u{ffff}</string>", "<data>A</data>", "<data>!!!!</data>", "<date>now</date>",
    "<set/>", "<string><b/></string>", "<true>x</true>", "text", "<array></dict>",
    "<string>a</string><string>b</string>", "",
    "<dict><key>a</key><true/><key>a</key><true/></dict>",
    "<string>a</key>", "<string", "<plist></plist>", "<integer>+-1</integer>",
    "<array><key>a</key></array>",
  ]) func `what is no property list is refused`(_ body: String) {
    #expect(!Self.isAccepted(Self.xml(body)))
    #expect(!Self.isAccepted(Self.xml(body), chunk: 3))
  }

  @Test(arguments: [
    "<array/>", "<plist><array/>", "<plist><array/></plist>x", "<plist/>",
    "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>",
    "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><plist><array/></plist>", "", "bplist00",
    "<plist><string>\u{e9}</string></plist><plist/>",
  ]) func `what is around the list must make sense`(_ text: String) {
    #expect(!Self.isAccepted(Array(text.utf8)))
  }

  @Test func `deep nesting is an error in both formats`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Self.xml(
        String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
      )
    }
    #expect(Self.isAccepted(nested(512)))
    #expect(!Self.isAccepted(nested(513)))
    #expect(!Self.isAccepted(nested(100_000)))
    var writer = PropertyListWriter(.binary)
    for _ in 0..<10_000 { writer.beginArray() }
    for _ in 0..<10_000 { writer.endArray() }
    writer.finish()
    #expect(!Self.isAccepted(writer.bytes))
  }

  @Test func `shared references in a small binary file end at once`() {
    // 30 arrays, each of which holds the next one twice.
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for level in 0..<30 as Range<UInt8> {
      offsets.append(UInt8(bytes.count))
      bytes += level == 29 ? [0xA0] : [0xA2, level + 1, level + 1]
    }
    let table = UInt8(bytes.count)
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    bytes += [0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, table]
    #expect(!Self.isAccepted(bytes))
    // An array that holds itself.
    let cycle =
      Array("bplist00".utf8) + [0xA1, 0, 8, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1]
      + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10]
    #expect(!Self.isAccepted(cycle))
  }

  static func written(_ format: PropertyListWriter.Format) -> [UInt8] {
    var writer = PropertyListWriter(format)
    writer.beginArray()
    for index in 0..<20 as Range<Int64> {
      writer.beginDictionary()
      writer.key("id")
      writer.integer(index * index * index * 1_000_003 - 5)
      writer.key("näme 😀 <&>")
      writer.string("Ünï <&> \"x\" 😀 \(index)")
      writer.key("long")
      writer.string(String(repeating: "x", count: Int(index) * 30))
      writer.key("real")
      writer.real(0.1 * Double(index))
      writer.key("flag")
      writer.bool(index % 2 == 0)
      writer.key("data")
      Array(repeating: UInt8(index), count: Int(index)).withUnsafeBytes { writer.data($0) }
      writer.endDictionary()
    }
    writer.endArray()
    writer.finish()
    return writer.bytes
  }

  @Test(arguments: PropertyListWriter.Format.allCases)
  func `Foundation reads what is written and writes what is read`(
    _ format: PropertyListWriter.Format
  ) throws {
    let bytes = Self.written(format)
    let ours = try Self.tokens(bytes)
    let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
    let records = try #require(list as? [[String: Any]])
    #expect(records.count == 20)
    #expect(records[3]["real"] as? Double == 0.1 * 3)
    #expect(records[3]["näme 😀 <&>"] as? String == "Ünï <&> \"x\" 😀 3")
    let id = try #require(records[19]["id"] as? Int)
    #expect(id == 6_859_020_572)
    for again in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: records,
        format: again,
        options: 0
      )
      let theirs = try Self.tokens(Array(data))
      #expect(theirs.count == ours.count)
      #expect(theirs.sorted() == ours.sorted())
    }
  }

  @Test(arguments: PropertyListWriter.Format.allCases)
  func `files cut off or changed anywhere never crash the reader`(
    _ format: PropertyListWriter.Format
  ) {
    let bytes = Self.written(format)
    for count in stride(from: 0, to: bytes.count - 2, by: 3) {
      #expect(!Self.isAccepted(Array(bytes[..<count])))
    }
    for seed in 1...3 as ClosedRange<UInt64> {
      var generator = SeededGenerator(state: seed)
      for _ in 0..<300 {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          let isNearEnd = Bool.random(using: &generator)
          let place =
            isNearEnd
            ? changed.count - 1 - Int.random(in: 0..<40, using: &generator)
            : Int.random(in: 0..<changed.count, using: &generator)
          changed[place] = UInt8.random(in: 0...255, using: &generator)
        }
        _ = Self.isAccepted(changed)
      }
    }
  }

  @Test(arguments: PropertyListWriter.Format.allCases, FieldType.allCases)
  func `every value comes back the same`(
    _ format: PropertyListWriter.Format,
    _ type: FieldType
  ) throws {
    let collection = try RowJSONTests.everyType()
    let position = try collection.position(of: "the \(type.rawValue)")
    let mapping = RowPropertyList(collection)
    let values = (RowJSONTests.values[type] ?? []) + [.null]
    var writer = PropertyListWriter(format)
    let row = RowBuffer(count: collection.fields.count)
    writer.beginArray()
    for value in values {
      row.setInteger(0, 1)
      row.set(position, value)
      try mapping.write(row.view, to: &writer)
    }
    writer.endArray()
    writer.finish()
    let bytes = writer.bytes
    try bytes.withUnsafeBytes { bytes in
      var reader = try PropertyListReader(bytes)
      #expect(try reader.next() == .beginArray)
      for value in values {
        try mapping.read(from: &reader, into: row)
        let read = try row.view.value(position)
        #expect(read == value && read.kind == value.kind, "\(value) became \(read)")
      }
      #expect(try reader.next() == .endArray)
      #expect(try reader.next() == .end)
    }
  }

  @Test func `reals are exact in XML`() throws {
    var generator = SeededGenerator(state: 7)
    var values: [Double] = [.leastNonzeroMagnitude, .greatestFiniteMagnitude, 0x1p-1022]
    for _ in 0..<5000 {
      let value = Double(bitPattern: generator.next())
      if value.isFinite { values.append(value) }
    }
    var writer = PropertyListWriter(.xml)
    writer.beginArray()
    for value in values { writer.real(value) }
    writer.endArray()
    writer.finish()
    let bytes = writer.bytes
    try bytes.withUnsafeBytes { bytes in
      var reader = try PropertyListReader(bytes)
      _ = try reader.next()
      for value in values {
        let token = try reader.next()
        guard case .real(let read) = token else {
          Issue.record("\(token) is no real")
          return
        }
        #expect(read.bitPattern == value.bitPattern)
      }
    }
  }

  @Test func `a field with a name that XML cannot hold is written all the same`() throws {
    let names = ["\u{fffe}", "\\", "\\uFFFE", "a\\b", "\u{ffff}\\"]
    let collection = try RowJSONTests.collection(
      names.map { FieldDefinition($0, .text, optional: true) }
    )
    let mapping = RowPropertyList(collection)
    let row = RowBuffer(count: names.count + 1)
    row.setInteger(0, 1)
    for index in names.indices { row.setText(index + 1, "\(index)") }
    var writer = PropertyListWriter(.xml)
    try mapping.write(row.view, to: &writer)
    writer.finish()
    let bytes = writer.bytes
    let read = RowBuffer()
    try bytes.withUnsafeBytes { bytes in
      var reader = try PropertyListReader(bytes)
      try mapping.read(from: &reader, into: read)
    }
    #expect(try read.view.values() == row.view.values())
  }

  @Test(arguments: [
    ("<key>the integer</key><string>1</string>", StorageError.Code.typeMismatch),
    ("<key>the integer</key><integer>9223372036854775808</integer>", .invalidValue),
    ("<key>the bool</key><integer>1</integer>", .typeMismatch),
    ("<key>the text</key><data>/w==</data>", .invalidValue),
    ("<key>the uuid</key><string>x</string>", .invalidValue),
    ("<key>the date</key><string>x</string>", .invalidValue),
    ("<key>the any</key><array/>", .typeMismatch), ("<key>the any</key><dict/>", .invalidValue),
    ("<key>nothing</key><true/>", .unknownField),
  ]) func `what does not fit its field is refused`(
    _ member: String,
    _ code: StorageError.Code
  ) throws {
    let collection = try RowJSONTests.everyType()
    let bytes = Self.xml("<dict>\(member)</dict>")
    try bytes.withUnsafeBytes { bytes in
      var reader = try PropertyListReader(bytes)
      var thrown: StorageError.Code?
      do throws(StorageError) {
        try RowPropertyList(collection).read(from: &reader, into: RowBuffer())
      } catch {
        thrown = error.code
      }
      #expect(thrown == code)
    }
  }
}
