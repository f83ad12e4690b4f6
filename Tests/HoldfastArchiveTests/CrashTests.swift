import Foundation
import Holdfast
import HoldfastArchive
import Testing

/// A history of commits, and the states that a store may be in after each.
private struct History {
  /// The names of people after each number of commits.
  static let states: [[Value]] = [
    ["a", "b", "c"], ["a", "b", "c", "d"], ["a", "B", "c", "d"], ["a", "B", "d"], [], ["e"],
  ]

  static func prepare(_ fixture: ArchiveFixture, _ format: ArchiveFormat) throws {
    try fixture.with(format) { store in
      try store.write { transaction in
        try transaction.createCollection(people)
        try transaction.createCollection(everything)
        for name in ["a", "b", "c"] {
          try transaction.insert(["name": .text(name)], into: "people")
        }
      }
    }
  }

  /// Runs the history; a checkpoint comes in the middle and at the end.
  static func run(
    _ fixture: ArchiveFixture,
    _ format: ArchiveFormat,
    _ files: ControlledFiles,
    acknowledge: () -> Void
  ) throws {
    var store = try fixture.open(format, files: files) { $0.durability = .full }
    func commit(_ body: (WriteTransaction) throws -> Void) throws {
      try store.write(body)
      acknowledge()
    }
    try commit { try $0.insert(["name": "d"], into: "people") }
    try commit { try $0.update(2, set: ["name": "B"], in: "people") }
    try store.close()
    store = try fixture.open(format, files: files) { $0.durability = .full }
    try commit { try $0.delete(3, from: "people") }
    try commit { try $0.deleteAll(in: "people") }
    try commit { transaction in
      try transaction.insert(["name": "e"], into: "people")
      try transaction.insert(["id": "x"], into: "everything")
      try transaction.createCollection(
        CollectionDefinition("late", fields: [FieldDefinition("id", .integer)], key: ["id"])
      )
    }
    try store.close()
  }

  static func names(_ store: Store) throws -> [Value] {
    try store.read { try $0.fetch(Query("people")).map { $0["name"] ?? nil } }
  }

  /// Checks that a store holds all acknowledged commits and at most one more, and can go on.
  static func check(
    _ fixture: ArchiveFixture,
    _ format: ArchiveFormat,
    acknowledged: Int,
    _ place: String
  ) throws {
    let found = try fixture.with(format, { $0.isReadOnly = true }) { try names($0) }
    let allowed = states[acknowledged...].prefix(2)
    #expect(allowed.contains(found), "\(place): \(found) after \(acknowledged) commits")
    try fixture.with(format) { store in
      try store.write { _ = try $0.insert(["name": "after"], into: "people") }
    }
    let after = try fixture.with(format) { try names($0) }
    #expect(after == found + ["after"], "\(place): \(after) after reopening")
    let left = try fixture.contents().keys.filter { $0.hasSuffix(".new") }
    #expect(left.isEmpty, "\(place): \(left)")
  }
}

@Suite struct CrashTests {
  @Test(
    "A process that dies at any file operation loses no acknowledged commit",
    arguments: ArchiveFormat.allCases
  )
  func everyCrashPoint(_ format: ArchiveFormat) throws {
    var point = 1
    while true {
      let fixture = try ArchiveFixture()
      try History.prepare(fixture, format)
      let files = ControlledFiles(deadFrom: point)
      var acknowledged = 0
      let failed = code { try History.run(fixture, format, files) { acknowledged += 1 } }
      try History.check(fixture, format, acknowledged: acknowledged, "call \(point)")
      if failed == nil { break }
      point += 1
    }
    #expect(point > 40)
  }

  @Test(
    "A power loss after any file operation loses no acknowledged commit",
    arguments: ArchiveFormat.allCases
  )
  func everyPowerLoss(_ format: ArchiveFormat) throws {
    let fixture = try ArchiveFixture()
    try History.prepare(fixture, format)
    let files = ControlledFiles(recording: fixture.path)
    try History.run(fixture, format, files) { files.acknowledge() }
    for (number, leftover) in files.leftovers.enumerated() {
      for (variant, contents) in [leftover.strict, leftover.entriesKept].enumerated() {
        let restored = try ArchiveFixture()
        try FileManager.default.createDirectory(
          atPath: restored.path,
          withIntermediateDirectories: true
        )
        for (name, data) in contents { try data.write(to: restored.url(name)) }
        try History.check(
          restored,
          format,
          acknowledged: leftover.acknowledged,
          "call \(number), variant \(variant)"
        )
      }
    }
    #expect(files.leftovers.count > 40)
  }

  @Test("After a failed sync the store takes no more writes until it is opened again")
  func failedSync() throws {
    let fixture = try ArchiveFixture()
    try History.prepare(fixture, .json)
    // The first commit of this store writes with the first call and syncs with the second.
    let files = ControlledFiles(deadFrom: 2)
    let store = try fixture.open(files: files) { $0.durability = .full }
    let insert = { try store.write { _ = try $0.insert(["name": "d"], into: "people") } }
    #expect(code(insert) == .ioError)
    #expect(code(insert) == .ioError)
    #expect(try History.names(store) == ["a", "b", "c"])
    try store.close()
    try History.check(fixture, .json, acknowledged: 0, "after the failure")
  }

  @Test("The bytes written for a commit do not depend on how much the store holds")
  func cost() throws {
    var costs: [Int] = []
    for count in [1000, 100_000] {
      let fixture = try ArchiveFixture()
      try fixture.with(.json, { $0.durability = .none }) { store in
        try store.write { transaction in
          let collection = try transaction.createCollection(
            CollectionDefinition(
              "numbers",
              fields: [FieldDefinition("id", .integer), FieldDefinition("value", .integer)],
              key: ["id"]
            )
          )
          let row = RowBuffer(count: 2)
          for index in 0..<count {
            row.setInteger(0, Int64(index))
            row.setInteger(1, 7)
            try transaction.insert(row.view, into: collection)
          }
        }
      }
      let files = ControlledFiles()
      let store = try fixture.open(files: files)
      for value in 100..<150 {
        try store.write { transaction in
          try transaction.update(500, set: ["value": .integer(Int64(value))], in: "numbers")
        }
      }
      costs.append(files.bytesWritten)
      try store.close()
    }
    #expect(costs[0] == costs[1])
    #expect(costs[0] < 50 * 200)
  }
}
