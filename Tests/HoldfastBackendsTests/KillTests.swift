import Foundation
import Holdfast
import HoldfastBackends
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The probe's executable, beside the tests' own.
func probe() throws -> URL {
  var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  for _ in 0..<5 {
    let candidate = folder.appendingPathComponent("HoldfastProbe")
    if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    folder.deleteLastPathComponent()
  }
  throw StorageError(.cannotOpen, "HoldfastProbe was not built beside the tests; build it")
}

@Suite("Killed processes", .serialized)
struct KillTests {
  private func temporaryFolder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test(
    "After kill -9 in a stream of inserts every acknowledged record is there, 20 times",
    arguments: ["sqlite", "lmdb", "json", "plist"]
  )
  func kill(_ backend: String) throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = "\(backend):\(folder.path)/store"
    var acknowledged = 0
    var generator = SystemRandomNumberGenerator()
    for round in 1...20 {
      let stopAfter = Int.random(in: 1...60, using: &generator)
      let process = Process()
      process.executableURL = try probe()
      process.arguments = ["inserts", url, "100000"]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      var keys: [Int] = []
      var text = ""
      while keys.count < stopAfter {
        let data = output.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
        keys = Self.keys(text)
      }
      // The pipe may hold more acknowledgements by the time the child dies.
      #expect(Foundation.kill(process.processIdentifier, SIGKILL) == 0)
      text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      keys = Self.keys(text)
      #expect(keys.count >= stopAfter, "round \(round): the child ended early")
      acknowledged += keys.count

      let store = try Backends.open(url)
      let (found, total) = try store.read { transaction in
        let found = try keys.filter {
          try transaction.get(Key(.integer(Int64($0))), in: "event") != nil
        }
        return (found.count, try transaction.count("event"))
      }
      try store.close()
      #expect(found == keys.count, "round \(round)")
      #expect(total >= acknowledged && total <= acknowledged + 1, "round \(round)")
      acknowledged = total
    }
  }

  private static func keys(_ text: String) -> [Int] {
    guard let end = text.lastIndex(of: "\n") else { return [] }
    return text[..<end].split(separator: "\n").compactMap { Int($0) }
  }

  #if os(Linux)
  @Test(
    "Under full durability a sync completes before every acknowledgement",
    arguments: ["sqlite", "lmdb", "json", "plist"]
  )
  func syncBeforeAcknowledgement(_ backend: String) throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let trace = folder.appendingPathComponent("trace")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "strace", "-f", "-e", "trace=fsync,fdatasync,msync,write", "-o", trace.path, try probe().path,
      "inserts", "\(backend):\(folder.path)/store?durability=full", "25",
    ]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    var hasSynced = false
    var acknowledgements = 0
    for line in try String(contentsOf: trace, encoding: .utf8).split(separator: "\n") {
      let isSync = ["fsync(", "fdatasync(", "msync(", "fsync resumed", "fdatasync resumed"]
        .contains { line.contains($0) }
      if isSync, line.hasSuffix("= 0") { hasSynced = true }
      if line.contains("write(1, ") {
        #expect(hasSynced, "acknowledged without a sync: \(line)")
        acknowledgements += 1
        hasSynced = false
      }
    }
    #expect(acknowledgements == 25)
  }
  #endif
}
