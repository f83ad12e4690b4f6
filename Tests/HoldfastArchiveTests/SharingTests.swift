import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct SharingTests {
  private func insert(_ name: String, _ store: Store) throws {
    try store.write { _ = try $0.insert(["name": .text(name)], into: "people") }
  }

  private func names(_ store: Store) throws -> [Value] {
    try store.read { try $0.fetch(Query("people")).map { $0["name"] ?? nil } }
  }

  @Test("Two storages on one folder write in turn, and each sees the other's commits")
  func inTurn() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.open()
    let second = try fixture.open()
    try first.write { _ = try $0.createCollection(people) }
    try insert("a", second)
    try insert("b", first)
    #expect(try names(second) == ["a", "b"])
    #expect(try names(first) == ["a", "b"])
    // A checkpoint by one while the other is open.
    try first.close()
    #expect(try names(second) == ["a", "b"])
    try insert("c", second)
    let third = try fixture.open()
    try insert("d", third)
    try third.close()
    let fourth = try fixture.open()
    try insert("e", fourth)
    try fourth.close()
    // Two checkpoints have passed that the second storage has not seen.
    #expect(try names(second) == ["a", "b", "c", "d", "e"])
    try insert("f", second)
    try second.close()
    #expect(try fixture.with { try names($0) } == ["a", "b", "c", "d", "e", "f"])
  }

  @Test(
    "A checkpoint that another process began and did not finish is no edit by hand",
    arguments: ArchiveFormat.allCases
  )
  func abandonedCheckpoint(_ format: ArchiveFormat) throws {
    var point = 1
    while true {
      let fixture = try ArchiveFixture()
      try fixture.with(format) { store in
        try store.write { _ = try $0.createCollection(people) }
        try insert("a", store)
      }
      let second = try fixture.open(format)
      let first = try fixture.open(format, files: ControlledFiles(deadFrom: point))
      var expected: [Value] = ["a"]
      let failed = code {
        try insert("b", first)
        expected.append("b")
        try first.close()
      }
      // A commit that was reported as failed may be there.
      let found = try names(second)
      #expect(found == expected || found == ["a", "b"], "call \(point)")
      try insert("c", second)
      try second.close()
      #expect(try fixture.with(format) { try names($0) } == found + ["c"], "call \(point)")
      if failed == nil { break }
      point += 1
    }
    #expect(point > 10)
  }

  @Test("Closing leaves the checkpoint to the next opening where the disk is full")
  func fullDisk() throws {
    var point = 3
    while true {
      let fixture = try ArchiveFixture()
      try fixture.with { store in try store.write { _ = try $0.createCollection(people) } }
      let files = ControlledFiles(deadFrom: point, error: ENOSPC)
      let store = try fixture.open(files: files) { $0.durability = .full }
      // The first two calls write and sync the commit.
      try insert("a", store)
      try store.close()
      #expect(try fixture.with { try names($0) } == ["a"], "call \(point)")
      if files.calls < point { break }
      point += 1
    }
    #expect(point > 10)
  }

  @Test("A snapshot stays as it was while others commit")
  func snapshot() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.open()
    let second = try fixture.open()
    try first.write { _ = try $0.createCollection(people) }
    try insert("a", first)
    try second.read { transaction in
      let before = try transaction.count("people")
      try insert("b", first)
      let after = try transaction.count("people")
      #expect(before == 1 && after == 1)
    }
    #expect(try names(second) == ["a", "b"])
    try first.close()
    try second.close()
  }

  @Test("While one storage writes, another one waits and then reports that it is busy")
  func busy() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.open()
    let second = try fixture.open { $0.timeout = .milliseconds(50) }
    try first.write { transaction in
      try transaction.createCollection(people)
      let failed = code { try insert("a", second) }
      #expect(failed == .busy)
      // Reading takes no lock.
      let catalog = try second.read { try $0.catalogNames() }
      #expect(catalog.isEmpty)
    }
    try insert("a", second)
    try first.close()
    try second.close()
  }

  @Test("A store opened read-only replays the journal and changes nothing on disk")
  func readOnly() throws {
    let fixture = try ArchiveFixture()
    let writer = try fixture.open()
    try writer.write { _ = try $0.createCollection(people) }
    try insert("a", writer)
    let before = try fixture.contents()
    let reader = try fixture.open { $0.isReadOnly = true }
    #expect(try names(reader) == ["a"])
    #expect(code { try insert("b", reader) } == .readOnly)
    try reader.close()
    #expect(try fixture.contents() == before)
    try writer.close()
  }

  @Test("New files keep the permissions of those that they replace")
  func permissions() throws {
    let fixture = try ArchiveFixture()
    try fixture.with { store in
      try store.write { _ = try $0.createCollection(people) }
    }
    for name in ["people.json", "catalog.json", "journal.jsonl"] {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o640],
        ofItemAtPath: fixture.url(name).path
      )
    }
    try fixture.with { try insert("a", $0) }
    for name in ["people.json", "catalog.json", "journal.jsonl"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: fixture.url(name).path)
      #expect(attributes[.posixPermissions] as? Int == 0o640, "\(name)")
    }
  }
}
