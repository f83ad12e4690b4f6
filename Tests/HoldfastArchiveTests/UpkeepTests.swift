import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct UpkeepTests {
  private func prepare(_ format: ArchiveFormat = .json) throws -> ArchiveFixture {
    let fixture = try ArchiveFixture()
    try SchemaHistory.prepare(fixture, format)
    return fixture
  }

  private func insert(_ name: String, _ storage: ArchiveStorage) throws {
    try SchemaHistory.commit(storage) { try $0.put([.null, .text(name), .null], "people") }
  }

  private func names(_ storage: ArchiveStorage) throws -> [Value] {
    try StoreContent(storage).collections["people"]?.rows.map { $0[1] } ?? []
  }

  // MARK: External changes

  @Test("A commit of another storage is noticed once, one's own is not")
  func externalChange() throws {
    let fixture = try prepare()
    let first = try fixture.storage()
    let second = try fixture.storage()
    #expect(try !first.takeExternalChange())
    try insert("x", first)
    #expect(try !first.takeExternalChange())
    #expect(try second.takeExternalChange())
    #expect(try !second.takeExternalChange())
    // One that a read or a write has seen in the meantime counts too.
    try insert("y", first)
    #expect(try names(second).contains("y"))
    #expect(try second.takeExternalChange())
    try insert("z", first)
    try insert("own", second)
    #expect(try second.takeExternalChange())
    #expect(try first.takeExternalChange())
    // A checkpoint changes nothing.
    try first.compact(timeout: .seconds(1))
    #expect(try !second.takeExternalChange())
    try second.compact(timeout: .seconds(1))
    #expect(try !first.takeExternalChange())
    // Several commits and checkpoints are one change.
    for name in ["1", "2"] {
      try insert(name, first)
      try first.compact(timeout: .seconds(1))
    }
    #expect(try second.takeExternalChange())
    #expect(try !second.takeExternalChange())
    try first.close()
    #expect(code { _ = try first.takeExternalChange() } == .closed)
    try second.close()
  }

  @Test("An edit by hand that another storage takes over is noticed, wherever that one dies")
  func editTakenOver() throws {
    var point = 1
    while true {
      let fixture = try prepare()
      let first = try fixture.storage()
      try insert("x", first)
      try first.compact(timeout: .seconds(1))
      let edited = try fixture.text("people.json").replacingOccurrences(of: "\"a\"", with: "\"A\"")
      try fixture.write(edited, to: "people.json")
      let second = try fixture.storage(files: ControlledFiles(deadFrom: point))
      let failed = code { try insert("y", second) }
      let found = try names(second)
      #expect(found.contains("A"))
      if failed == nil {
        #expect(try first.takeExternalChange())
        #expect(try names(first) == found)
      }
      // Whatever the other one got done, what this one writes is on top of the edit.
      let conflict = code { try insert("z", first) }
      #expect(conflict == nil || conflict == .conflict, "call \(point)")
      try? first.close()
      let after = try fixture.storage()
      #expect(try names(after).contains("A"), "call \(point)")
      #expect(try names(after).contains("z") == (conflict == nil), "call \(point)")
      try after.close()
      if failed == nil { break }
      point += 1
    }
    #expect(point > 8)
  }

  // MARK: Backup

  @Test("A backup is an archive with the snapshot's content", arguments: ArchiveFormat.allCases)
  func backup(_ format: ArchiveFormat) throws {
    let fixture = try prepare(format)
    let storage = try fixture.storage(format)
    for stretch in SchemaHistory.stretches {
      for body in stretch { try SchemaHistory.commit(storage, body) }
    }
    let copy = try ArchiveFixture()
    let writer = try storage.beginWriting(timeout: .seconds(1))
    try writer.put([.null, "unseen", "x", 8.5], "pets")
    // A writer neither waits nor is waited for.
    try storage.backup(to: copy.path + "/", timeout: .seconds(1))
    try writer.commit()
    let states = try SchemaHistory.states()
    #expect(try copy.content(format) == states.last)
    #expect(try FileManager.default.contentsOfDirectory(atPath: copy.root.path) == ["store"])
    #expect(try copy.storage(format).verify(timeout: .seconds(1)) == [])
    // Both go on, each for itself.
    let second = try copy.storage(format)
    try SchemaHistory.commit(second) { try $0.setMigrations(["copy"]) }
    try second.close()
    #expect(try copy.content(format).migrations == ["copy"])
    #expect(try StoreContent(storage).migrations == ["one", "two"])
    #expect(code { try storage.backup(to: copy.path, timeout: .seconds(1)) } == .alreadyExists)
    try storage.close()
  }

  @Test("A backup has the permissions of the original")
  func backupPermissions() throws {
    let fixture = try prepare()
    let modes = ["people.json": 0o640, "pets.json": 0o600, "catalog.json": 0o664, ".": 0o750]
    for (name, mode) in modes {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode],
        ofItemAtPath: fixture.url(name).path
      )
    }
    let storage = try fixture.storage()
    // The file has its old name until the next checkpoint.
    try SchemaHistory.commit(storage) { try $0.rename("pets", to: "animals") }
    let copy = try ArchiveFixture()
    try storage.backup(to: copy.path, timeout: .seconds(1))
    for (name, mode) in modes {
      let name = name == "pets.json" ? "animals.json" : name
      let attributes = try FileManager.default.attributesOfItem(atPath: copy.url(name).path)
      #expect(attributes[.posixPermissions] as? Int == mode, "\(name)")
    }
    try storage.close()
  }

  @Test("A backup that fails at any file operation leaves nothing, and the store in use")
  func failedBackup() throws {
    var point = 1
    while true {
      let fixture = try prepare()
      let files = ControlledFiles(failingAt: point)
      let storage = try fixture.storage(files: files)
      let copy = try ArchiveFixture()
      let failed = code { try storage.backup(to: copy.path, timeout: .seconds(1)) }
      let left = try FileManager.default.contentsOfDirectory(atPath: copy.root.path)
      if failed == nil { break }
      #expect(failed == .storageFull)
      // Once it is in place, only making its name durable can fail.
      #expect(left.isEmpty || (left == ["store"] && point == files.calls), "call \(point): \(left)")
      try insert("x", storage)
      try storage.close()
      point += 1
    }
    #expect(point > 12)
  }

  @Test("A backup where something is already is refused", arguments: ["file", "link", "folder"])
  func takenPath(_ kind: String) throws {
    let fixture = try prepare()
    let storage = try fixture.storage()
    let path = fixture.root.appendingPathComponent("copy").path
    switch kind {
    case "file": try Data().write(to: URL(fileURLWithPath: path))
    case "link":
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
    default:
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    #expect(code { try storage.backup(to: path, timeout: .seconds(1)) } == .alreadyExists)
    let nowhere = fixture.root.appendingPathComponent("no/copy").path
    #expect(code { try storage.backup(to: nowhere, timeout: .seconds(1)) } == .cannotOpen)
    try storage.close()
  }

  // MARK: Compacting

  @Test("Compacting brings the files up to date and empties the journal")
  func compact() throws {
    let fixture = try prepare()
    let storage = try fixture.storage()
    try insert("x", storage)
    #expect(try !fixture.text("people.json").contains("\"x\""))
    try storage.compact(timeout: .seconds(1))
    #expect(try fixture.text("people.json").contains("\"x\""))
    #expect(try fixture.text("journal.jsonl").split(separator: "\n").count == 1)
    let before = try fixture.contents()
    try storage.compact(timeout: .seconds(1))
    #expect(try fixture.contents() == before)
    let other = try fixture.storage()
    let writer = try other.beginWriting(timeout: .seconds(1))
    #expect(code { try storage.compact(timeout: .milliseconds(20)) } == .busy)
    writer.end()
    let reader = try fixture.storage { $0.isReadOnly = true }
    #expect(code { try reader.compact(timeout: .seconds(1)) } == .readOnly)
    try storage.close()
  }

  // MARK: Suspending

  @Test("A suspended storage holds neither lock nor files, and resumes with what others did")
  func suspend() throws {
    let fixture = try prepare()
    let storage = try fixture.storage()
    try insert("x", storage)
    let descriptors = { try FileManager.default.contentsOfDirectory(atPath: "/dev/fd") }
    func holdsFiles() throws -> Bool {
      try descriptors().contains { name in
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/dev/fd/" + name)
        return target?.hasPrefix(fixture.root.path) ?? false
      }
    }
    #if os(Linux)
    #expect(try holdsFiles())
    #endif
    let writer = try storage.beginWriting(timeout: .seconds(1))
    #expect(code { try storage.suspend() } == .busy)
    writer.end()
    try storage.suspend()
    #if os(Linux)
    #expect(try !holdsFiles())
    #endif
    #expect(code { _ = try storage.beginReading(timeout: .zero) } == .suspended)
    #expect(code { _ = try storage.beginWriting(timeout: .zero) } == .suspended)
    #expect(code { _ = try storage.takeExternalChange() } == .suspended)
    #expect(code { try storage.compact(timeout: .zero) } == .suspended)
    #expect(code { try storage.backup(to: fixture.path + "2", timeout: .zero) } == .suspended)
    #expect(code { try storage.suspend() } == .suspended)
    let other = try fixture.storage()
    try insert("y", other)
    try storage.resume()
    #expect(try storage.takeExternalChange())
    #expect(try names(storage).suffix(2) == ["x", "y"])
    // A checkpoint, and another journal.
    try storage.suspend()
    try insert("z", other)
    try other.close()
    try storage.resume()
    try insert("own", storage)
    #expect(try names(storage).suffix(3) == ["y", "z", "own"])
    try storage.compact(timeout: .seconds(1))
    // An edit by hand.
    try storage.suspend()
    let text = try fixture.text("people.json")
    try fixture.write(
      text.replacingOccurrences(of: "\"own\"", with: "\"edited\""),
      to: "people.json"
    )
    try storage.resume()
    #expect(try names(storage).last == "edited")
    // Damage keeps it suspended.
    try storage.suspend()
    let journal = try fixture.text("journal.jsonl")
    try fixture.write("{" + journal, to: "journal.jsonl")
    #expect(code { try storage.resume() } == .corrupt)
    #expect(code { _ = try storage.beginReading(timeout: .zero) } == .suspended)
    try fixture.write(journal, to: "journal.jsonl")
    try storage.resume()
    try insert("last", storage)
    // Closing a suspended storage leaves the checkpoint to the next opening.
    try storage.suspend()
    try storage.close()
    #expect(try fixture.content().collections["people"]?.rows.last?[1] == "last")
  }
}
