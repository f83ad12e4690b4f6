import Foundation
import Holdfast
@testable import HoldfastArchive
import Testing

/// The files of collections that are renamed, dropped and created again.
@Suite struct FileNameTests {
  private static let fields = [FieldDefinition("id", .integer)]

  private func define(_ name: String) -> CollectionDefinition {
    CollectionDefinition(name, fields: Self.fields, key: ["id"])
  }

  private func commit(
    _ fixture: ArchiveFixture,
    _ body: @escaping SchemaHistory.Commit
  ) throws -> Set<String> {
    let storage = try fixture.storage()
    try SchemaHistory.commit(storage, body)
    try storage.close()
    let names = try fixture.names()
    #expect(try fixture.content().collections.count == names.count - 3)
    return names.subtracting(["catalog.json", "journal.jsonl", "lock"])
  }

  /// A store with a collection `a`, whose one record has the key 1, in files.
  private func prepare() throws -> ArchiveFixture {
    let fixture = try ArchiveFixture()
    let definition = define("a")
    let names = try commit(fixture) { writer in
      _ = try writer.createCollection(definition)
      try writer.put([1], "a")
    }
    #expect(names == ["a.json"])
    return fixture
  }

  @Test("The file of a renamed collection moves to the new name, its permissions with it")
  func rename() throws {
    let fixture = try prepare()
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o640],
      ofItemAtPath: fixture.url("a.json").path
    )
    #expect(try commit(fixture) { try $0.rename("a", to: "b") } == ["b.json"])
    let attributes = try FileManager.default.attributesOfItem(atPath: fixture.url("b.json").path)
    #expect(attributes[.posixPermissions] as? Int == 0o640)
    #expect(try fixture.content().collections["b"]?.rows == [[1]])
  }

  @Test("A collection that is renamed there and back keeps its file")
  func thereAndBack() throws {
    let fixture = try prepare()
    let names = try commit(fixture) { writer in
      try writer.rename("a", to: "b")
      try writer.rename("b", to: "a")
    }
    #expect(names == ["a.json"])
  }

  @Test("A collection that is renamed to another spelling keeps its file's")
  func spelling() throws {
    let fixture = try prepare()
    #expect(try commit(fixture) { try $0.rename("a", to: "A") } == ["a.json"])
  }

  @Test("A collection takes over the file name of one that was dropped before")
  func successor() throws {
    let fixture = try prepare()
    let definition = define("a")
    let names = try commit(fixture) { writer in
      try writer.dropCollection(try writer.collection("a"))
      _ = try writer.createCollection(definition)
      try writer.put([2], "a")
    }
    #expect(names == ["a.json"])
    #expect(try fixture.content().collections["a"]?.rows == [[2]])
  }

  @Test("A collection that is created under a name just given up has a file of its own")
  func newUnderOldName() throws {
    let fixture = try prepare()
    let definition = define("a")
    let names = try commit(fixture) { writer in
      try writer.rename("a", to: "b")
      _ = try writer.createCollection(definition)
      try writer.put([2], "a")
    }
    #expect(names.count == 2 && names.contains("b.json") && !names.contains("a.json"))
    #expect(try fixture.content().collections["a"]?.rows == [[2]])
    #expect(try fixture.content().collections["b"]?.rows == [[1]])
  }

  @Test("A file that is not the store's is neither overwritten nor removed")
  func foreignFile() throws {
    let fixture = try prepare()
    try fixture.write("mine", to: "b.json")
    let storage = try fixture.storage()
    try SchemaHistory.commit(storage) { try $0.rename("a", to: "b") }
    try storage.close()
    #expect(try fixture.text("b.json") == "mine")
    #expect(try !fixture.names().contains("a.json"))
    #expect(try fixture.content().collections["b"]?.rows == [[1]])
  }

  @Test("An edit by hand of a file whose collection is changed by pending commits is a conflict")
  func conflicts() throws {
    let changes: [(rows: [String: [[Value]]], commit: SchemaHistory.Commit)] = [
      (["b": [[1]]], { try $0.rename("a", to: "b") }),
      ([:], { try $0.dropCollection(try $0.collection("a")) }),
      (
        ["a": [[1, 5]]],
        { writer in
          try writer.redefine("a", rows: [.field(0), .value(5)]) {
            $0.fields.append(FieldDefinition("n", .integer))
          }
        }
      ),
    ]
    for (rows, change) in changes {
      let fixture = try prepare()
      let storage = try fixture.storage()
      try SchemaHistory.commit(storage, change)
      let original = try fixture.text("a.json")
      try fixture.write("[{\"id\":7}]", to: "a.json")
      #expect(code { _ = try fixture.storage() } == .conflict)
      #expect(code { try storage.close() } == .conflict)
      #expect(try fixture.text("a.json") == "[{\"id\":7}]")
      try fixture.write(original, to: "a.json")
      let again = try fixture.storage()
      try again.compact(timeout: .seconds(1))
      try again.close()
      #expect(try fixture.content().collections.mapValues(\.rows) == rows)
    }
  }

  @Test("An edit by hand is taken over while commits change other collections")
  func unrelatedEdit() throws {
    let fixture = try prepare()
    let definition = define("other")
    let storage = try fixture.storage()
    try SchemaHistory.commit(storage) { _ = try $0.createCollection(definition) }
    try SchemaHistory.commit(storage) { try $0.rename("other", to: "else") }
    try fixture.write("[{\"id\":7}]", to: "a.json")
    #expect(try fixture.content().collections["a"]?.rows == [[7]])
    #expect(try fixture.content().collections["else"]?.rows == [])
  }

  @Test("The file of a dropped collection may be missing, that of another one may not")
  func missing() throws {
    let fixture = try prepare()
    let storage = try fixture.storage()
    try SchemaHistory.commit(storage) { try $0.dropCollection(try $0.collection("a")) }
    try FileManager.default.removeItem(at: fixture.url("a.json"))
    #expect(try fixture.content().collections.isEmpty)
    try storage.close()
    let other = try prepare()
    let open = try other.storage()
    try SchemaHistory.commit(open) { try $0.rename("a", to: "b") }
    try FileManager.default.removeItem(at: other.url("a.json"))
    #expect(code { _ = try other.content() } == .corrupt)
  }

  @Test("Catalogs and journals from before there were references and migrations still open")
  func olderFiles() throws {
    let fixture = try prepare()
    let definition = define("b")
    let storage = try fixture.storage()
    try SchemaHistory.commit(storage) { writer in
      _ = try writer.createCollection(definition)
      try writer.put([2], "b")
    }
    let expected = try fixture.content()
    for name in ["catalog.json", "journal.jsonl"] {
      let older = try rewrite(name, fixture) {
        $0.replacingOccurrences(of: ",\"references\":[]", with: "")
      }
      #expect(!older.contains("references") && !older.contains("migrations"))
    }
    #expect(try fixture.content() == expected)
  }

  @Test("A catalog or a journal that means mischief, its checks right, is damaged")
  func forgedFiles() throws {
    let forgeries = [
      ("catalog.json", "\"physicalName\":\"a\"", "\"physicalName\":\"../a\""),
      ("catalog.json", "\"physicalName\":\"a\"", "\"physicalName\":\"lock\""),
      ("catalog.json", "\"physicalName\":\"a\"", "\"physicalName\":\"\""),
      ("journal.jsonl", "\"physicalName\":\"b\"", "\"physicalName\":\"../b\""),
      ("journal.jsonl", "{\"field\":{\"_0\":0}}", "{\"field\":{\"_0\":9}}"),
      ("journal.jsonl", "{\"field\":{\"_0\":0}}", "{\"field\":{\"_0\":-1}}"),
      ("journal.jsonl", "{\"field\":{\"_0\":0}},", ""),
      ("journal.jsonl", "{\"field\":{\"_0\":0}}", "{\"converted\":{\"_0\":0,\"_1\":\"text\"}}"),
    ]
    for (name, old, new) in forgeries {
      let fixture = try prepare()
      let storage = try fixture.storage()
      try SchemaHistory.commit(storage) { writer in
        try writer.rename("a", to: "b")
        try writer.redefine("b", rows: [.field(0), .value(5)]) {
          $0.fields.append(FieldDefinition("n", .integer))
        }
      }
      #expect(try fixture.content().collections["b"]?.rows == [[1, 5]])
      _ = try rewrite(name, fixture) { $0.replacingOccurrences(of: old, with: new) }
      let before = try fixture.contents()
      #expect(code { _ = try fixture.content() } == .corrupt, "\(new)")
      #expect(try fixture.contents() == before)
    }
  }

  /// Changes the lines of a catalog or journal, and makes its checks right again.
  private func rewrite(
    _ name: String,
    _ fixture: ArchiveFixture,
    _ change: (String) -> String
  ) throws -> String {
    var groups: [String] = []
    var group = ""
    for line in try fixture.text(name).split(separator: "\n") {
      group += change(String(line)) + "\n"
      guard let check = group.range(of: ",\"check\":\"") else { continue }
      var covered = Array(group[..<check.lowerBound].utf8)
      if let from = group.range(of: "\"from\":") {
        let start = groups.joined().utf8.count
        let text = group[..<from.upperBound] + "\(start),\"synced\":\(start)"
        covered = Array(text.utf8)
      }
      let hash = covered.withUnsafeBytes { XXHash64.text(XXHash64.hash($0)) }
      groups.append(String(decoding: covered, as: UTF8.self) + ",\"check\":\"\(hash)\"}\n")
      group = ""
    }
    let text = groups.joined()
    #expect(try text != fixture.text(name))
    try fixture.write(text, to: name)
    return text
  }
}
