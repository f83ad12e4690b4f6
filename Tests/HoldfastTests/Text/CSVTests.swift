import Foundation
import Holdfast
import Testing

@Suite struct CSVTests {
  static func records(_ bytes: [UInt8], chunk: Int? = nil) throws(StorageError) -> [[String?]] {
    var reader = CSVReader(TextInput.chunked(bytes, chunk: chunk ?? 1 << 16))
    var records: [[String?]] = []
    while try reader.next() {
      var record: [String?] = []
      for index in 0..<reader.count {
        record.append(reader.isNull(index) ? nil : reader.text(index))
      }
      records.append(record)
    }
    return records
  }

  @Test(
    arguments: [
      ("", []), ("a", [["a"]]), ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
      ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]), ("a,\n,b", [["a", nil], [nil, "b"]]),
      ("\"\",\n", [["", nil]]), (",", [[nil, nil]]), ("\n\n", [[nil], [nil]]),
      ("\"a,\"\"b\"\"\r\nc\",d", [["a,\"b\"\r\nc", "d"]]), (" a , b ", [[" a ", " b "]]),
      ("\u{feff}a,é😀\n", [["a", "é😀"]]), ("\"\"\"\"", [["\""]]), ("a\u{0}b", [["a\u{0}b"]]),
    ] as [(String, [[String?]])]
  ) func `records are read as RFC 4180 says`(_ text: String, _ expected: [[String?]]) throws {
    let bytes = Array(text.utf8)
    #expect(try Self.records(bytes) == expected)
    for chunk in 1...16 { #expect(try Self.records(bytes, chunk: chunk) == expected) }
  }

  @Test(arguments: [
    "\"", "\"a", "a\"b", "a,b\"", "\"a\"b", "\"a\" ,b", "a\rb", "a\r", "\"a\"\r",
  ]) func `what is not CSV is refused`(_ text: String) {
    for chunk in 1...5 {
      #expect(throws: StorageError.self) { try Self.records(Array(text.utf8), chunk: chunk) }
    }
  }

  @Test func `invalid UTF-8 is refused`() {
    #expect(throws: StorageError.self) { try Self.records([0x61, 0xFF]) }
    #expect(throws: StorageError.self) { try Self.records([0x22, 0xC3, 0x22]) }
  }

  @Test func `errors name the line of the record`() throws {
    let collection = try RowJSONTests.collection([FieldDefinition("n", .integer)])
    var reader = CSVReader(TextInput.chunked(Array("id,n\n\"1\n\",2\n3\n".utf8), chunk: 4))
    _ = try reader.next()
    let mapping = try RowCSV(collection, header: reader)
    _ = try reader.next()
    var messages: [String] = []
    for _ in 0..<2 {
      do throws(StorageError) {
        try mapping.read(from: reader, into: RowBuffer())
      } catch {
        messages.append(error.message)
      }
      _ = try reader.next()
    }
    #expect(
      messages == [
        "field id of thing takes integers of 64 bits at line 2",
        "a record has 1 fields where the header has 2 at line 4",
      ]
    )
  }

  @Test func `a header must name fields, each once`() throws {
    let collection = try RowJSONTests.everyType()
    for header in ["id,id", "id,no such", "id,,the text"] {
      var reader = CSVReader(TextInput.chunked(Array(header.utf8), chunk: 100))
      _ = try reader.next()
      var failed = false
      do throws(StorageError) { _ = try RowCSV(collection, header: reader) } catch { failed = true }
      #expect(failed)
    }
  }

  @Test(arguments: FieldType.allCases) func `every value comes back the same`(
    _ type: FieldType
  ) throws {
    let collection = try RowJSONTests.everyType()
    let position = try collection.position(of: "the \(type.rawValue)")
    let mapping = RowCSV(collection)
    // What is no JSON cannot be in a json column.
    let values =
      (RowJSONTests.values[type] ?? []) + [.null]
      + (type == .any ? ["12", "1.5", "\"a\"", "{\"blob\":\"AQ==\"}", " 1", "null", "-"] : [])
    let usable = values.filter { value in
      guard type == .json, case .text(let text) = value else { return true }
      return JSON.canonical(text) == text
    }
    var writer = CSVWriter()
    mapping.writeHeader(to: &writer)
    let row = RowBuffer(count: collection.fields.count)
    for value in usable {
      row.setInteger(0, 1)
      row.set(position, value)
      try mapping.write(row.view, to: &writer)
    }
    var reader = CSVReader(TextInput.chunked(writer.bytes, chunk: 7))
    #expect(try reader.next())
    let readMapping = try RowCSV(collection, header: reader)
    for value in usable {
      #expect(try reader.next())
      try readMapping.read(from: reader, into: row)
      let read = try row.view.value(position)
      #expect(read == value && read.kind == value.kind, "\(value) became \(read)")
    }
    #expect(try !reader.next())
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func `changed bytes never crash the reader`(
    _ seed: UInt64
  ) {
    var generator = SeededGenerator(state: seed)
    let sample = Array("id,name\r\n1,\"a \"\"b\"\"\n\"\r\n2,é\r\n,\"\"\r\n".utf8)
    let alphabet = Array("\",\r\nx".utf8) + [0xFF, 0xC3, 0]
    for _ in 0..<2000 {
      var bytes = sample
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      let whole = Result { () throws(StorageError) in try Self.records(bytes) }
      let chunk = Int.random(in: 1...16, using: &generator)
      let cut = Result { () throws(StorageError) in try Self.records(bytes, chunk: chunk) }
      switch (whole, cut) {
      case (.success(let a), .success(let b)): #expect(a == b, "seed \(seed)")
      case (.failure(let a), .failure(let b)): #expect(a.message == b.message, "seed \(seed)")
      default: Issue.record("chunks change the outcome; seed \(seed)")
      }
    }
  }
}
