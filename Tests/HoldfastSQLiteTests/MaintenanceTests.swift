import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct MaintenanceTests {
  let folder: TemporaryFolder
  let storage: SQLiteStorage

  init() throws {
    folder = try TemporaryFolder()
    storage = try Self.open(folder)
    try storage.write { writer in
      _ = try writer.createCollection(.user)
      try writer.add([.null, "Ada", "ada@x", 36], to: "user")
    }
  }

  private static func open(
    _ folder: TemporaryFolder,
    _ name: String = "test.db",
    readOnly: Bool = false
  ) throws -> SQLiteStorage {
    var options = StorageOptions()
    options.isReadOnly = readOnly
    return try SQLiteStorage.open(path: folder.path(name), options: options)
  }

  private struct Stop: Error {}

  private func fill(_ count: Int) throws {
    try storage.write { writer in
      let text = String(repeating: "x", count: 1000)
      for _ in 0..<count {
        try writer.add([.null, .text("\(UUID())\(text)"), .null, .null], to: "user")
      }
    }
  }

  // MARK: Changes of others

  @Test func `the commits of others are noticed once, and own ones never`() throws {
    let other = try Self.open(folder)
    #expect(try !storage.takeExternalChange())
    #expect(try !other.takeExternalChange())
    try fill(3)
    #expect(try !storage.takeExternalChange())
    #expect(try other.takeExternalChange())
    #expect(try !other.takeExternalChange())
    // Noticed also where an own transaction has seen them first.
    try other.write { try $0.add([.null, "o", .null, .null], to: "user") }
    try fill(1)
    #expect(try storage.takeExternalChange())
    #expect(try !storage.takeExternalChange())
    #expect(try other.takeExternalChange())
    _ = try runSQL(folder.path(), "UPDATE user SET age = 1")
    #expect(try storage.takeExternalChange())
    #expect(try other.takeExternalChange())
    try other.close()
  }

  @Test func `what changes nothing is no change`() throws {
    let other = try Self.open(folder)
    for storage in [storage, other] { #expect(try !storage.takeExternalChange()) }
    #expect(throws: Stop.self) {
      try storage.write { writer in
        try writer.change("user") { $0.fields[1].isOptional = true }
        throw Stop()
      }
    }
    _ = try other.read { try $0.rows("user") }
    try other.write { _ in }
    for storage in [storage, other] { #expect(try !storage.takeExternalChange()) }
    try fill(4000)
    try storage.write { try $0.change("user") { $0.fields[1].isOptional = true } }
    #expect(try !storage.takeExternalChange())
    try storage.compact(timeout: .seconds(5))
    #expect(try !storage.takeExternalChange())
    try fill(1)
    try storage.backup(to: folder.path("copy.db"), timeout: .seconds(5))
    #expect(try !storage.takeExternalChange())
    try other.close()
  }

  @Test func `asking never waits and disturbs no transaction`() throws {
    let writer = try storage.beginWriting(timeout: .zero)
    try writer.add([.null, "b", .null, .null], to: "user")
    let start = ContinuousClock.now
    #expect(try !storage.takeExternalChange())
    #expect(ContinuousClock.now - start < .seconds(1))
    try writer.add([.null, "c", .null, .null], to: "user")
    try writer.commit()
    writer.end()
    #expect(try !storage.takeExternalChange())
    let other = try Self.open(folder)
    let blocking = try other.beginWriting(timeout: .zero)
    try blocking.add([.null, "d", .null, .null], to: "user")
    #expect(try !storage.takeExternalChange())
    try blocking.commit()
    #expect(try storage.takeExternalChange())
    blocking.end()
    try other.close()
  }

  @Test func `a store that only reads notices the commits of others`() throws {
    let reader = try Self.open(folder, readOnly: true)
    #expect(try !reader.takeExternalChange())
    try fill(1)
    #expect(try reader.takeExternalChange())
    #expect(try !reader.takeExternalChange())
    #expect(try reader.read { try $0.rows("user") }.count == 2)
    try reader.close()
  }

  // MARK: Compacting

  @Test func `compacting gives space back and empties the log`() throws {
    try fill(5000)
    try storage.write { writer in
      _ = try writer.deleteAll(in: writer.named("user"))
      try writer.add([7, "Ada", .null, .null], to: "user")
    }
    func size(_ suffix: String) throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path() + suffix)
      return try #require(attributes[.size] as? Int)
    }
    #expect(try size("-wal") > 1_000_000)
    try storage.compact(timeout: .seconds(5))
    #expect(try size("-wal") == 0)
    #expect(try size("") < 100_000)
    #expect(try storage.write { try $0.add([.null, "Bo", .null, .null], to: "user") } == 5002)
    try storage.close()
    #expect(try folder.contents().keys.sorted() == ["test.db"])
  }

  @Test func `compacting waits for others, but not for ever`() throws {
    let other = try Self.open(folder)
    let writer = try other.beginWriting(timeout: .zero)
    try expect(.busy) { try storage.compact(timeout: .milliseconds(30)) }
    writer.end()
    let reader = try other.beginReading(timeout: .zero)
    try expect(.busy) { try storage.compact(timeout: .milliseconds(30)) }
    reader.end()
    try storage.compact(timeout: .seconds(5))
    let own = try storage.beginWriting(timeout: .zero)
    try expect(.busy) { try storage.compact(timeout: .milliseconds(30)) }
    own.end()
    let readOnly = try Self.open(folder, readOnly: true)
    try expect(.readOnly) { try readOnly.compact(timeout: .zero) }
    try readOnly.close()
    try other.close()
    #expect(try storage.read { try $0.rows("user") }.count == 1)
  }

  // MARK: Verifying

  @Test func `a sound store has no faults, also read-only and during a write`() throws {
    try fill(100)
    let writer = try storage.beginWriting(timeout: .zero)
    #expect(try storage.verify(timeout: .zero).filter(\.isFault) == [])
    writer.end()
    let readOnly = try Self.open(folder, readOnly: true)
    let findings = try readOnly.verify(timeout: .zero)
    #expect(findings.filter(\.isFault) == [])
    #expect(findings.allSatisfy { $0.message.contains("3.51.3") })
    try readOnly.close()
  }

  @Test func `missing and changed indexes are found`() throws {
    try storage.close()
    _ = try runSQL(
      folder.path(),
      "DROP INDEX user_email_index; DROP INDEX user_age_index; "
        + "CREATE INDEX user_age_index ON user (age, name); DROP INDEX user_name_index; "
        + "CREATE INDEX user_name_index ON user (name)"
    )
    let again = try Self.open(folder)
    let faults = try again.verify(timeout: .zero).filter(\.isFault).map(\.message)
    #expect(faults.count == 3)
    for name in ["email", "name", "age"] {
      #expect(faults.contains { $0.hasPrefix("index \(name) of user") })
    }
    try again.close()
  }

  @Test func `damage is found, a line each, and never too many`() throws {
    try fill(3000)
    try storage.close()
    var bytes = try Data(contentsOf: URL(filePath: folder.path()))
    for page in 20..<(bytes.count / 4096) where page % 3 == 0 {
      for offset in 0..<64 { bytes[page * 4096 + offset] = 0xA5 }
    }
    try bytes.write(to: URL(filePath: folder.path("damaged.db")))
    let damaged = try Self.open(folder, "damaged.db")
    let faults = try damaged.verify(timeout: .seconds(1)).filter(\.isFault)
    #expect(faults.count > 1 && faults.count < 102)
    #expect(faults.allSatisfy { !$0.message.contains("\n") })
    try damaged.close()
    #expect(try Data(contentsOf: URL(filePath: folder.path("damaged.db"))) == bytes)
  }

  // MARK: Suspending

  @Test func `a suspended store holds no file, and resumes where it was`() throws {
    try fill(10)
    let reader = try storage.beginReading(timeout: .zero)
    reader.end()
    try storage.suspend()
    try storage.suspend()
    #expect(try folder.contents().keys.sorted() == ["test.db"])
    #if os(Linux)
    let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
        .hasPrefix(folder.path()) == true
    }
    #expect(open == [])
    #endif
    try expect(.suspended) { try storage.beginReading(timeout: .zero) }
    try expect(.suspended) { try storage.beginWriting(timeout: .zero) }
    try expect(.suspended) { try storage.compact(timeout: .zero) }
    try expect(.suspended) { try storage.backup(to: folder.path("b"), timeout: .zero) }
    _ = try runSQL(folder.path(), "BEGIN EXCLUSIVE; UPDATE user SET age = 5; COMMIT")
    try storage.resume()
    try storage.resume()
    #expect(try storage.takeExternalChange())
    #expect(try !storage.takeExternalChange())
    #expect(try storage.read { try $0.rows("user") }.count == 11)
    try fill(1)
    try storage.suspend()
    try storage.close()
    try storage.resume()
    try expect(.closed) { try storage.beginReading(timeout: .zero) }
    #expect(try folder.contents().keys.sorted() == ["test.db"])
  }

  @Test func `resuming refuses what opening refuses, and can be tried again`() throws {
    try storage.suspend()
    let whole = try Data(contentsOf: URL(filePath: folder.path()))
    try FileManager.default.removeItem(atPath: folder.path())
    try expect(.cannotOpen) { try storage.resume() }
    #expect(try folder.contents().isEmpty)
    try whole.prefix(5000).write(to: URL(filePath: folder.path()))
    try expect(.corrupt) { try storage.resume() }
    try whole.write(to: URL(filePath: folder.path()))
    _ = try runSQL(folder.path(), "PRAGMA user_version = 99")
    try expect(.newerFormat) { try storage.resume() }
    try expect(.suspended) { try storage.beginReading(timeout: .zero) }
    try whole.write(to: URL(filePath: folder.path()))
    try storage.resume()
    #expect(try storage.read { try $0.rows("user") }.count == 1)
  }

  @Test func `another store in its place is read anew`() throws {
    let other = try Self.open(folder, "other.db")
    try other.write { writer in
      var different = CollectionDefinition.user
      different.name = "different"
      _ = try writer.createCollection(different)
    }
    let versions = try [storage, other].map { try $0.read { $0.catalog.schemaVersion } }
    #expect(versions[0] == versions[1])
    try other.close()
    try storage.suspend()
    let bytes = try Data(contentsOf: URL(filePath: folder.path("other.db")))
    try bytes.write(to: URL(filePath: folder.path()))
    try storage.resume()
    #expect(try storage.read { $0.catalog.collections.map(\.name) } == ["different"])
    #expect(try storage.write { $0.catalog.collections.map(\.name) } == ["different"])
  }
}
