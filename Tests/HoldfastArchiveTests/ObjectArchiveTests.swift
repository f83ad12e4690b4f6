import Foundation
import Holdfast
import HoldfastArchive
import Testing

/// A graph with every kind of value that coders meet.
struct Notebook: Codable, Equatable, Sendable {
  enum Shape: Codable, Equatable, Sendable {
    case circle(radius: Double)
    case named(String, sides: Int)
  }
  indirect enum Tree: Codable, Equatable, Sendable {
    case leaf(Int)
    case branch([Tree])
  }
  struct Page: Codable, Equatable, Sendable {
    var text: String
    var marks: [String: [Int?]]
  }
  var title: String
  var opened: Date
  var cover: Data
  var ratio: Double
  var single: Float
  var price: Decimal
  var link: URL?
  var id: UUID
  var shapes: [Shape]
  var tree: Tree
  var pages: [Page]
  var numbers: [Int64: UInt8]
  var maybe: [String?]

  static let sample = Notebook(
    title: "窓 \"q\" \\ \u{0}\u{1}\r\n\u{FFFE} $null",
    opened: Date(timeIntervalSinceReferenceDate: 700_000_000.123456),
    cover: Data([0, 255, 10]),
    ratio: .infinity,
    single: 0.1,
    price: Decimal(string: "12.3400001") ?? 0,
    link: URL(string: "https://example.org/a?b=c"),
    id: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
    shapes: [.circle(radius: -0.1), .named("$", sides: .max)],
    tree: .branch([.leaf(1), .branch([]), .branch([.leaf(.min)])]),
    pages: [Page(text: "$null", marks: ["$=a\u{2}": [1, nil, -3], "": []])],
    numbers: [.max: 255, -1: 0],
    maybe: [nil, "", "$$"]
  )
}

@Suite("Object archives") struct ObjectArchiveTests {
  @Test("A name of one letter is a file of the current folder")
  func shortName() throws {
    let name = "é"
    try #require(!FileManager.default.fileExists(atPath: name))
    defer { try? FileManager.default.removeItem(atPath: name) }
    let archive = ObjectArchive<[Int]>(name)
    try archive.save([1, 2])
    #expect(try archive.load() == [1, 2])
  }

  static let formats: [ObjectFormat] = [
    .json, .propertyList(.xml), .propertyList(.binary),
  ]

  private func withFolder<T>(_ body: (String) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  private func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func expect<T>(
    _ code: StorageError.Code,
    _ comment: Comment? = nil,
    _ body: () throws -> T
  ) {
    let error = #expect(throws: StorageError.self, comment) { _ = try body() }
    #expect(error?.code == code, comment ?? "\(String(describing: error))")
  }

  @Test("A graph comes back equal, and is the same file each time", arguments: 0..<3)
  func roundTrip(_ format: Int) throws {
    try withFolder { folder in
      let path = folder + "/notebook"
      let archive = ObjectArchive<Notebook>(path, format: Self.formats[format])
      #expect(try archive.load() == nil)
      try archive.save(.sample)
      let first = try Data(contentsOf: URL(fileURLWithPath: path))
      let again = ObjectArchive<Notebook>(path)
      #expect(try again.load() == .sample)
      try archive.save(.sample)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == first)
      #expect(try names(folder) == ["notebook"])
      // Read in one format and written in another.
      #expect(try again.load() == .sample)
      try again.save(.sample)
      #expect(try archive.load() == .sample)
    }
  }

