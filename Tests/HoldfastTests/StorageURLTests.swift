import Foundation
import Holdfast
import Testing

@Suite("Storage URLs")
struct StorageURLTests {
  @Test("A URL gives backend, path and options")
  func parts() throws {
    let url = try StorageURL(
      "lmdb:data/é store?durability=normal&mapsize=64M&readonly=1&timeout=0.5"
    )
    #expect(url.scheme == .lmdb)
    #expect(url.path == "data/é store")
    #expect(url.options.durability == .normal)
    #expect(url.options.mapSize == 64 << 20)
    #expect(url.options.isReadOnly)
    #expect(url.options.timeout == .milliseconds(500))
    #expect(try StorageURL("memory:").path == "")
    #expect(try StorageURL("json:a", relativeTo: "/x").path == "/x/a")
    #expect(try StorageURL("json:/a", relativeTo: "/x").path == "/a")
  }

  @Test(
    "What is not understood is an error that lists the known words",
    arguments: [
      ("app.db", "sqlite:"), ("oracle:x", "sqlite:, lmdb:"), ("sqlite:", "sqlite:PATH"),
      ("sqlite:x?fast=1", "durability"), ("sqlite:x?durability=most", "full, normal, none"),
      ("sqlite:x?mapsize=5", "unknown storage option"), ("lmdb:x?mapsize=-5", "number of bytes"),
      ("lmdb:x?mapsize=99999999999999T", "number of bytes"), ("json:x?readonly=maybe", "0 or 1"),
      ("plist:x?format", "VALUE"), ("sqlite:x?timeout=nan", "seconds"),
      ("sqlite:x?readonly=1&readonly=0", "given twice"),
    ]
  )
  func errors(_ text: String, _ part: String) {
    let error = #expect(throws: StorageError.self) { try StorageURL(text) }
    #expect(error?.code == .invalidConfiguration)
    #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
  }

  @Test("A configuration file names the store, relative to its own folder")
  func configuration() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("holdfast.json")
    try Data(#"{"storage": "sqlite:app.db", "mine": 1}"#.utf8).write(to: file)
    let url = try #require(try Configuration(contentsOf: file.path).storage)
    #expect(url.path == folder.path + "/app.db")
    try Data(#"{"storage": "sqlite:a", "storage": "json:b"}"#.utf8).write(to: file)
    #expect(throws: StorageError.self) { try Configuration(contentsOf: file.path) }
    try Data("not json".utf8).write(to: file)
    #expect(throws: StorageError.self) { try Configuration(contentsOf: file.path) }
    #expect(throws: StorageError.self) { try Configuration(contentsOf: folder.path + "/none") }
  }

  @Test("What a path holds is told without waiting for the writer of a pipe")
  func kindOfPipe() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let pipe = folder.appendingPathComponent("pipe").path
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(StoreKind(at: pipe) == .file)
    let link = folder.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: pipe)
    #expect(StoreKind(at: link) == .file)
  }

  @Test("A name that is safe stays, another becomes a slug with a hash")
  func physicalNames() {
    #expect(Name.physical("user", isTaken: { _ in false }) == "user")
    let slug = Name.physical("../x", isTaken: { _ in false })
    #expect(slug.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" })
    #expect(slug != Name.physical("..-x", isTaken: { _ in false }))
    #expect(Name.physical("catalog", isTaken: { $0 == "catalog" }) != "catalog")
    #expect(Name.physical("sqlite_x", isTaken: { $0.hasPrefix("sqlite_") }).hasPrefix("n_sqlite_x"))
  }
}
