import Foundation
import Testing

/// The guide's backends, built as an outside package.
@Suite struct WritingABackendTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let examples = repository.appendingPathComponent("docs/Examples")

  /// The sources of the example package, as paths inside it with their text.
  private static func sources() throws -> [String: String] {
    let paths = FileManager.default.enumerator(atPath: examples.path)?.compactMap { $0 as? String }
    var sources: [String: String] = [:]
    for path in paths ?? [] where path.hasSuffix(".swift") && !path.hasPrefix(".build") {
      sources[path] = try String(
        contentsOf: examples.appendingPathComponent(path),
        encoding: .utf8
      )
    }
    return sources
  }

  @Test func `docs/WritingABackend.md shows the examples as they are, and nothing else`() throws {
    let guide = try String(
      contentsOf: Self.repository.appendingPathComponent("docs/WritingABackend.md"),
      encoding: .utf8
    )
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map {
      String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex))
    }
    let sources = try Self.sources()
    #expect(sources.count == 7)
    for (path, source) in sources {
      #expect(blocks.contains(source), "the guide does not show \(path) as it is")
    }
    #expect(blocks.count == sources.count)
  }

  @Test func `the backends of docs/Examples pass the suite in a package of their own`() throws {
    // It stays between runs, so that Holdfast is not built again for it each time.
    let package = Self.repository.appendingPathComponent(".build/writing-a-backend")
    for folder in ["Sources", "Tests"] {
      try? FileManager.default.removeItem(at: package.appendingPathComponent(folder))
    }
    for (path, source) in try Self.sources() {
      #expect(!source.contains("@testable"), "\(path)")
      let file = package.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      let moved = source.replacing("path: \"../..\"", with: "path: \"\(Self.repository.path)\"")
      try Data(moved.utf8).write(to: file)
    }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "test", "--package-path", package.path]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n")
    #expect(process.terminationStatus == 0, "\(lines.suffix(40).joined(separator: "\n"))")
    #expect(lines.contains { $0.contains("2 tests") && $0.contains("passed") })
  }
}
