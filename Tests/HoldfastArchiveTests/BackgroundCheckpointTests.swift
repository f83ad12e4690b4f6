import Foundation
import Holdfast
import HoldfastArchive
import Synchronization
import Testing

@Suite struct BackgroundCheckpointTests {
  private static let all = ["first", "c", "d", "f", "last"]

  private func prepare(
    _ format: ArchiveFormat = .json,
    _ files: (ArchiveFixture) -> ControlledFiles = { _ in ControlledFiles() }
  ) throws -> (ArchiveFixture, ArchiveStorage, ControlledFiles) {
    let fixture = try ArchiveFixture()
    try BackgroundHistory.prepare(fixture, format)
    let files = files(fixture)
    let storage = try fixture.storage(format, files: files, minimumJournal: 800) {
      $0.durability = .full
    }
    return (fixture, storage, files)
  }

  @Test(
    "A checkpoint runs beside commits, which stay in the journal",
    arguments: ArchiveFormat.allCases
  )
  func besideCommits(_ format: ArchiveFormat) throws {
    let (fixture, storage, files) = try prepare(format)
    let history = BackgroundHistory()
    history.run(storage, files)
    #expect(history.acknowledged == Self.all)
    let journal = try fixture.text("journal.jsonl")
    #expect(!journal.contains(BackgroundHistory.long))
    #expect(journal.contains("\"c\"") && journal.contains("\"last\""))
    #expect(!journal.contains("checkpoint"))
    #expect(try storage.verify(timeout: .seconds(1)) == [])
    #expect(try fixture.names().count == 5)
    #expect(try BackgroundHistory.found(fixture, format) == BackgroundHistory.state(Self.all))
    try storage.close()
    try BackgroundHistory.check(fixture, format, Self.all, next: nil, "closed")
  }

  // MARK: Crashes

  @Test(
    "A process that dies at any file operation of a checkpoint or beside it loses no commit",
    arguments: ArchiveFormat.allCases
  )
  func everyCrashPoint(_ format: ArchiveFormat) throws {
    var point = 1
    while true {
      let (fixture, storage, files) = try prepare(format) { _ in ControlledFiles(deadFrom: point) }
      let history = BackgroundHistory()
      history.run(storage, files)
      try BackgroundHistory.check(
        fixture,
        format,
        history.acknowledged,
        next: history.failures.first?.name,
        "call \(point)"
      )
      if files.calls < point { break }
      point += 1
    }
    #expect(point > 45)
  }

  @Test("A power loss after any file operation of a checkpoint loses no acknowledged commit")
  func everyPowerLoss() throws {
    let (fixture, storage, files) = try prepare { ControlledFiles(recording: $0.path) }
    let history = BackgroundHistory(acknowledging: files)
    history.run(storage, files)
    #expect(history.acknowledged == Self.all)
    for (number, leftover) in files.leftovers.enumerated() {
      for (variant, contents) in [leftover.strict, leftover.entriesKept].enumerated() {
        let restored = try ArchiveFixture()
        try FileManager.default.createDirectory(
          atPath: restored.path,
          withIntermediateDirectories: true
        )
        try Data().write(to: restored.url("lock"))
        for (name, data) in contents { try data.write(to: restored.url(name)) }
        let acknowledged = Array(Self.all.prefix(leftover.acknowledged))
        let next = acknowledged.count < Self.all.count ? Self.all[acknowledged.count] : nil
        let place = "call \(number), variant \(variant)"
        try BackgroundHistory.check(restored, .json, acknowledged, next: next, place)
      }
    }
    #expect(files.leftovers.count > 45)
    withExtendedLifetime(fixture) {}
  }

  // MARK: Failures

