import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Choosing a backend".
@Suite struct ChoosingABackendArticle {
  struct Note: Model {
    var id: Int64?
    var text: String
  }

  @Test(arguments: ["sqlite", "lmdb", "json", "plist"])
  func `the code of the article does what it says`(_ backend: String) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let store = try Backends.open("\(backend):\(folder)/app?durability=normal&timeout=2")
    try await Repository<Note>(store).insert(Note(text: "kept"))
    let other = try Backends.open("memory:")

    try await store.copy(into: other)
    let differences = try await store.differences(from: other)

    #expect(differences == [])
    #expect(try await Repository<Note>(other).fetch().map(\.text) == ["kept"])
    try Data(#"{"storage": "\#(backend):app"}"#.utf8)
      .write(to: URL(fileURLWithPath: folder + "/holdfast.json"))
    try store.close()

    let configured = try Backends.open(configuration: "\(folder)/holdfast.json")
    #expect(try await Repository<Note>(configured).count() == 1)
    try configured.close()
  }
}