  @Test("Asynchronous calls do the same")
  func asynchronous() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let archive = ObjectArchive<[Int]>(folder.path + "/list.json")
    #expect(try await archive.load() == nil)
    try await archive.save([1])
    await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask { try await archive.update(default: []) { $0.append(number) } }
      }
    }
    #expect(try await archive.load()?.count == 21)
  }

  @Test("Older versions are brought up step by step, on types or as they stand")
  func upgrades() throws {
    struct First: Codable { var name: String }
    struct Second: Codable { var title: String }
    struct Third: Codable, Equatable { var title: String, tags: [String] }
    try withFolder { folder in
      let path = folder + "/a.json"
      try ObjectArchive<First>(path).save(First(name: "N"))
      let upgrades = [
        ObjectUpgrade(from: 2, raw: { $0["tags"] = ["new"] }),
        ObjectUpgrade(from: 1) { (old: First) in Second(title: old.name) },
      ]
      let archive = ObjectArchive<Third>(path, version: 3, upgrades: upgrades)
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      #expect(try archive.load() == Third(title: "N", tags: ["new"]))
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      try archive.save(Third(title: "N", tags: []))
      #expect(try archive.load() == Third(title: "N", tags: []))
      // A newer version is refused, and is not replaced.
      let old = ObjectArchive<Second>(path, version: 2)
      expect(.newerFormat) { try old.load() }
      expect(.conflict) { try old.save(Second(title: "x")) }
      expect(.newerFormat) { try old.update(default: Second(title: "")) { $0.title = "x" } }
      #expect(try archive.load() == Third(title: "N", tags: []))
      let broken = ObjectArchive<Third>(
        folder + "/b.json",
        version: 3,
        upgrades: [upgrades[1], upgrades[1]]
      )
      expect(.invalidSchema) { try broken.save(Third(title: "", tags: [])) }
      try ObjectArchive<First>(folder + "/c.json").save(First(name: "N"))
      let gap = ObjectArchive<Third>(folder + "/c.json", version: 3, upgrades: [upgrades[1]])
      expect(.migrationMismatch) { try gap.load() }
      expect(.conflict) { try gap.save(Third(title: "", tags: [])) }
    }
  }

  @Test("A file that somebody else changed, made or removed is not replaced")
  func conflicts() throws {
    try withFolder { folder in
      let path = folder + "/a.json"
      let url = URL(fileURLWithPath: path)
      let (one, other) = (ObjectArchive<[Int]>(path), ObjectArchive<[Int]>(path))
      #expect(try one.load() == nil)
      try other.save([1])
      expect(.conflict, "made") { try one.save([2]) }
      #expect(try one.load() == [1])
      try one.save([1, 2])
      expect(.conflict, "changed") { try other.save([3]) }
      expect(.conflict, "unread") { try ObjectArchive<[Int]>(path).save([3]) }
      // Touched, but not changed, is no conflict.
      try FileManager.default.setAttributes(
        [.modificationDate: Date.distantPast],
        ofItemAtPath: path
      )
      try one.save([1, 2, 3])
      try FileManager.default.removeItem(at: url)
      expect(.conflict, "removed") { try one.save([4]) }
      #expect(try one.load() == nil)
      try one.save([4])
      #expect(
        try other.update(default: []) {
          $0.append(5); return $0.count
        } == 2
      )
      #expect(try one.load() == [4, 5])
    }
  }

  @Test(
    "What is no archive is named, and left alone",
    arguments: [
      "", " ", "{", "[]", "null", "{\"holdfast\": 1}",
      "{\"holdfast\": 1, \"version\": 0, \"value\": []}",
      "{\"holdfast\": 1, \"version\": 1, \"value\": {}}",
      "{\"holdfast\": 1, \"version\": 1, \"value\": [\"x\"]}",
      "{\"holdfast\": 1, \"version\": 1, \"version\": 1, \"value\": []}", "<plist", "bplist00",
      "<!DOCTYPE",
      "{\"holdfast\": 1, \"version\": 1, \"value\": [9223372036854775808]}", "\u{0}", "true false",
    ]
  )
  func unreadable(_ text: String) throws {
    try withFolder { folder in
      let path = folder + "/a.json"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let archive = ObjectArchive<[Int]>(path)
      let error = #expect(throws: StorageError.self) { try archive.load() }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains(path) == true)
      expect(.conflict) { try archive.save([1]) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
      #expect(try names(folder) == ["a.json"])
    }
  }

  @Test("Symbolic links are followed, permissions stay, and what is no file is refused")
  func places() throws {
    try withFolder { folder in
      let target = folder + "/real.json"
      let link = folder + "/link.json"
      let manager = FileManager.default
      try manager.createSymbolicLink(atPath: link, withDestinationPath: "real.json")
      let archive = ObjectArchive<[Int]>(link)
      expect(.cannotOpen, "a link that leads nowhere") { try archive.load() }
      expect(.cannotOpen, "a link that leads nowhere") { try archive.save([1]) }
      try ObjectArchive<[Int]>(target).save([1])
      try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target)
      #expect(try archive.load() == [1])
      try archive.save([2])
      #expect(try manager.destinationOfSymbolicLink(atPath: link) == "real.json")
      #expect(try ObjectArchive<[Int]>(target).load() == [2])
      let mode = try manager.attributesOfItem(atPath: target)[.posixPermissions] as? Int
      #expect(mode == 0o640)
      expect(.wrongKind) { try ObjectArchive<[Int]>(folder).load() }
      try #require(mkfifo(folder + "/pipe", 0o600) == 0)
      expect(.wrongKind) { try ObjectArchive<[Int]>(folder + "/pipe").load() }
      expect(.wrongKind) { try ObjectArchive<[Int]>(folder + "/pipe").save([1]) }
      expect(.cannotOpen) { try ObjectArchive<[Int]>(folder + "/no/a.json").save([1]) }
    }
  }

  @Test("What no archive holds is refused, and leaves the file")
  func refused() throws {
    struct Everything: Codable { var real = 1.0, date = Date(), big: UInt64 = 1 }
    try withFolder { folder in
      let path = folder + "/a.json"
      let archive = ObjectArchive<Everything>(path, maximumSize: 400)
      try archive.save(Everything())
      let before = try Data(contentsOf: URL(fileURLWithPath: path))
      expect(.invalidValue) { try archive.save(Everything(real: .nan)) }
      expect(.invalidValue) { try archive.save(Everything(big: .max)) }
      let late = Date(timeIntervalSinceReferenceDate: 1e15)
      expect(.invalidValue) { try archive.save(Everything(date: late)) }
      let texts = ObjectArchive<[String]>(folder + "/b.json", maximumSize: 400)
      expect(.invalidValue) { try texts.save([String(repeating: "x", count: 500)]) }
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
      #expect(try names(folder) == ["a.json"])
    }
  }
}
