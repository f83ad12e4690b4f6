import Foundation
import Testing

/// What the tool stored is read by programs that know nothing of Holdfast.
///
/// Uses `sqlite3`, and the Python that `HOLDFAST_PYTHON` names, or `python3`, with the modules `lmdb`
/// and `cbor2`; `make test` installs them.
@Suite struct OtherReaderTests {
  /// Three cities: one updated, one replaced, one as it was inserted; one was removed.
  private func store(_ backend: String, options: String = "") async throws -> SampleStore {
    let store = try await SampleStore(backend, options: options)
    try await store.succeed("update", "city", "1", #"{"area": 219.5}"#)
    let biel = #"{"id": 3, "name": "Biel'; --", "country": "", "seal": "AP8="}"#
    try await store.succeed("put", "city", biel)
    try await store.succeed("delete", "city", "4")
    return store
  }

  private func run(_ program: String, _ arguments: String..., in store: SampleStore) async throws
    -> String
  {
    let output = store.tool.folder.appendingPathComponent("other.out")
    let errors = store.tool.folder.appendingPathComponent("other.err")
    for file in [output, errors] { try Data().write(to: file) }
    let child = ChildProcess(
      path: "/usr/bin/env",
      arguments: [program] + arguments,
      environment: ProcessInfo.processInfo.environment,
      folder: store.tool.folder.path,
      input: "/dev/null",
      output: output.path,
      errors: errors.path
    )
    let status = try await child.run()
    let messages = try store.tool.read("other.err")
    #expect(status == 0, "\(program): \(messages)")
    return try store.tool.read("other.out")
  }

  /// What every reader of the cities prints, a list for each.
  private static let cities = """
    [1, "Amsterdam", "NL", 219.5, true, null, null]
    [2, "北京", "CN", 16410.5, true, null, {"tags": ["b", {"a": 2, "z": 1}]}]
    [3, "Biel'; --", "", null, false, "00ff", null]

    """

  /// Python's end of each script below: prints `rows`, dictionaries by field name.
  private static let show = """
    for row in rows:
        tags = row.get("tags")
        seal = row.get("seal")
        print(json.dumps([
            row["id"], row["name"], row.get("country"), row.get("area"), row["capital"],
            seal and seal.hex(), tags and {"tags": tags}
        ], ensure_ascii=False))
    """

  @Test func `sqlite3 finds real tables under their own names`() async throws {
    let store = try await store("sqlite")
    let schema = try await run("sqlite3", "store", ".schema city", in: store)
    for part in ["\"id\" INTEGER PRIMARY KEY AUTOINCREMENT", "\"area\" REAL", "STRICT", "by_name"] {
      #expect(schema.contains(part), "\(schema)")
    }
    let rows = try await run(
      "sqlite3",
      "store",
      """
      SELECT json_array(id, name, country, area, json(iif(capital, 'true', 'false')),
        lower(hex(seal)), json_object('tags', json(tags))) FROM city ORDER BY id
      """,
      in: store
    )
    #expect(
      rows == """
        [1,"Amsterdam","NL",219.5,true,"",{"tags":null}]
        [2,"北京","CN",16410.5,true,"",{"tags":["b",{"a":2,"z":1}]}]
        [3,"Biel'; --","",null,false,"00ff",{"tags":null}]

        """
    )
    #expect(try await run("sqlite3", "store", "PRAGMA integrity_check", in: store) == "ok\n")
  }

  @Test func `Python reads an LMDB store with lmdb and cbor2 alone`() async throws {
    let store = try await store("lmdb")
    let script = """
      import cbor2, json, lmdb
      env = lmdb.open("store", max_dbs=64, readonly=True)
      with env.begin() as txn:
          catalog = env.open_db(b"catalog", txn, create=False)
          for key, value in txn.cursor(catalog):
              if key.startswith(b"collection/"):
                  entry = cbor2.loads(value)
                  if entry["name"] == "city":
                      id = key[len(b"collection/"):]
                      names = [field["name"] for field in entry["fields"]]
          data = env.open_db(b"c" + id, txn, create=False)
          rows = [dict(zip(names, cbor2.loads(value))) for _, value in txn.cursor(data)]
      for row in rows:
          row["tags"] = row["tags"] and json.loads(row["tags"])

      """
    #expect(try await python(script + Self.show, in: store) == Self.cities)
  }

  @Test func `Python reads a JSON archive with json alone`() async throws {
    let store = try await store("json")
    let script = """
      import base64, json
      rows = json.load(open("store/city.json", encoding="utf-8"))
      for row in rows:
          row["seal"] = row.get("seal") and base64.b64decode(row["seal"])

      """
    #expect(try await python(script + Self.show, in: store) == Self.cities)
  }

  @Test(arguments: ["xml", "binary"])
  func `Python reads a property-list archive with plistlib alone`(format: String) async throws {
    let store = try await store("plist", options: "?format=\(format)")
    let script = """
      import json, plistlib
      rows = plistlib.load(open("store/city.plist", "rb"))
      for row in rows:
          row["tags"] = row.get("tags") and json.loads(row["tags"])

      """
    #expect(try await python(script + Self.show, in: store) == Self.cities)
  }

  private func python(_ script: String, in store: SampleStore) async throws -> String {
    let interpreter = ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"] ?? "python3"
    return try await run(interpreter, "-c", script, in: store)
  }
}
