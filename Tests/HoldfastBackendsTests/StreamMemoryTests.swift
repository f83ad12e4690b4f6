import Foundation
import Testing

#if os(Linux)
@Suite("Memory of streams")
struct StreamMemoryTests {
  @Test("A stream of a hundred thousand models takes no memory", arguments: ["sqlite", "lmdb"])
  func stream(_ backend: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = try probe()
    process.arguments = ["streams", "\(backend):\(folder.path)/store?durability=none", "100000"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let growth = try #require(Int(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    // Half of them at once are over 10 MiB.
    #expect(growth < 4096, "KiB")
  }
}
#endif
