import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct OpeningTests {
  @Test("Opening creates an archive once, and finds it the next time")
  func creation() throws {
    let fixture = try ArchiveFixture()
    let first = try fixture.open()
    #expect(first.wasCreated)
    try first.close()
    let second = try fixture.open()
    #expect(!second.wasCreated)
    try second.close()
    #expect(Set(try fixture.contents().keys) == ["catalog.json", "journal.jsonl", "lock"])
  }

  @Test("A path with nothing is created only where that is asked for and possible")
  func missing() throws {
    let fixture = try ArchiveFixture()
    #expect(code { _ = try fixture.open { $0.createsIfMissing = false } } == .cannotOpen)
    #expect(code { _ = try fixture.open { $0.isReadOnly = true } } == .cannotOpen)
    let options = StorageOptions()
    let deep = fixture.path + "/no/such/place"
    #expect(
      code { _ = try ArchiveStorage.open(path: deep, format: .json, options: options) }
        == .cannotOpen
    )
    #expect(!FileManager.default.fileExists(atPath: fixture.path))
  }

  @Test("A file, a folder of other things and another format are refused and left alone")
  func otherThings() throws {
    let fixture = try ArchiveFixture()
    try Data("hello".utf8).write(to: URL(fileURLWithPath: fixture.path))
    #expect(code { _ = try fixture.open() } == .wrongKind)
    try FileManager.default.removeItem(atPath: fixture.path)
    try FileManager.default.createDirectory(
      atPath: fixture.path,
      withIntermediateDirectories: false
    )
    try fixture.write("mine", to: "letter.txt")
    #expect(code { _ = try fixture.open() } == .wrongKind)
    #expect(try fixture.contents().count == 1)
    try fixture.write("{\"catalog\": [1, 2]}", to: "catalog.json")
    #expect(code { _ = try fixture.open() } == .wrongKind)
    let archive = try ArchiveFixture()
    try archive.open().close()
    #expect(code { _ = try archive.open(.propertyList) } == .wrongKind)
  }

  @Test("A newer format is refused and left alone")
  func newerFormat() throws {
    let fixture = try ArchiveFixture()
    try fixture.open().close()
    let catalog = try fixture.text("catalog.json")
    try fixture.write(
      catalog.replacingOccurrences(of: "\"format\":1", with: "\"format\":2"),
      to: "catalog.json"
    )
    #expect(code { _ = try fixture.open() } == .newerFormat)
    try fixture.write(catalog, to: "catalog.json")
    let journal = try fixture.text("journal.jsonl")
    try fixture.write(
      journal.replacingOccurrences(of: "\"format\":1", with: "\"format\":2"),
      to: "journal.jsonl"
    )
    #expect(code { _ = try fixture.open() } == .newerFormat)
  }

  @Test("Property lists go over to the other form when the options ask for it")
  func conversion() throws {
    let fixture = try ArchiveFixture()
    func insert(_ store: Store) throws {
      try store.write { _ = try $0.insert(["name": .text(UUID().uuidString)], into: "people") }
    }
    try fixture.with(.propertyList) { store in
      try store.write { _ = try $0.createCollection(people) }
      try insert(store)
    }
    #expect(try Data(contentsOf: fixture.url("people.plist")).starts(with: Data("<?xml".utf8)))
    try fixture.with(.propertyList, { $0.format = .binary }) { try insert($0) }
    #expect(try Data(contentsOf: fixture.url("people.plist")).starts(with: Data("bplist".utf8)))
    try fixture.with(.propertyList) { store in
      let count = try store.read { try $0.count("people") }
      #expect(count == 2)
    }
  }
}
