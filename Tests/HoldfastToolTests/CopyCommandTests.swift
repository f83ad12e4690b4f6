import Foundation
import Testing

/// `convert`, `diff`, `verify`, `backup`, `restore` and `compact`.
@Suite struct CopyCommandTests {
  @Test(arguments: SampleStore.backends, SampleStore.backends)
  func `a store converts to every backend, and nothing differs`(from: String, to: String)
    async throws
  {
    let store = try await SampleStore(from)
    try await store.succeed("delete", "city", "4")
    let result = try await store.tool.run("convert", store.url, "\(to):copy", "--verify")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "")
    #expect(result.errors == "converted 3 records to \(to):copy\n")
    let same = try await store.tool.run("diff", "store", "copy")
    #expect(same.status == 0 && same.output == "", "\(same)")
    for command in ["schema", "collections"] {
      let copied = try await store.tool.run(command, "--storage", "\(to):copy")
      #expect(try await store.succeed(command) == copied.output)
    }
    let next = try await store.tool.run(
      arguments: ["insert", "city", #"{"name": "Next"}"#, "--storage", "\(to):copy"]
    )
    #expect(next.output == "5\n", "the counter went over")
    #expect(try store.tool.names() == ["copy", "schema.json", "store"])
  }

  @Test(arguments: SampleStore.backends)
  func `values that a unique index finds equal leave no copy, and name the index`(to: String)
    async throws
  {
    let store = try await SampleStore("sqlite")
    // Only somebody who takes the index away can put them there.
    try ForeignSample.make(
      "store",
      in: store.tool,
      "DROP INDEX city_by_name_index; UPDATE city SET name = 'Bern'"
    )
    let result = try await store.tool.run("convert", "store", "\(to):copy")
    #expect(result.status == 1 && result.errors.contains("by_name"), "\(result)")
    #expect(result.errors.filter(\.isNewline).count == 1)
    #expect(try !store.tool.names().contains { $0.hasPrefix("copy") })
  }

