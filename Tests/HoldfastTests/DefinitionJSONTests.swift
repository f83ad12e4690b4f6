import Foundation
import Holdfast
import Testing

@Suite("Definitions from JSON") struct DefinitionJSONTests {
  private static let defaults: [Value?] = [
    nil, .null, .integer(.min), .integer(.max), .real(-0.1), .real(.infinity),
    .real(.leastNonzeroMagnitude),
    .text("\"é\u{0}\\"), .text(""), .blob([]), .blob([0, 255, 7]),
  ]

  private static var definitions: [CollectionDefinition] {
    var fields = FieldType.allCases.map { FieldDefinition("\($0)", $0, optional: $0 != .integer) }
    for (number, value) in defaults.enumerated() {
      fields.append(FieldDefinition("d\(number) \u{1F95A}", .any, optional: true, default: value))
    }
    return [
      CollectionDefinition("empty", fields: [], key: []),
      CollectionDefinition("einfach", fields: [fields[0]], key: ["integer"], automaticKey: true),
      CollectionDefinition(
        "voll \"/\u{2028}",
        fields: fields,
        key: ["integer", "text"],
        indexes: [IndexDefinition(["real", "date"]), IndexDefinition(["text"], unique: true)],
        references: DeleteRule.allCases.map {
          ReferenceDefinition(["\($0)", "text"], to: "other", onDelete: $0)
        }
      ),
    ]
  }

  private func read(_ text: some Swift.Collection<UInt8>) throws -> CollectionDefinition {
    try CollectionDefinition(json: String(decoding: text, as: UTF8.self))
  }

  @Test("What JSONEncoder writes reads back, as by JSONDecoder", arguments: definitions)
  func roundTrip(_ definition: CollectionDefinition) throws {
    for formatting in [[], [.sortedKeys], [.prettyPrinted]] as [JSONEncoder.OutputFormatting] {
      let encoder = JSONEncoder()
      encoder.outputFormatting = formatting
      let data = try encoder.encode(definition)
      #expect(try read(data) == definition)
      #expect(try JSONDecoder().decode(CollectionDefinition.self, from: data) == definition)
    }
  }

  @Test("Members of later versions are passed over, and old ones may lack references")
  func versions() throws {
    let text = """
      {"later":{"name":[1,{"x":null}]},"name":"a","key":[],"indexes":[],"hasAutomaticKey":false,
      "fields":[{"name":"f","type":"text","isOptional":true,"comment":"none","defaultValue":null}],
      "references":null}
      """
    let expected = CollectionDefinition(
      "a",
      fields: [FieldDefinition("f", .text, optional: true)],
      key: []
    )
    #expect(try read(text.utf8) == expected)
    #expect(try JSONDecoder().decode(CollectionDefinition.self, from: Data(text.utf8)) == expected)
  }

  @Test("Whatever is cut off or left out is an error")
  func damaged() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = Array(try encoder.encode(try #require(Self.definitions.last)))
    for end in bytes.indices {
      // Half a character reads as the mark for one.
      let error = #expect(throws: StorageError.self) { try read(bytes[..<end]) }
      #expect(error?.code == .malformedInput)
    }
    for byte in bytes.indices {
      // May read as another definition; must not crash.
      for other in [0x30, 0x22, 0x7D, 0x2C] as [UInt8] {
        var changed = bytes
        changed[byte] = other
        _ = try? read(changed)
      }
    }
  }

  @Test(
    "What is no definition says what belongs there",
    arguments: [
      "[]", "{}", "null", #"{"name":1}"#, #"{"name":"a","fields":{}}"#,
      #"{"name":"a","fields":[],"key":[1],"hasAutomaticKey":false,"indexes":[]}"#,
      #"{"name":"a","fields":[],"key":[],"hasAutomaticKey":0,"indexes":[]}"#,
      #"{"name":"a","fields":[],"key":[],"hasAutomaticKey":false}"#,
      #"{"name":"a","fields":[{"name":"f","type":"string","isOptional":true}]}"#,
      #"{"fields":[{"name":"f","type":"any","isOptional":true,"defaultValue":{"real":"nan"}}]}"#,
      #"{"fields":[{"name":"f","type":"any","isOptional":true,"defaultValue":{"blob":[256]}}]}"#,
      #"{"fields":[{"name":"f","type":"any","isOptional":true,"defaultValue":{}}]}"#,
      #"{"references":[{"fields":[],"target":"b","onDelete":"forget"}]}"#,
      #"{"indexes":[{"fields":["a"],"name":"i"}]}"#,
    ]
  )
  func mismatches(_ text: String) {
    let error = #expect(throws: StorageError.self) { try read(text.utf8) }
    #expect(error?.code == .typeMismatch)
    #expect(error?.message.contains("a definition") == true)
  }
}
