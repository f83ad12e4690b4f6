import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct JournalDamageTests {
  /// A store whose last commits are in the journal only, as a killed process leaves it.
  private func killed(
    _ durability: StorageOptions.Durability
  ) throws -> (ArchiveFixture, groups: [Int]) {
    let source = try ArchiveFixture()
    var groups: [Int] = []
    let store = try source.open { $0.durability = durability }
    try store.write { _ = try $0.createCollection(people) }
    try store.close()
    let open = try source.open { $0.durability = durability }
    for name in ["a", "b", "c"] {
      groups.append(try source.text("journal.jsonl").utf8.count)
      try open.write { _ = try $0.insert(["name": .text(name)], into: "people") }
    }
    groups.append(try source.text("journal.jsonl").utf8.count)
    let copy = try ArchiveFixture()
    try FileManager.default.copyItem(atPath: source.path, toPath: copy.path)
    try open.close()
    return (copy, groups)
  }

  @Test("A journal cut at any byte of its last group loses that group alone")
  func tornTail() throws {
    let (fixture, groups) = try killed(.full)
    let journal = try Data(contentsOf: fixture.url("journal.jsonl"))
    for length in groups[2]...groups[3] {
      try journal.prefix(length).write(to: fixture.url("journal.jsonl"))
      let count = try fixture.with(.json, { $0.isReadOnly = true }) { store in
        try store.read { try $0.count("people") }
      }
      #expect(count == (length == groups[3] ? 3 : 2), "cut at \(length)")
    }
    // The next write cuts the tail off and goes on.
    try journal.prefix(groups[3] - 5).write(to: fixture.url("journal.jsonl"))
    try fixture.with { store in
      try store.write { _ = try $0.insert(["name": "d"], into: "people") }
    }
    let names = try fixture.with { store in
      try store.read { try $0.fetch(Query("people")).map { $0["name"] } }
    }
    #expect(names == ["a", "b", "d"])
  }

  @Test("A flipped bit below what was synced is damage, and nothing is changed")
  func flippedBits() throws {
    let (fixture, groups) = try killed(.full)
    let journal = try Data(contentsOf: fixture.url("journal.jsonl"))
    for offset in 0..<groups[2] {
      var damaged = journal
      damaged[offset] ^= 1 << UInt8(offset % 8)
      try damaged.write(to: fixture.url("journal.jsonl"))
      let before = try fixture.contents()
      let failed = code { _ = try fixture.open() }
      #expect(failed == .corrupt || failed == .newerFormat, "byte \(offset): \(failed as Any)")
      let after = try fixture.contents()
      #expect(before.filter { $0.key != "lock" } == after.filter { $0.key != "lock" })
    }
  }

  @Test("What was not synced may be lost from the first gap on, but no more")
  func unsyncedGap() throws {
    let (fixture, groups) = try killed(.normal)
    var journal = try Data(contentsOf: fixture.url("journal.jsonl"))
    for offset in groups[1]..<groups[2] { journal[offset] = 0 }
    try journal.write(to: fixture.url("journal.jsonl"))
    let count = try fixture.with { store in try store.read { try $0.count("people") } }
    #expect(count == 1)
  }

  @Test("Missing and swapped files are errors, and nothing is changed")
  func missingFiles() throws {
    for name in ["catalog.json", "journal.jsonl", "people.json"] {
      let (fixture, _) = try killed(.full)
      try FileManager.default.removeItem(at: fixture.url(name))
      let before = try fixture.contents()
      #expect(code { _ = try fixture.open() } == .corrupt, "\(name)")
      #expect(try fixture.contents() == before)
    }
    let (fixture, _) = try killed(.full)
    let (other, _) = try killed(.full)
    try Data(contentsOf: other.url("journal.jsonl")).write(to: fixture.url("journal.jsonl"))
    #expect(code { _ = try fixture.open() } == .corrupt)
  }

  @Test("A damaged catalog is damage, cut anywhere or with any bit flipped")
  func damagedCatalog() throws {
    let (fixture, _) = try killed(.full)
    let catalog = try Data(contentsOf: fixture.url("catalog.json"))
    for offset in 0..<catalog.count {
      var damaged = catalog
      damaged[offset] ^= 1 << UInt8(offset % 8)
      try damaged.write(to: fixture.url("catalog.json"))
      let flipped = code { _ = try fixture.open() }
      #expect(flipped == .corrupt || flipped == .newerFormat, "byte \(offset)")
      try catalog.prefix(offset).write(to: fixture.url("catalog.json"))
      #expect(code { _ = try fixture.open() } == .corrupt, "cut at \(offset)")
    }
  }
}
