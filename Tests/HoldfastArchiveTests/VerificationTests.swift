import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct VerificationTests {
  /// A store with records in files and commits in the journal, and the storage that has it open.
  private func prepare() throws -> (ArchiveFixture, ArchiveStorage) {
    let fixture = try ArchiveFixture()
    try SchemaHistory.prepare(fixture, .json)
    let storage = try fixture.storage { $0.durability = .full }
    for name in ["x", "y"] {
      try SchemaHistory.commit(storage) { try $0.put([.null, .text(name), .null], "people") }
    }
    return (fixture, storage)
  }

  /// Checks that a store has exactly one finding, and that looking changes nothing.
  private func expect(
    _ isFault: Bool,
    _ words: [String],
    _ fixture: ArchiveFixture,
    _ storage: ArchiveStorage
  ) throws {
    let before = try fixture.contents()
    let findings = try storage.verify(timeout: .seconds(1))
    #expect(findings.count == 1, "\(findings)")
    #expect(findings.first?.isFault == isFault, "\(findings)")
    for word in words {
      #expect(findings.first?.message.contains(word) ?? false, "\(word) in \(findings)")
    }
    #expect(try fixture.contents() == before)
  }

  @Test("A sound store has no findings, before a checkpoint and after it")
  func sound() throws {
    let (fixture, storage) = try prepare()
    #expect(try storage.verify(timeout: .seconds(1)) == [])
    for body in SchemaHistory.stretches[0] { try SchemaHistory.commit(storage, body) }
    #expect(try storage.verify(timeout: .seconds(1)) == [])
    try storage.compact(timeout: .seconds(1))
    #expect(try storage.verify(timeout: .seconds(1)) == [])
    let writer = try storage.beginWriting(timeout: .seconds(1))
    #expect(try fixture.storage().verify(timeout: .seconds(1)) == [])
    writer.end()
    try storage.close()
  }

  @Test("An edit by hand is a note, and a fault where it is refused, pending or no list of records")
  func edits() throws {
    let (fixture, storage) = try prepare()
    let original = try fixture.text("people.json")
    let pets = try fixture.text("pets.json")
    try fixture.write(pets.replacingOccurrences(of: "rex", with: "max"), to: "pets.json")
    try expect(false, ["pets.json", "by hand"], fixture, storage)
    let refusing = { try fixture.storage { $0.edits = .refuse } }
    try fixture.write(pets, to: "pets.json")
    let strict = try refusing()
    try fixture.write(pets.replacingOccurrences(of: "rex", with: "max"), to: "pets.json")
    try expect(true, ["pets.json", "outside"], fixture, strict)
    try fixture.write(pets, to: "pets.json")
    try fixture.write(original.replacingOccurrences(of: "\"a\"", with: "\"A\""), to: "people.json")
    try expect(true, ["people.json", "pending"], fixture, storage)
    try fixture.write(original, to: "people.json")
    try fixture.write("[{\"name\":\"rex\",\"weight\":\"much\"}]", to: "pets.json")
    let findings = try storage.verify(timeout: .seconds(1))
    #expect(findings.filter(\.isFault).count == 1)
    #expect(findings.contains { $0.isFault && $0.message.contains("weight") })
  }

  @Test("Missing and damaged files are faults", arguments: [0, 1])
  func damage(_ kind: Int) throws {
    for name in ["people.json", "catalog.json", "journal.jsonl"] {
      let (fixture, storage) = try prepare()
      if kind == 0 {
        try FileManager.default.removeItem(at: fixture.url(name))
      } else {
        var bytes = try Data(contentsOf: fixture.url(name))
        bytes[bytes.count / 3] ^= 1
        try bytes.write(to: fixture.url(name))
      }
      try expect(true, [name], fixture, storage)
    }
  }

  @Test("A torn commit, an interrupted checkpoint and what they left are notes")
  func interruptions() throws {
    let (fixture, storage) = try prepare()
    let journal = try Data(contentsOf: fixture.url("journal.jsonl"))
    try (journal + Data("{\"put\":1".utf8)).write(to: fixture.url("journal.jsonl"))
    try expect(false, ["journal.jsonl", "8 bytes"], fixture, storage)
    try journal.write(to: fixture.url("journal.jsonl"))
    try fixture.write("[", to: "people.json.new")
    try expect(false, ["people.json.new", "left over"], fixture, storage)
    try FileManager.default.removeItem(at: fixture.url("people.json.new"))
    try fixture.write("my own", to: "notes.txt")
    try expect(false, ["notes.txt"], fixture, storage)
    try FileManager.default.removeItem(at: fixture.url("notes.txt"))
    try storage.close()
    // The first two calls after this checkpoint's mark rename the records and sync the folder.
    let dying = try fixture.storage(files: ControlledFiles(deadFrom: 18))
    try SchemaHistory.commit(dying) { try $0.put([.null, "z", .null], "people") }
    #expect(code { try dying.close() } == .ioError)
    let findings = try fixture.storage { $0.isReadOnly = true }.verify(timeout: .seconds(1))
    #expect(!findings.contains { $0.isFault }, "\(findings)")
    #expect(findings.contains { $0.message.contains("was interrupted") }, "\(findings)")
  }
}