  @Test(arguments: SampleStore.backends)
  func `a destination that is taken, or belongs to the source, is refused`(backend: String)
    async throws
  {
    let store = try await SampleStore(backend)
    let other = backend == "sqlite" ? "lmdb:other" : "sqlite:other"
    #expect(try await store.tool.run("convert", "store", other).status == 0)
    try store.tool.write("letter", "not a store")
    try FileManager.default.createSymbolicLink(
      atPath: store.tool.folder.appendingPathComponent("link").path,
      withDestinationPath: "store"
    )
    try FileManager.default.createDirectory(
      at: store.tool.folder.appendingPathComponent("full/inside"),
      withIntermediateDirectories: true
    )
    let before = try await store.tool.run("query", "city", "--storage", other).output
    for (destination, status) in [
      (other, 1), ("\(backend):store", 1), ("\(backend):./store/", 1), ("\(backend):link", 1),
      ("sqlite:store/inside", 1), ("lmdb:store/inside", 1), ("lmdb:letter", 1), ("sqlite:full", 1),
      ("lmdb:full", 1), ("json:full", 1), ("lmdb:no/such/folder", 1), ("elsewhere", 2),
      ("redis:x", 2), ("\(other)?readonly=1", 1), ("lmdb:new?create=0", 1),
    ] as [(String, Int32)] {
      let result = try await store.tool.run("convert", "store", destination)
      #expect(result.status == status, "\(destination): \(result)")
      #expect(result.output == "" && result.errors.filter(\.isNewline).count == 1)
    }
    #expect(try await store.tool.run("query", "city", "--storage", other).output == before)
    #expect(
      try store.tool.names() == ["full", "letter", "link", "other", "schema.json", "store"]
    )
    #expect(try await store.tool.run("convert", "letter", "lmdb:new").status == 1)
    #expect(try await store.tool.run("convert", "none", "lmdb:new").status == 1)
    #expect(!store.tool.exists("new"))
  }

  @Test(arguments: SampleStore.backends)
  func `an empty file, folder or store is filled`(backend: String) async throws {
    let store = try await SampleStore("json")
    if backend == "sqlite" {
      try store.tool.write("copy", "")
    } else {
      try FileManager.default.createDirectory(
        at: store.tool.folder.appendingPathComponent("copy"),
        withIntermediateDirectories: false
      )
    }
    let first = try await store.tool.run("convert", "store", "\(backend):copy")
    #expect(first.status == 0, "\(first.errors)")
    #expect(try await store.tool.run("diff", "store", "copy").status == 0)
    try store.tool.write("none.json", #"{"collections": []}"#)
    let made = try await store.tool.run(
      arguments: ["schema", "apply", "none.json", "--storage", "\(backend):empty"]
    )
    #expect(made.status == 0, "\(made.errors)")
    #expect(try await store.tool.run("convert", "store", "\(backend):empty").status == 0)
    #expect(try await store.tool.run("diff", "store", "empty").status == 0)
  }

  @Test(arguments: SampleStore.backends)
  func `a damaged source leaves no destination, and the old content`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try await store.succeed("backup", "bad")
    try store.tool.damage(
      backend == "sqlite" ? "bad" : backend == "lmdb" ? "bad/data.mdb" : "bad/city.\(backend)"
    )
    let source =
      "\(backend):bad?\(backend == "json" || backend == "plist" ? "edits=refuse&" : "")timeout=1"
    let before = try await store.succeed("query", "city")
    let converted = try await store.tool.run("convert", source, "json:new")
    #expect(converted.status == 1 && converted.errors.filter(\.isNewline).count == 1)
    #expect(!store.tool.exists("new"))
    let error = try await store.fail("restore", source)
    #expect(!error.isEmpty)
    #expect(try await store.succeed("query", "city") == before)
    #expect(try store.tool.names() == ["bad", "schema.json", "store"])
    let verified = try await store.tool.run("verify", "--storage", source)
    #expect(verified.status == 1, "\(verified)")
  }

  @Test(arguments: SampleStore.backends)
  func `a restore puts a backup back, of any backend`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try await store.succeed("backup", "saved")
    let before = try await store.succeed("query", "city", "--format", "jsonl")
    try await store.succeed("delete", "city", "1", "2")
    try await store.succeed("insert", "word", #"{"word": "x", "n": 1}"#)
    let changed = try await store.tool.run("diff", "saved", "store", "--format", "jsonl")
    #expect(changed.status == 1)
    #expect(
      changed.output == """
        {"collection":"city","key":"1","difference":"only in A","fields":null}
        {"collection":"city","key":"2","difference":"only in A","fields":null}
        {"collection":"word","key":"x","difference":"only in B","fields":null}

        """
    )
    try await store.succeed("restore", "saved")
    #expect(try await store.succeed("query", "city", "--format", "jsonl") == before)
    #expect(try await store.tool.run("diff", "saved", "store").status == 0)
    let other = backend == "json" ? "lmdb:other" : "json:other"
    #expect(try await store.tool.run("convert", "saved", other).status == 0)
    try await store.succeed("delete", "city", "3")
    try await store.succeed("restore", other)
    #expect(try await store.tool.run("diff", "saved", "store").status == 0)
    #expect(try await store.tool.run("restore", "saved", "--storage", "lmdb:anew").status == 0)
    #expect(try await store.tool.run("diff", "saved", "anew").status == 0)
    try await store.fail("restore", "store")
    try await store.fail("restore", "nothing")
    try await store.fail("restore", "schema.json")
  }

  @Test(arguments: SampleStore.backends)
  func `a damaged store is not restored over, and says what to do`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try await store.succeed("backup", "saved")
    try store.tool.damage(
      backend == "sqlite" ? "store" : backend == "lmdb" ? "store/data.mdb" : "store/catalog.json"
    )
    let error = try await store.fail("restore", "saved")
    #expect(error.contains("move store away"), "\(error)")
    try FileManager.default.moveItem(
      at: store.tool.folder.appendingPathComponent("store"),
      to: store.tool.folder.appendingPathComponent("damaged")
    )
    try await store.succeed("restore", "saved")
    #expect(try await store.tool.run("diff", "saved", "store").status == 0)
  }

  @Test(arguments: SampleStore.backends)
  func `a backup is refused where something is`(backend: String) async throws {
    let store = try await SampleStore(backend)
    try store.tool.write("taken", "mine")
    for destination in ["taken", "store", "store/inside", "no/such/folder"] {
      try await store.fail("backup", destination)
    }
    let wrong = backend == "sqlite" ? "lmdb:x" : "sqlite:x"
    try await store.fail("backup", wrong, status: 2)
    try await store.succeed("backup", "b")
    try await store.succeed("backup", "\(backend):c")
    #expect(try await store.tool.run("diff", "b", "c").status == 0)
    #expect(try store.tool.read("taken") == "mine")
    #expect(try store.tool.names() == ["b", "c", "schema.json", "store", "taken"])
  }

  @Test(arguments: SampleStore.backends)
  func `a sound store verifies, and compacting loses nothing`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let text = try await store.succeed("verify")
    #expect(text.hasPrefix("engine: ") && text.hasSuffix("\nno faults\n"), "\(text)")
    let json = try await store.succeed("verify", "--format", "json")
    #expect(json.contains(#""backend":"\#(backend)","engine":""#), "\(json)")
    #expect(json.contains(#""faults":[]"#), "\(json)")
    let before = try await store.succeed("query", "city")
    try await store.succeed("compact")
    #expect(try await store.succeed("query", "city") == before)
    for command in ["verify", "compact"] {
      let missing = try await store.tool.run(command, "--storage", "\(backend):none")
      #expect(missing.status == 1 && !store.tool.exists("none"))
    }
  }

  @Test func `no store is made beside the log of another one`() async throws {
    let store = try await SampleStore("sqlite")
    for suffix in ["-wal", "-journal"] {
      try store.tool.write("new\(suffix)", "old pages")
      for command in [
        ["convert", "store", "sqlite:new"], ["restore", "store", "--storage", "sqlite:new"],
      ] {
        let result = try await store.tool.run(arguments: command)
        #expect(result.status == 1 && result.errors.contains("new\(suffix)"), "\(result)")
      }
      #expect(!store.tool.exists("new"))
      #expect(try store.tool.read("new\(suffix)") == "old pages")
      try FileManager.default.removeItem(
        at: store.tool.folder.appendingPathComponent("new\(suffix)")
      )
    }
  }

  @Test func `a private store converts to a private one`() async throws {
    let store = try await SampleStore("sqlite")
    try store.tool.setMode(0o600, "store")
    for backend in SampleStore.backends {
      let result = try await store.tool.run("convert", "store", "\(backend):\(backend)")
      #expect(result.status == 0, "\(result.errors)")
      #expect(try store.tool.mode(backend) & 0o077 == 0)
    }
    #expect(try store.tool.mode("lmdb/data.mdb") == 0o600)
    #expect(try store.tool.mode("json/city.json") == 0o600)
  }

  @Test func `a store in memory converts, and has no backup`() async throws {
    let store = try await SampleStore("sqlite")
    #expect(try await store.tool.run("convert", "store", "memory:").status == 0)
    let backup = try await store.tool.run("backup", "x", "--storage", "memory:")
    #expect(backup.status == 1 && backup.errors.contains("no backup"))
    let verify = try await store.tool.run("verify", "--storage", "memory:")
    #expect(verify.status == 0 && verify.output.hasSuffix("no faults\n"))
  }
}
