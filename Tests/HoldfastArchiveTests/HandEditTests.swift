import Foundation
import Holdfast
import HoldfastArchive
import Testing

/// Runs a Python script with the standard library alone, in the fixture's folder.
func python(_ script: String, _ fixture: ArchiveFixture) throws -> String {
  let interpreter = ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"] ?? "python3"
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [interpreter, "-c", script]
  process.currentDirectoryURL = URL(fileURLWithPath: fixture.path)
  let output = Pipe()
  process.standardOutput = output
  try process.run()
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0)
  return String(decoding: data, as: UTF8.self)
}

@Suite struct HandEditTests {
  private func prepare(
    _ format: ArchiveFormat,
    _ form: StorageOptions.PropertyListFormat? = nil
  ) throws -> ArchiveFixture {
    let fixture = try ArchiveFixture()
    try fixture.with(format, { $0.format = form }) { store in
      try store.write { transaction in
        try transaction.createCollection(people)
        for name in ["a", "b"] { try transaction.insert(["name": .text(name)], into: "people") }
      }
    }
    return fixture
  }

  private func names(_ store: Store) throws -> [Value] {
    try store.read { try $0.fetch(Query("people")).map { $0["name"] ?? nil } }
  }

  @Test("Python reads every value of every file", arguments: RoundTripTests.kinds.indices)
  func pythonReads(_ kind: Int) throws {
    let (format, form) = RoundTripTests.kinds[kind]
    let fixture = try ArchiveFixture()
    let records = awkwardRecords()
    try fixture.with(format, { $0.format = form }) { store in
      try store.write { transaction in
        try transaction.createCollection(everything)
        for record in records { try transaction.insert(record, into: "everything") }
      }
    }
    let load =
      format == .json
      ? "import json; r = json.load(open('everything.json', encoding='utf-8'))"
      : "import plistlib; r = plistlib.load(open('everything.plist', 'rb'))"
    let printed = try python(
      """
      \(load)
      import base64, struct
      def blob(v): return (v if isinstance(v, bytes) else base64.b64decode(v)).hex()
      def text(v): return (v if isinstance(v, bytes) else v.encode()).hex()
      for x in r:
        if 'integer' in x: print(x['id'], 'integer', x['integer'])
        if 'real' in x: print(x['id'], 'real', struct.pack('>d', float(x['real'])).hex())
        if 'text' in x: print(x['id'], 'text', text(x['text']))
        if 'blob' in x: print(x['id'], 'blob', blob(x['blob']))
        if 'bool' in x: print(x['id'], 'bool', x['bool'])
        if 'date' in x: print(x['id'], 'date', x['date'])
        if 'uuid' in x: print(x['id'], 'uuid', x['uuid'].replace('-', '').lower())
        if 'decimal' in x: print(x['id'], 'decimal', x['decimal'])
      """,
      fixture
    )
    func hex(_ bytes: some Sequence<UInt8>) -> String {
      bytes.map { String(format: "%02x", $0) }.joined()
    }
    var expected: Set<String> = []
    for record in records {
      guard case .text(let id)? = record["id"] else { continue }
      for (field, value) in record where field != "id" && field != "any" && field != "json" {
        let shown: String
        switch value {
        case .integer(let value) where field == "bool": shown = value == 1 ? "True" : "False"
        case .integer(let value): shown = String(value)
        case .real(let value):
          let bits = (value == 0 ? 0 : value).bitPattern.bigEndian
          shown = withUnsafeBytes(of: bits) { hex($0) }
        case .text(let value) where field == "text": shown = hex(value.utf8)
        case .text(let value): shown = value
        case .blob(let value): shown = hex(value)
        case .null: continue
        }
        expected.insert("\(id) \(field) \(shown)")
      }
    }
    let found = Set(
      printed.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    )
    let trimmed = Set(expected.map { $0.trimmingCharacters(in: .whitespaces) })
    #expect(found == trimmed)
  }

  @Test(
    "What Python has edited is taken over, and its keys are not used again",
    arguments: RoundTripTests.kinds.indices
  )
  func pythonEdits(_ kind: Int) throws {
    let (format, form) = RoundTripTests.kinds[kind]
    let fixture = try prepare(format, form)
    let edit =
      format == .json
      ? """
      import json
      r = json.load(open('people.json'))
      r.insert(0, {'name': 'z', 'id': 40, 'age': None})
      r[1]['name'] = 'A'
      json.dump(r, open('people.json', 'w'), indent=4)
      """
      : """
      import plistlib
      r = plistlib.load(open('people.plist', 'rb'))
      r.insert(0, {'name': 'z', 'id': 40})
      r[1]['name'] = 'A'
      plistlib.dump(r, open('people.plist', 'wb'), fmt=plistlib.FMT_\(form == .binary ? "BINARY" : "XML"))
      """
    _ = try python(edit, fixture)
    #expect(code { _ = try fixture.open(format) { $0.edits = .refuse } } == .corrupt)
    try fixture.with(format) { store in
      let before = try names(store)
      #expect(before == ["A", "b", "z"])
      let key = try store.write { try $0.insert(["name": "next"], into: "people") }
      #expect(key == 41)
    }
    let after = try fixture.with(format) { try names($0) }
    #expect(after == ["A", "b", "z", "next"])
  }