  @Test("A checkpoint that fails before it renames anything is tried again; no commit hears of it")
  func everyFailure() throws {
    var point = 1
    var failures = 0
    while true {
      let (fixture, storage, files) = try prepare { _ in ControlledFiles(failingAt: point) }
      let history = BackgroundHistory()
      history.run(storage, files)
      if files.calls < point { break }
      let failed = files.failed
      let isNew = failed.hasSuffix(".next") || failed.hasSuffix(".marked")
      if isNew, ["create", "write", "sync"].contains(where: failed.hasPrefix) {
        failures += 1
        #expect(history.failures.isEmpty, "\(failed)")
        let findings = try storage.verify(timeout: .seconds(1))
        #expect(findings.map(\.isFault) == [false], "\(failed): \(findings)")
        #expect(findings.allSatisfy { $0.message.contains("checkpoint failed") }, "\(failed)")
        #expect(try fixture.names().count == 5, "\(failed)")
        try SchemaHistory.commit(storage) { writer in
          try writer.put([3, .text(BackgroundHistory.long + "again"), .null], "people")
        }
        storage.finishCheckpoint()
        #expect(try storage.verify(timeout: .seconds(1)) == [], "\(failed)")
        #expect(try fixture.text("journal.jsonl").utf8.count < 200, "\(failed)")
        try SchemaHistory.commit(storage) { writer in
          try writer.put([3, .text(BackgroundHistory.long), .null], "people")
        }
        try storage.close()
      }
      try BackgroundHistory.check(
        fixture,
        .json,
        history.acknowledged,
        next: history.failures.first?.name,
        failed
      )
      point += 1
    }
    #expect(failures > 10)
  }

  @Test("A change of the schema overtakes a checkpoint, and a later commit begins another one")
  func schemaChange() throws {
    let (fixture, storage, files) = try prepare()
    files.beforeSync { name in
      guard name == "people.json.next" else { return }
      files.beforeSync { _ in }
      let failed = code {
        try SchemaHistory.commit(storage) { writer in
          try writer.rename("people", to: "folk")
          _ = try writer.createCollection(people)
        }
      }
      #expect(failed == nil)
    }
    for _ in 0..<2 {
      try SchemaHistory.commit(storage) { writer in
        let name = writer.catalog.collection(named: "folk") == nil ? "people" : "folk"
        try writer.put([.null, .text(UUID().uuidString + BackgroundHistory.long), .null], name)
      }
      storage.finishCheckpoint()
      #expect(try storage.verify(timeout: .seconds(1)) == [])
    }
    // One that was renamed and one of each other collection; the name was taken when it was created.
    let names = try fixture.names()
    #expect(names.contains("folk.json") && names.count == 6, "\(names)")
    #expect(!names.contains { $0.hasSuffix(".next") || $0.hasSuffix(".marked") }, "\(names)")
    let expected = try StoreContent(storage)
    #expect(expected.collections["folk"]?.rows.count == 4)
    #expect(try fixture.content() == expected)
    try storage.close()
    #expect(try fixture.content() == expected)
  }

  @Test("A file that was edited by hand keeps a checkpoint from replacing it")
  func edit() throws {
    let (fixture, storage, files) = try prepare()
    let original = try fixture.text("pets.json")
    files.beforeSync { name in
      guard name == "people.json.next" else { return }
      #expect(code { try fixture.write("[]\n", to: "pets.json") } == nil)
    }
    let history = BackgroundHistory()
    history.commit("first", storage) { writer in
      try writer.put([.null, .text(BackgroundHistory.long), .null], "people")
      try writer.put(["max", .null], "pets")
      try writer.delete("ida", "pets")
    }
    storage.finishCheckpoint()
    history.commit("last", storage)
    #expect(history.acknowledged == ["first", "last"])
    #expect(try fixture.text("pets.json") == "[]\n")
    let findings = try storage.verify(timeout: .seconds(1))
    #expect(findings.contains { $0.message.contains("checkpoint failed") }, "\(findings)")
    try fixture.write(original, to: "pets.json")
    try storage.close()
    try BackgroundHistory.check(fixture, .json, history.acknowledged, next: nil, "mended")
  }

  // MARK: Other uses meanwhile

  @Test("Closing, compacting and suspending end a checkpoint", arguments: [0, 1, 2])
  func ended(_ kind: Int) throws {
    let (fixture, storage, files) = try prepare()
    let isRunning = DispatchSemaphore(value: 0)
    files.beforeSync { if $0 == "people.json.next" { isRunning.signal() } }
    let history = BackgroundHistory()
    history.commit("first", storage) { writer in
      try writer.put([.null, .text(BackgroundHistory.long), .null], "people")
      try writer.put(["max", .null], "pets")
      try writer.delete("ida", "pets")
    }
    isRunning.wait()
    switch kind {
    case 0: try storage.close()
    case 1:
      try storage.compact(timeout: .seconds(1))
      #expect(try fixture.text("journal.jsonl").utf8.count < 200)
    default:
      try storage.suspend()
      storage.finishCheckpoint()
      #expect(try fixture.names().count == 5)
      try storage.resume()
      history.commit("last", storage)
    }
    storage.finishCheckpoint()
    #expect(try fixture.names().count == 5)
    if kind > 0 { try storage.close() }
    try BackgroundHistory.check(fixture, .json, history.acknowledged, next: nil, "ended")
  }

