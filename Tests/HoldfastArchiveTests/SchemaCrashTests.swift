import Foundation
import Holdfast
import HoldfastArchive
import Testing

@Suite struct SchemaCrashTests {
  private let states: [StoreContent]

  init() throws { states = try SchemaHistory.states() }

  /// Checks that a store holds all acknowledged commits and at most one more, and can go on.
  private func check(
    _ fixture: ArchiveFixture,
    _ format: ArchiveFormat,
    acknowledged: Int,
    _ place: String
  ) throws {
    let found = try fixture.content(format)
    let allowed = states[acknowledged...].prefix(2)
    #expect(allowed.contains(found), "\(place): \(found) after \(acknowledged) commits")
    let faults = try fixture.storage(format) { $0.isReadOnly = true }
      .verify(timeout: .seconds(1)).filter(\.isFault)
    #expect(faults.isEmpty, "\(place): \(faults)")
    try SchemaHistory.commit(try fixture.storage(format)) { writer in
      #expect(writer.catalog.schemaVersion == found.schemaVersion)
    }
    // The first commit of a writer finishes what was begun.
    let storage = try fixture.storage(format)
    try SchemaHistory.commit(storage) { writer in
      _ = try writer.createCollection(everything)
      try writer.put([.text(place)] + Array(repeating: .null, count: 10), "everything")
    }
    var expected = try StoreContent(storage)
    try storage.close()
    #expect(try fixture.content(format) == expected, "\(place): after reopening")
    expected.collections["everything"] = nil
    #expect(expected.collections == found.collections, "\(place): after going on")
    let left = try fixture.names().filter { $0.hasSuffix(".new") }
    #expect(left.isEmpty, "\(place): \(left)")
    // A file for each collection, and none besides.
    #expect(try fixture.names().count == expected.collections.count + 4, "\(place)")
  }

  @Test(
    "A process that dies at any file operation loses no acknowledged change of the schema",
    arguments: ArchiveFormat.allCases
  )
  func everyCrashPoint(_ format: ArchiveFormat) throws {
    var point = 1
    while true {
      let fixture = try ArchiveFixture()
      try SchemaHistory.prepare(fixture, format)
      let files = ControlledFiles(deadFrom: point)
      var acknowledged = 0
      let failed = code { try SchemaHistory.run(fixture, format, files) { acknowledged += 1 } }
      try check(fixture, format, acknowledged: acknowledged, "call \(point)")
      if failed == nil { break }
      point += 1
    }
    #expect(point > 80)
  }

  @Test("A disk that has no room once, at any file operation, loses no acknowledged change")
  func everyFullDisk() throws {
    var point = 1
    while true {
      let fixture = try ArchiveFixture()
      try SchemaHistory.prepare(fixture, .json)
      let files = ControlledFiles(failingAt: point)
      var acknowledged = 0
      let failed = code { try SchemaHistory.run(fixture, .json, files) { acknowledged += 1 } }
      #expect(failed == nil || failed == .storageFull, "call \(point)")
      try check(fixture, .json, acknowledged: acknowledged, "call \(point)")
      if files.calls < point { break }
      point += 1
    }
    #expect(point > 80)
  }

  @Test("A process that dies while it finishes the checkpoint of one that died loses nothing")
  func everySecondCrashPoint() throws {
    // The checkpoint of the second stretch, which moves files and takes over names.
    var point = 1
    while true {
      var second = 1
      var isLast = false
      while true {
        let fixture = try ArchiveFixture()
        try SchemaHistory.prepare(fixture, .json)
        try SchemaHistory.run(
          fixture,
          .json,
          ControlledFiles(),
          stretches: SchemaHistory.stretches.prefix(1)
        ) {}
        let storage = try fixture.storage(files: ControlledFiles(deadFrom: point + 4))
        for body in SchemaHistory.stretches[1] { try SchemaHistory.commit(storage, body) }
        isLast = code { try storage.close() } == nil
        let finishing = try fixture.storage(files: ControlledFiles(deadFrom: second))
        let failed = code {
          try SchemaHistory.commit(finishing) { try $0.setMigrations($0.catalog.migrations) }
        }
        if failed == nil { break }
        let place = "calls \(point) and \(second)"
        try check(fixture, .json, acknowledged: 7, place)
        second += 1
      }
      if isLast { break }
      point += 1
    }
    #expect(point > 15)
  }

  @Test("A power loss after any file operation loses no acknowledged change of the schema")
  func everyPowerLoss() throws {
    let format = ArchiveFormat.json
    let fixture = try ArchiveFixture()
    try SchemaHistory.prepare(fixture, format)
    let files = ControlledFiles(recording: fixture.path)
    try SchemaHistory.run(fixture, format, files) { files.acknowledge() }
    var generator = SeededNumbers(seed: 7)
    for (number, leftover) in files.leftovers.enumerated() {
      // Of the entries that were not synced, any may survive.
      var mixed: [String: Data] = [:]
      for name in Set(leftover.strict.keys).union(leftover.entriesKept.keys) {
        let isKept = generator.next() & 1 == 0
        mixed[name] = isKept ? leftover.entriesKept[name] : leftover.strict[name]
      }
      for (variant, contents) in [leftover.strict, leftover.entriesKept, mixed].enumerated() {
        let restored = try ArchiveFixture()
        try FileManager.default.createDirectory(
          atPath: restored.path,
          withIntermediateDirectories: true
        )
        try Data().write(to: restored.url("lock"))
        for (name, data) in contents { try data.write(to: restored.url(name)) }
        try check(
          restored,
          format,
          acknowledged: leftover.acknowledged,
          "call \(number), variant \(variant)"
        )
      }
    }
    #expect(files.leftovers.count > 80)
  }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