  @Test("A file edited while commits to it are pending is a conflict, and nothing is lost")
  func conflict() throws {
    let fixture = try prepare(.json)
    let store = try fixture.open()
    try store.write { _ = try $0.insert(["name": "c"], into: "people") }
    let original = try fixture.text("people.json")
    try fixture.write("[{\"id\":1,\"name\":\"edited\"}]", to: "people.json")
    #expect(code { _ = try fixture.open() } == .conflict)
    // The open store notices at its next commit, and when it closes.
    let insert = { try store.write { _ = try $0.insert(["name": "d"], into: "people") } }
    #expect(code(insert) == .conflict)
    #expect(code { try store.close() } == .conflict)
    #expect(try fixture.text("people.json") == "[{\"id\":1,\"name\":\"edited\"}]")
    try fixture.write(original, to: "people.json")
    #expect(try fixture.with { try names($0) } == ["a", "b", "c"])
  }

  @Test("A file that cannot be right is an error that names file, record and field")
  func wrongContents() throws {
    let fixture = try prepare(.json)
    let cases: [(text: String, words: [String])] = [
      ("[{\"id\":1,\"name\":\"a\",\"name\":\"b\"}]", ["record 1", "name"]),
      ("[{\"id\":1,\"name\":\"a\"},{\"id\":1,\"name\":\"b\"}]", ["record 2"]),
      ("[{\"id\":1,\"name\":\"a\"},{\"id\":2,\"name\":\"a\"}]", ["record 2", "name"]),
      ("[{\"id\":1,\"name\":5}]", ["record 1", "name"]),
      ("[{\"id\":1.5,\"name\":\"a\"}]", ["record 1", "id"]),
      ("[{\"id\":99999999999999999999,\"name\":\"a\"}]", ["record 1", "id"]),
      ("[{\"id\":1}]", ["record 1", "name"]),
      ("[{\"name\":\"a\"}]", ["record 1", "id"]),
      ("[{\"id\":1,\"name\":\"a\",\"color\":1}]", ["record 1", "color"]),
      ("[{\"id\":1,\"name\":\"a\"}", ["record 2"]), ("{}", []), ("", []), ("[1]", ["record 1"]),
    ]
    for (text, words) in cases {
      try fixture.write(text, to: "people.json")
      do {
        _ = try fixture.open()
        Issue.record("opened with \(text)")
      } catch let error as StorageError {
        #expect(error.code == .corrupt, "\(text)")
        for word in ["people.json"] + words { #expect(error.message.contains(word), "\(error)") }
      }
      #expect(try fixture.text("people.json") == text)
    }
  }

  @Test("Hostile property lists are errors: deep, shared, with entities, cut anywhere")
  func hostilePropertyLists() throws {
    let fixture = try prepare(.propertyList)
    func refuses(_ data: Data, _ what: String) throws {
      try data.write(to: fixture.url("people.plist"))
      #expect(code { _ = try fixture.open(.propertyList) } == .corrupt, "\(what)")
    }
    let deep = String(repeating: "<array>", count: 100_000)
    try refuses(Data("<plist version=\"1.0\">\(deep)".utf8), "deep")
    let bomb = "<!DOCTYPE plist [<!ENTITY a \"aaaa\">]><plist><array/></plist>"
    try refuses(Data(bomb.utf8), "entities")
    let twice = """
      <plist><array><dict><key>id</key><integer>1</integer><key>id</key><integer>1</integer>
      <key>name</key><string>a</string></dict></array></plist>
      """
    try refuses(Data(twice.utf8), "a key twice")
    let binary = try prepare(.propertyList, .binary)
    let whole = try Data(contentsOf: binary.url("people.plist"))
    for length in 0..<whole.count { try refuses(whole.prefix(length), "cut at \(length)") }
    for offset in 0..<whole.count {
      var flipped = whole
      flipped[offset] ^= 0xFF
      try flipped.write(to: fixture.url("people.plist"))
      // Either it still is a list of people, or it is refused.
      let failed = code { try fixture.open(.propertyList) { $0.isReadOnly = true }.close() }
      #expect(failed == nil || failed == .corrupt, "byte \(offset)")
    }
  }
}
