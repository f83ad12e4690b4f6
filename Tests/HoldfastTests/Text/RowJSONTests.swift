import Foundation
import Holdfast
import Testing

@Suite struct RowJSONTests {
  static func collection(
    _ fields: [FieldDefinition],
    key: [String] = ["id"]
  ) throws -> Holdfast.Collection {
    let definition = CollectionDefinition(
      "thing",
      fields: [FieldDefinition("id", .integer)] + fields,
      key: key
    )
    return try Collection(id: 1, definition: definition, physicalName: "thing", indexes: [])
  }

  static func everyType() throws -> Holdfast.Collection {
    try collection(
      FieldType.allCases.map { FieldDefinition("the \($0.rawValue)", $0, optional: true) }
    )
  }

  /// Values for each type that are hard to carry through text.
  static let values: [FieldType: [Value]] = [
    .integer: [0, 1, -1, .integer(.max), .integer(.min), .integer(1 << 53 + 1)],
    .real: [
      0.0, 0.1, 1.0, .real(.infinity), .real(-.infinity), .real(.leastNonzeroMagnitude), 1e300,
      1e16,
    ],
    .text: [
      "", "a", "null", "\u{0}", "é", "e\u{301}", "\r\n", "\"\\/", "\u{fffe}\u{ffff}", "\u{2028}",
      " x ", ",;\"'", "Infinity", "\u{1}\u{7f}",
    ],
    .blob: [.blob([]), .blob([0]), .blob([0, 255]), .blob([1, 2, 3]), .blob(Array(0...255))],
    .bool: [0, 1],
    .date: ["0000-01-01T00:00:00.000000000Z", "9999-12-31T23:59:59.999999999Z"],
    .uuid: [.blob(Array(0...15)), .blob(Array(repeating: 255, count: 16))],
    .decimal: ["1", "-0.1", "12345678901234567890.123456789"],
    .json: [
      "{}", "[]", "null", "1", "1.0", "\"\"", "{\"a\":[1,null]}", "{\"$json\":null}",
      "{\"$json\":1}", "{\"$json\":\"x\"}", "{\"$json\":{\"$json\":null}}", "{\"$json\":{\"a\":1}}",
      "{ }", "not json", "", "{\"$json\":null,\"a\":1}",
    ],
    .any: [
      0, 1.0, .real(.infinity), .real(-.infinity), "Infinity", "", .blob([]), .blob([1]), "{}",
    ],
  ]