  @Test("Readers of this and of other processes see every commit at every moment of a checkpoint")
  func readers() throws {
    let (fixture, storage, files) = try prepare()
    let peer = try fixture.storage()
    let history = BackgroundHistory()
    let places = Mutex<[String]>([])
    let backup = try ArchiveFixture()
    history.run(storage, files) { name in
      places.withLock { $0.append(name) }
      let failed = code {
        let expected = try StoreContent(storage)
        #expect(try StoreContent(peer) == expected, "\(name)")
        #expect(try fixture.content() == expected, "\(name)")
        if name == "people.json.next" {
          try storage.backup(to: backup.path, timeout: .seconds(1))
          #expect(try backup.content() == expected)
        }
      }
      #expect(failed == nil, "\(name)")
    }
    // The folder: before the lock is taken, and after the renames of journal, records, catalog, journal.
    #expect(places.withLock { $0.count { $0 == "store" } } == 5)
    #expect(history.acknowledged == Self.all)
    try SchemaHistory.commit(peer) { try $0.put([.null, "peer", .null], "people") }
    #expect(try StoreContent(storage) == (try StoreContent(peer)))
    try storage.close()
    try SchemaHistory.commit(peer) { try $0.delete(12, "people") }
    try peer.close()
    let found = try BackgroundHistory.found(fixture, .json)
    #expect(found.dropLast() == BackgroundHistory.state(Self.all).dropLast())
  }

  @Test("Two storages commit and make checkpoints at the same time, and neither loses anything")
  func twoStorages() throws {
    let fixture = try ArchiveFixture()
    try BackgroundHistory.prepare(fixture, .json)
    let storages = try (0..<2).map { _ in
      try fixture.storage(minimumJournal: 2000) { $0.timeout = .seconds(60) }
    }
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 2) { writer in
      for number in 0..<150 {
        do {
          let transaction = try storages[writer].beginWriting(timeout: .seconds(60))
          defer { transaction.end() }
          try transaction.put([.null, .text("\(writer) \(number)"), .null], "people")
          try transaction.commit()
        } catch {
          errors.withLock { $0.append("\(writer), \(number): \(error)") }
        }
      }
    }
    #expect(errors.withLock { $0 } == [])
    for storage in storages { storage.finishCheckpoint() }
    let expected = try StoreContent(storages[0])
    #expect(try StoreContent(storages[1]) == expected)
    let names = expected.collections["people"]?.rows.map { $0[1] }
    #expect(names.map(Set.init)?.count == 302)
    #expect(try fixture.content() == expected)
    for storage in storages {
      #expect(try storage.verify(timeout: .seconds(5)).filter(\.isFault) == [])
      try storage.close()
    }
    #expect(try fixture.content() == expected)
    #expect(try fixture.names().count == 5)
  }

  // MARK: Cost

  @Test("What is written under the lock does not depend on how much the store holds")
  func cost() throws {
    var costs: [(bytes: Int, calls: Int)] = []
    for count in [300, 6000] {
      let fixture = try ArchiveFixture()
      try BackgroundHistory.prepare(fixture, .json)
      let files = ControlledFiles()
      let storage = try fixture.storage(files: files, minimumJournal: 800) { $0.durability = .full }
      let history = BackgroundHistory()
      let before = Mutex((bytes: 0, calls: 0))
      files.beforeSync { name in
        switch name {
        case "journal.jsonl.marked" where before.withLock({ $0.calls == 0 }):
          history.commit("f", storage)
          before.withLock { $0 = (files.bytesWritten, files.calls) }
        default: break
        }
      }
      history.commit("bulk", storage) { writer in
        for number in 0..<count { try writer.put([.null, .text("n\(number)"), .null], "people") }
      }
      storage.finishCheckpoint()
      #expect(history.acknowledged == ["bulk", "f"])
      costs.append(
        before.withLock { (files.bytesWritten - $0.bytes, files.calls - $0.calls) }
      )
      try storage.close()
    }
    #expect(costs[0].calls == costs[1].calls)
    // The one commit since, in two journals; its offsets have more digits in the larger store.
    #expect(costs.allSatisfy { $0.bytes > 0 && $0.bytes < 400 }, "\(costs)")
  }
}
