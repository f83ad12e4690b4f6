import Foundation
import Holdfast
import HoldfastBackends
import HoldfastTool
import Synchronization
import Testing

@Suite struct ImportTests {
  @Test func `types are inferred from JSON, text staying text`() throws {
    let store = try ImportSample.store()
    let text = """
      [{"id": 2, "t": "2026-01-31", "r": 1, "b": true, "n": [1], "m": 1, "x": 9007199254740993,
        "big": 9223372036854775808, "mixed": true, "z": null},
       {"id": 1, "t": "004", "r": 1.5, "b": false, "n": {"b": 1, "a": 2}, "m": "one", "x": 0.5,
        "big": 1, "mixed": "a", "o": 1}]
      """
    let result = try ImportSample.create(text, named: "a.json", in: store)
    #expect(result.inserted == 2)
    #expect(
      try ImportSample.fields(store) == [
        "id integer", "t text", "r real", "b bool", "n json", "m any", "x any", "big decimal",
        "mixed json", "z text?", "o integer?",
      ]
    )
    #expect(
      try ImportSample.records(store) == [
        [1, "004", 1.5, false, "{\"a\":2,\"b\":1}", "one", 0.5, "1", "\"a\"", nil, 1],
        [
          2, "2026-01-31", 1.0, true, "[1]", 1, 9_007_199_254_740_993, "9223372036854775808",
          "true", nil, nil,
        ],
      ]
    )
  }

  @Test func `CSV columns are numbers only if all of them are canonical`() throws {
    let store = try ImportSample.store()
    let text = """
      id,zip,price,ratio,flag,code,empty,note
      1,004,1.5,1,true,7,,""
      2,100,1.50,0.25,false,-8,,x
      """
    let result = try ImportSample.create(text, named: "a.csv", in: store)
    #expect(result.inserted == 2)
    #expect(
      try ImportSample.fields(store) == [
        "id integer", "zip text", "price text", "ratio real", "flag text", "code integer",
        "empty text?", "note text",
      ]
    )
    #expect(
      try ImportSample.records(store) == [
        [1, "004", "1.5", 1.0, "true", 7, nil, ""],
        [2, "100", "1.50", 0.25, "false", -8, nil, "x"],
      ]
    )
  }

  @Test func `types are inferred from property lists`() throws {
    let store = try ImportSample.store()
    let text = """
      <?xml version="1.0"?><plist version="1.0"><dict><key>version</key><integer>1</integer>
      <key>rows</key><array><dict><key>id</key><string>a</string><key>d</key><data>AQ==</data>
      <key>w</key><date>2026-01-31T12:00:00Z</date><key>f</key><true/>
      <key>n</key><array><integer>1</integer><string>x</string></array></dict></array>
      </dict></plist>
      """
    _ = try ImportSample.create(text, named: "a.plist", in: store)
    #expect(
      try ImportSample.fields(store) == ["id text", "d blob", "w date", "f bool", "n json"]
    )
    #expect(
      try ImportSample.records(store) == [
        ["a", .blob([1]), "2026-01-31T12:00:00.000000000Z", true, "[1,\"x\"]"]
      ]
    )
  }

  @Test func `without a key an automatic one is added, unless there is an id`() throws {
    let store = try ImportSample.store()
    _ = try ImportSample.create("{\"a\":1}\n{\"a\":2}\n", named: "a.jsonl", in: store)
    #expect(try ImportSample.fields(store) == ["id integer", "a integer"])
    #expect(try ImportSample.records(store) == [[1, 1], [2, 2]])

    let error = ImportSample.error {
      try ImportSample.create("[{\"id\":1.5}]", named: "a.json", in: try ImportSample.store())
    }
    #expect(error?.code == .invalidSchema)
    #expect(error?.message.contains("--key") == true)
  }

  @Test func `a key of several fields is taken`() throws {
    let store = try ImportSample.store()
    let text = "a,b,c\n1,x,1\n1,y,2\n"
    _ = try ImportSample.create(text, named: "a.csv", key: ["b", "a"], in: store)
    #expect(try ImportSample.records(store) == [[1, "x", 1], [1, "y", 2]])
    for key in [["b", "d"], ["c", "n"]] {
      let error = ImportSample.error {
        try ImportSample.create(
          "a,b,c,n\n1,x,1,\n",
          named: "a.csv",
          key: key,
          in: try ImportSample.store()
        )
      }
      #expect(error?.code == .unknownField || error?.code == .invalidSchema)
    }
  }

  @Test func `records are found where they are`() throws {
    let one = "{\"version\": 1, \"users\": [{\"id\": 1}], \"tags\": [1], \"none\": []}"
    let store = try ImportSample.store()
    #expect(try ImportSample.create(one, named: "a.json", in: store).inserted == 1)

    let two = "{\"users\": [{\"id\": 1}], \"groups\": [{\"id\": 1}, {\"id\": 2}]}"
    let error = ImportSample.error {
      try ImportSample.create(two, named: "a.json", in: try ImportSample.store())
    }
    #expect(error?.message.contains("--records: /users, /groups") == true)
    let other = try ImportSample.store()
    #expect(
      try ImportSample.create(two, named: "a.json", records: "/groups", in: other).inserted == 2
    )

    let deep = "{\"a/b\": [[], {\"~\": [{\"id\": 1}]}]}"
    let third = try ImportSample.store()
    #expect(
      try ImportSample.create(deep, named: "a.json", records: "/a~1b/1/~0", in: third).inserted == 1
    )
    for pointer in ["/x", "/a~1b/2", "/a~1b/01", "/a~1b/1/~0/0/id"] {
      let error = ImportSample.error {
        try ImportSample.create(
          deep,
          named: "a.json",
          records: pointer,
          in: try ImportSample.store()
        )
      }
      #expect(error?.code == .malformedInput, "\(pointer)")
    }
    #expect(throws: UsageError.self) { try JSONPointer("a") }
    #expect(throws: UsageError.self) { try JSONPointer("/~2") }
  }

  @Test(arguments: [
    ("[{\"id\":1}]", 1), ("{\"id\":1}\n{\"id\":2}\n", 2), (" {\"rows\":[{\"id\":1}]}", 1),
    (
      "<plist version=\"1.0\"><array><dict><key>id</key><integer>1</integer></dict></array></plist>",
      1
    ),
  ]) func `the format is told by how the file begins`(_ text: String, _ count: Int) throws {
    let store = try ImportSample.store()
    #expect(try ImportSample.create(text, named: "file", in: store).inserted == count)
  }

  static let definition = CollectionDefinition(
    "thing",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("name", .text),
      FieldDefinition("email", .text, optional: true),
    ],
    key: ["id"],
    indexes: [IndexDefinition(["email"], unique: true)]
  )

  @Test func `an import that fails changes nothing`() throws {
    let store = try ImportSample.store(Self.definition)
    _ = try ImportSample.add("{\"id\":1,\"name\":\"a\"}", named: "a.jsonl", in: store)
    let before = try ImportSample.records(store)
    for (lines, place) in [
      ("{\"id\":2,\"name\":\"b\"}\n{\"id\":1,\"name\":\"c\"}", "record 2"),
      ("{\"id\":2,\"name\":\"b\"}\n{\"id\":3}", "record 2"),
      ("{\"id\":2,\"name\":\"b\"}\n{\"id\":3,\"name\":4}", "line 2"),
      ("{\"id\":2,\"name\":\"b\"}\n{\"id\":3,\"nam\":\"c\"}", "line 2"),
      ("{\"id\":2,\"name\":\"b\"}\n{\"id\":3", "line 2"),
      ("{\"id\":2,\"name\":\"b\"}\n[]", "line 2"),
    ] {
      let error = ImportSample.error {
        try ImportSample.add(lines, named: "a.jsonl", in: store)
      }
      #expect(error?.message.contains(place) == true, "\(error?.message ?? "none")")
      #expect(error?.message.contains("\n") == false)
      #expect(try ImportSample.records(store) == before)
    }
    let creating = ImportSample.error {
      try ImportSample.create(
        "[{\"id\":1},{\"id\":1}]",
        named: "a.json",
        in: try ImportSample.store()
      )
    }
    #expect(creating?.code == .duplicateKey)
  }

  @Test func `records that exist are skipped or replaced as asked`() throws {
    let store = try ImportSample.store(Self.definition)
    _ = try ImportSample.add(
      "id,name,email\n1,a,a@x\n2,b,\n",
      named: "a.csv",
      in: store
    )
    let skipped = try ImportSample.add(
      "id,name,email\n1,c,\n3,d,a@x\n4,e,\n",
      named: "a.csv",
      onConflict: .skip,
      in: store
    )
    #expect(skipped.inserted == 1)
    #expect(skipped.skipped == 2)
    let replaced = try ImportSample.add(
      "id,name,email\n1,f,\n5,g,a@x\n",
      named: "a.csv",
      onConflict: .replace,
      in: store
    )
    #expect(replaced.replaced == 1)
    #expect(replaced.inserted == 1)
    #expect(
      try ImportSample.records(store) == [
        [1, "f", nil], [2, "b", nil], [4, "e", nil], [5, "g", "a@x"],
      ]
    )
    let error = ImportSample.error {
      try ImportSample.add(
        "id,name,email\n2,b,a@x\n",
        named: "a.csv",
        onConflict: .replace,
        in: store
      )
    }
    #expect(error?.code == .uniqueViolation)
  }

  @Test func `an import in batches that fails says what stays`() throws {
    let store = try ImportSample.store(Self.definition)
    let lines = (1...5).map { "{\"id\":\($0),\"name\":\"x\"}\n" }.joined()
    try ImportSample.withFile((lines + "{\"id\":3,\"name\":\"y\"}").utf8, named: "a.jsonl") {
      path in
      var job = ImportJob(path: path, into: "thing")
      job.batch = 2
      let error = ImportSample.error { try job.run(on: store) }
      #expect(error?.code == .duplicateKey)
      #expect(error?.message.contains("record 6") == true)
      #expect(
        error?.message.hasSuffix("the first 4 records of the file have been imported") == true
      )
      #expect(try ImportSample.records(store).count == 4)
      job.onConflict = .skip
      let result = try job.run(on: store)
      #expect(result.inserted == 1)
      #expect(result.skipped == 5)
    }
  }

  @Test func `a large file goes into LMDB in batches, and the job says so`() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { _ = Result { try FileManager.default.removeItem(at: folder) } }
    var lines = (1...25_000).map { "{\"id\":\($0),\"name\":\"x\"}\n" }.joined()
    lines += "{\"id\":1,\"name\":\"y\"}\n"
    try ImportSample.withFile(lines.utf8, named: "a.jsonl") { path in
      for (backend, batch, kept) in [("lmdb", nil, 20_000), ("lmdb", 0, 0), ("sqlite", nil, 0)] {
        let url = "\(backend):\(folder.path)/\(backend)-\(kept)?durability=none"
        let store = try Backends.open(url)
        try store.write { try $0.createCollection(Self.definition) }
        let notices = Mutex<[String]>([])
        var job = ImportJob(path: path, into: "thing")
        job.largeSize = 1 << 10
        job.batch = batch
        job.notice = { line in notices.withLock { $0.append(line) } }
        let error = ImportSample.error { try job.run(on: store) }
        #expect(error?.code == .duplicateKey)
        let count = try store.read { try $0.count("thing") }
        #expect(count == kept, "\(backend)")
        #expect(notices.withLock { $0.count } == (kept > 0 ? 1 : 0))
        try store.close()
      }
    }
  }

  @Test func `a collection is made only if asked, and only if there is none`() throws {
    let store = try ImportSample.store(Self.definition)
    let exists = ImportSample.error {
      try ImportSample.create("[{\"id\":1}]", named: "a.json", in: store)
    }
    #expect(exists?.code == .nameConflict)
    let missing = ImportSample.error {
      try ImportSample.add("[{\"id\":1}]", named: "a.json", in: try ImportSample.store())
    }
    #expect(missing?.code == .unknownCollection)
    #expect(missing?.message.contains("--create") == true)
  }

  @Test(arguments: [
    ("a.csv", ""), ("a.csv", "id,id\n1,2\n"), ("a.csv", "id,name\n1\n"),
    ("a.csv", "id,name\n1,2,3\n"),
    ("a.json", ""), ("a.json", "[]"), ("a.json", "[1]"), ("a.json", "[{\"id\":1}] x"),
    ("a.json", "[{\"id\":1}"), ("a.json", "{\"a\":[{\"id\":1}],\"b\":}"), ("a.json", "3"),
    ("a.jsonl", "{\"id\":1} {\"id\":2}"), ("a.jsonl", "{\"id\":1,\"id\":2}"), ("a", "what"),
    ("a.plist", ""), ("a.plist", "bplist00"), ("a.json", "{\"rows\":[]}"),
  ]) func `files that are not well formed are refused`(_ name: String, _ text: String) throws {
    let store = try ImportSample.store()
    let error = ImportSample.error { try ImportSample.create(text, named: name, in: store) }
    #expect(error != nil)
    #expect(try store.read { try $0.catalog.collection(named: "thing") } == nil)
  }

  @Test func `a file that is not there is an error`() throws {
    let store = try ImportSample.store(Self.definition)
    let error = ImportSample.error {
      try ImportJob(path: "/no/such/file.json", into: "thing").run(on: store)
    }
    #expect(error?.code == .cannotOpen)
    let folder = ImportSample.error {
      try ImportJob(path: "/tmp", into: "thing", format: .json).run(on: store)
    }
    #expect(folder?.code == .cannotOpen)
  }
}