  static func roundTrip(
    _ value: Value,
    _ position: Int,
    _ collection: Holdfast.Collection
  ) throws -> Value {
    let row = RowBuffer(count: collection.fields.count)
    row.setInteger(0, 1)
    row.set(position, value)
    var writer = JSONWriter()
    let mapping = RowJSON(collection)
    try mapping.write(row.view, to: &writer)
    let read = RowBuffer()
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = JSONReader(ByteSource(bytes))
      try mapping.read(from: &reader, into: read)
      #expect(try reader.next() == .end)
    }
    return try read.view.value(position)
  }

  @Test(arguments: FieldType.allCases) func `every value comes back the same`(
    _ type: FieldType
  ) throws {
    let collection = try Self.everyType()
    let position = try collection.position(of: "the \(type.rawValue)")
    for value in (Self.values[type] ?? []) + [.null] {
      let read = try Self.roundTrip(value, position, collection)
      #expect(read == value && read.kind == value.kind, "\(value) became \(read)")
    }
  }

  @Test func `rows read naturally`() throws {
    let collection = try Self.everyType()
    let row = RowBuffer(count: collection.fields.count)
    let values: [Value] = [
      1, 2, 0.5, "t", .blob([1, 2]), 1, "2026-01-31T12:00:00.000000000Z", .blob(Array(0...15)),
      "1.5", "{\"a\":1}", .blob([3]),
    ]
    for (index, value) in values.enumerated() { row.set(index, value) }
    var writer = JSONWriter()
    try RowJSON(collection).write(row.view, to: &writer)
    #expect(
      writer.text == """
        {"id":1,"the integer":2,"the real":0.5,"the text":"t","the blob":"AQI=","the bool":true,\
        "the date":"2026-01-31T12:00:00.000000000Z",\
        "the uuid":"00010203-0405-0607-0809-0A0B0C0D0E0F","the decimal":"1.5",\
        "the json":{"a":1},"the any":{"blob":"Aw=="}}
        """
    )
  }

  static func read(
    _ text: String,
    _ collection: Holdfast.Collection,
    usesDefaults: Bool = true
  ) throws -> [Value] {
    let row = RowBuffer()
    let bytes = Array(text.utf8)
    try bytes.withUnsafeBytes { bytes in
      var reader = JSONReader(ByteSource(bytes))
      try RowJSON(collection, usesDefaults: usesDefaults).read(from: &reader, into: row)
    }
    return try row.view.values()
  }

  @Test func `an absent field takes its default, or null`() throws {
    let collection = try Self.collection([
      FieldDefinition("a", .text, optional: true, default: "x"),
      FieldDefinition("b", .text, optional: true),
    ])
    #expect(try Self.read("{\"id\":1}", collection) == [1, "x", nil])
    #expect(try Self.read("{\"id\":1}", collection, usesDefaults: false) == [1, nil, nil])
    #expect(try Self.read("{\"b\":\"y\",\"a\":null,\"id\":1}", collection) == [1, nil, "y"])
  }

  @Test func `people may write dates, numbers and UUIDs their way`() throws {
    let collection = try Self.everyType()
    let values = try Self.read(
      """
      {"id": 1, "the date": "2026-01-31T13:00:00+01:00", "the real": 3, "the decimal": 1.50,
       "the uuid": "00010203-0405-0607-0809-0a0b0c0d0e0f", "the json": { "b" : 1, "a" : 2 }}
      """,
      collection
    )
    let record = Record(collection, values: values)
    #expect(record["the date"] == "2026-01-31T12:00:00.000000000Z")
    #expect(record["the real"]?.kind == .real)
    #expect(record["the decimal"] == "1.5")
    #expect(record["the uuid"] == .blob(Array(0...15)))
    #expect(record["the json"] == "{\"a\":2,\"b\":1}")
  }

  @Test(arguments: [
    ("{\"the integer\":1.0}", StorageError.Code.typeMismatch),
    ("{\"the integer\":\"1\"}", .typeMismatch),
    ("{\"the integer\":9223372036854775808}", .invalidValue),
    ("{\"the text\":1}", .typeMismatch), ("{\"the text\":{}}", .typeMismatch),
    ("{\"the bool\":1}", .typeMismatch), ("{\"the real\":\"NaN\"}", .typeMismatch),
    ("{\"the real\":true}", .typeMismatch), ("{\"the blob\":\"A\"}", .invalidValue),
    ("{\"the blob\":\"AB==\"}", .invalidValue), ("{\"the blob\":\"AQI\"}", .invalidValue),
    ("{\"the blob\":\"A===\"}", .invalidValue), ("{\"the blob\":\"====\"}", .invalidValue),
    ("{\"the blob\":\"AQ I=\"}", .invalidValue), ("{\"the date\":\"yesterday\"}", .invalidValue),
    ("{\"the uuid\":\"x\"}", .invalidValue), ("{\"the decimal\":\"NaN\"}", .invalidValue),
    ("{\"the any\":[]}", .typeMismatch), ("{\"the any\":{}}", .invalidValue),
    ("{\"the any\":{\"blob\":1}}", .invalidValue), ("{\"the any\":true}", .typeMismatch),
    ("{\"nothing\":1}", .unknownField), ("[]", .typeMismatch),
    ("{\"the integer\":1,\"the integer\":1}", .malformedInput),
  ]) func `what does not fit its field is refused`(
    _ text: String,
    _ code: StorageError.Code
  ) throws {
    let collection = try Self.everyType()
    #expect {
      _ = try Self.read(text, collection)
    } throws: { error in
      let error = error as? StorageError
      return error?.code == code && error?.message.contains("line 1") == true
        && error?.message.contains("\n") == false
    }
  }
}
