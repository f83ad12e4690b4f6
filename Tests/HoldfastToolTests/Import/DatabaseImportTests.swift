import Foundation
import Testing

@Suite struct DatabaseImportTests {
  @Test(arguments: SampleStore.backends)
  func `a whole database becomes collections with types, keys, references and indexes`(
    backend: String
  ) async throws {
    let tool = try ToolRunner()
    try ForeignSample.make("shop.db", in: tool, ForeignSample.shop)
    let url = ["--storage", "\(backend):store"]
    let result = try await tool.run(arguments: ["import", "shop.db", "--from", "sqlite"] + url)
    #expect(result.status == 0)
    #expect(result.errors == "imported 16 records into 6 collections\n")
    let collections = try await tool.run(arguments: ["collections", "--format", "jsonl"] + url)
    #expect(collections.output == ForeignSample.shopCollections)
    let schema = try await tool.run(arguments: ["schema"] + url).output
    for (fields, target, rule) in [
      ("ArtistId", "Artist", "restrict"), ("AlbumId", "Album", "setNull"),
      ("PlaylistId", "Playlist", "cascade"), ("TrackId", "Track", "cascade"),
      ("ReportsTo", "Employee", "restrict"),
    ] {
      let line = #"{"fields": ["\#(fields)"], "target": "\#(target)", "onDelete": "\#(rule)"}"#
      #expect(schema.contains(line), "\(line)")
    }
    #expect(
      schema.contains(#"{"name": "Active", "type": "bool", "optional": true, "default": true}"#)
    )
    let rows = try await tool.run(
      arguments: ["query", "Employee", "--format", "jsonl"] + url
    )
    #expect(
      rows.output == """
        {"EmployeeId":1,"LastName":"Adams","ReportsTo":null,"BirthDate":"1962-02-18T00:00:00.000000000Z","Active":true,"Photo":"AP8="}
        {"EmployeeId":2,"LastName":"Edwards","ReportsTo":1,"BirthDate":"1958-12-08T10:30:00.000000000Z","Active":false,"Photo":null}
        {"EmployeeId":3,"LastName":"Peacock","ReportsTo":2,"BirthDate":null,"Active":true,"Photo":""}

        """
    )
    let prices = try await tool.run(
      arguments: ["query", "Track", "--select", "UnitPrice", "--format", "csv"] + url
    )
    #expect(prices.output == "UnitPrice\n0.99\n1.0\n1.99\n")
    let next = try await tool.run(arguments: ["insert", "Playlist", #"{"Name": "New"}"#] + url)
    #expect(next.output == "4\n", "the counter went over")
    #expect(try await tool.run(arguments: ["delete", "Artist", "1"] + url).status == 1)
    let verified = try await tool.run(arguments: ["verify"] + url)
    #expect(verified.status == 0 && verified.output.hasSuffix("no faults\n"))
    let again = try await tool.run(arguments: ["import", "shop.db", "--from", "sqlite"] + url)
    #expect(again.status == 1 && again.errors.contains("already has a collection Artist"))
  }

  @Test(arguments: SampleStore.backends)
  func `odd tables keep every row, and what is left out is named`(backend: String) async throws {
    let tool = try ToolRunner()
    try ForeignSample.make("odd.db", in: tool, ForeignSample.odd)
    let url = ["--storage", "\(backend):store"]
    let result = try await tool.run(arguments: ["import", "odd.db", "--from", "sqlite"] + url)
    #expect(result.status == 0, "\(result.errors)")
    for note in [
      "view seen is left out", "trigger fired is left out",
      "table no_key: it has no primary key, so that its rows get the key id",
      "table no_key: column a holds several kinds of values",
      "table has_rowid: it has no primary key, so that its rows get the key rowid2",
      "table null_key: its primary key has nulls, so that its rows get the key id",
      "table mixed_key: its primary key holds several kinds of values",
      "table mixed_key: the uniqueness of k is left out: column k holds several kinds of values",
      "table long_key: its primary key is too long", "table nocase: its key compares text by bytes",
      "the reference of table nocase_child over k is left out: 1 rows refer to none",
      "table computed: column b is computed there",
      "table computed: the default of column d is computed, and left out",
      "table computed: the default of column f is computed, and left out",
      "the reference of table child over p is left out: 1 rows refer to none",
      "the reference of table child over c is left out: it does not lead to the key of parent",
      "the reference of table child over n is left out: there is no table nowhere",
      "table child: index partial is left out: it covers only some rows",
      "table child: index expression is left out: it is over an expression",
      "table big: column r holds several kinds of values",
      "table big: what it checks of its values is left out",
    ] { #expect(result.errors.contains("import: \(note)"), "\(note)\n\(result.errors)") }
    #expect(result.errors.ranges(of: "what it checks").count == 1)
    #expect(result.errors.hasSuffix("imported 34 records into 17 collections\n"))
    for (collection, rows) in [
      (
        "without_rowid",
        #"[{"k":"","v":2},{"k":"a","v":1},{"k":"b\u0000c","v":null}]"#
      ),
      (
        "no_key",
        #"[{"id":1,"a":1,"b":2.0},{"id":2,"a":null,"b":1.5},{"id":3,"a":"x","b":null},{"id":4,"a":{"blob":"AA=="},"b":3.0}]"#
      ),
      ("has_rowid", #"[{"rowid2":1,"rowid":"r","id":7},{"rowid2":2,"rowid":null,"id":8}]"#),
      ("all_rowids", #"[{"id":1,"rowid":1,"_rowid_":2,"oid":3}]"#),
      ("null_key", #"[{"id":1,"k":null,"v":1},{"id":2,"k":null,"v":2},{"id":3,"k":"a","v":3}]"#),
      ("blob_key", #"[{"k":""},{"k":"AA=="},{"k":"AAA="}]"#),
      (
        "computed",
        #"[{"id":1,"a":1,"b":2,"c":"1x","d":"now","e":"it's","f":2,"g":-1.0},{"id":2,"a":2,"b":4,"c":"2x","d":"now","e":"it's","f":2,"g":-1.0}]"#
      ),
      (
        "big",
        #"[{"i":-9223372036854775808,"r":9007199254740993},{"i":9223372036854775807,"r":0.5}]"#
      ),
      ("../x", #"[{"id":1,"a b":"NUL \u0000 inside","c\"d":1,"select":"Infinity"}]"#),
      ("holdfast_catalog", #"[{"id":3,"journal":"x"}]"#), ("catalog", "[]"),
    ] {
      let printed = try await tool.run(
        arguments: ["query", collection, "--format", "json"] + url
      )
      #expect(printed.output.filter { $0 != "\n" } == rows, "\(collection)")
    }
    let verified = try await tool.run(arguments: ["verify"] + url)
    #expect(verified.status == 0, "\(verified.output)")
  }

  @Test func `the database stays as it was, with a log too`() async throws {
    let tool = try ToolRunner()
    try ForeignSample.make("log.db", in: tool, "PRAGMA journal_mode = WAL;" + ForeignSample.shop)
    let before = try tool.read("log.db")
    let result = try await tool.run("import", "log.db", "--from", "sqlite", "--storage", "json:a")
    #expect(result.status == 0, "\(result.errors)")
    #expect(try tool.read("log.db") == before)
    #expect(try tool.names() == ["a", "log.db"])
  }

  @Test func `text in UTF-16 and every backend give the same store`() async throws {
    let tool = try ToolRunner()
    try ForeignSample.make("shop.db", in: tool, ForeignSample.shop + ForeignSample.odd)
    try ForeignSample.make(
      "wide.db",
      in: tool,
      "PRAGMA encoding = 'UTF-16le';" + ForeignSample.shop + ForeignSample.odd
    )
    for (source, store) in [
      ("shop.db", "sqlite:a"), ("shop.db", "lmdb:b"), ("wide.db", "json:c"), ("wide.db", "plist:d"),
    ] {
      let result = try await tool.run("import", source, "--from", "sqlite", "--storage", store)
      #expect(result.status == 0, "\(result.errors)")
      let difference = try await tool.run("diff", "sqlite:a", store)
      #expect(difference.status == 0, "\(store): \(difference.output)")
    }
  }

  @Test(arguments: SampleStore.backends)
  func `what cannot be imported changes nothing`(backend: String) async throws {
    let store = try await SampleStore(backend)
    let before = try await store.succeed("schema")
    try ForeignSample.make("shop.db", in: store.tool, ForeignSample.shop)
    try ForeignSample.make("cut.db", in: store.tool, ForeignSample.shop + ForeignSample.odd)
    try store.tool.damage("cut.db")
    try ForeignSample.make(
      "latin.db",
      in: store.tool,
      "CREATE TABLE fine (a INTEGER PRIMARY KEY); CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT);"
        + "INSERT INTO t VALUES (1, CAST(x'E9' AS TEXT));"
    )
    try ForeignSample.make(
      "long.db",
      in: store.tool,
      "CREATE TABLE \"\(String(repeating: "x", count: 129))\" (a);"
    )
    try ForeignSample.make(
      "empty.db",
      in: store.tool,
      "CREATE TABLE city (id INTEGER PRIMARY KEY);"
    )
    #expect(try await store.tool.run("convert", "store", "sqlite:ours").status == 0)
    for (file, message) in [
      ("cut.db", "cut.db"), ("latin.db", "column a is not UTF-8"), ("long.db", "128"),
      ("empty.db", "already has a collection city"), ("ours", "a store of Holdfast"),
      ("schema.json", "not a SQLite database"), (".", "not a SQLite database"),
      ("none.db", "there is no database"),
    ] {
      let error = try await store.fail("import", file, "--from", "sqlite")
      #expect(error.contains(message), "\(file): \(error)")
    }
    try await store.fail("import", "shop.db", "--from", "sqlite", "--into", "x", status: 2)
    try await store.fail("import", "shop.db", "--from", "oracle", status: 2)
    try await store.fail("import", "shop.db", "--tables", "Artist", "--into", "x", status: 2)
    try await store.fail("import", "shop.db", "--from", "sqlite", "--tables", "Nobody")
    #expect(try await store.succeed("schema") == before)
    let missing = try await store.tool.run(
      arguments: ["import", "latin.db", "--from", "sqlite", "--storage", "\(backend):new"]
    )
    #expect(missing.status == 1 && !store.tool.exists("new"))
    try await store.succeed("import", "latin.db", "--from", "sqlite", "--tables", "fine")
    try await store.succeed("import", "shop.db", "--from", "sqlite", "--tables", "Artist,Album")
    #expect(try await store.succeed("count", "Album") == "2\n")
  }
}
