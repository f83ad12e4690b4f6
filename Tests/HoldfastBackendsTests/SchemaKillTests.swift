import Foundation
import Holdfast
import HoldfastBackends
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite("Processes killed while they change a collection", .serialized)
struct SchemaKillTests {
  @Test(
    "After kill -9 in the middle of a change the collection is as before it or as after it, 8 times",
    arguments: ["sqlite", "lmdb", "json", "plist"]
  )
  func kill(_ backend: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = "\(backend):\(folder.path)/store"
    let count = 3000
    for round in 1...8 {
      let process = Process()
      process.executableURL = try probe()
      process.arguments = ["alters", url, "\(count)"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let clock = ContinuousClock()
      var text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let start = clock.now
      text += String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      // Somewhere in the next change, which takes about as long.
      let moment = (clock.now - start) * Double.random(in: 0..<1)
      usleep(UInt32(moment / .microseconds(1)))
      #expect(Foundation.kill(process.processIdentifier, SIGKILL) == 0)
      text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(text.hasPrefix("text\n") || text.hasPrefix("words\n"), "round \(round)")

      let store = try Backends.open(url)
      try store.read { transaction in
        let event = try transaction.collection("event")
        let isFirst = event.fields[3].name == "text"
        #expect(event.fields[3].isOptional != isFirst, "round \(round)")
        #expect(event.fields[1].type == (isFirst ? .integer : .text), "round \(round)")
        let rows = try transaction.fetch(Query("event"))
        #expect(rows.count == count, "round \(round)")
        #expect(rows.allSatisfy { $0["user"]?.kind == event.fields[1].type.storedKind })
        let user: Value = isFirst ? 7 : "7"
        let found = try transaction.count("event", where: .equal("user", user))
        #expect(found == count / 100, "round \(round)")
      }
      try store.close()
    }
  }
}
