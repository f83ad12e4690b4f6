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

  private static func guide() throws -> String {
    try String(
      contentsOf: repository.appendingPathComponent("docs/WritingABackend.md"),
      encoding: .utf8
    )
  }

  /// The files that the guide shows, by the path that it says last before each.
  private static func files(_ guide: String) -> [(path: String, text: String)] {
    let parts = guide.components(separatedBy: "```swift\n")
    return zip(parts, parts.dropFirst()).map { before, after in
      let path = before.matches(of: /`([A-Za-z\/]+\.swift)`/).last.map { String($0.1) }
      return (
        path ?? "",
        String(after.prefix(upTo: after.firstRange(of: "```")?.lowerBound ?? after.endIndex))
      )
    }
  }

  /// What the guide says to type, in order.
  private static func commands(_ guide: String) -> [String] {
    guide.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }

  private static func run(_ command: String, in folder: URL) throws -> (
    status: Int32, lines: [Substring]
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self).split(separator: "\n"))
  }

  @Test func `docs/WritingABackend.md shows the examples as they are, and nothing else`() throws {
    let shown = Self.files(try Self.guide())
    let sources = try Self.sources()
    #expect(sources.count == 7)
    #expect(shown.map(\.path).sorted() == sources.keys.sorted())
    for (path, text) in shown {
      #expect(sources[path] == text, "the guide does not show \(path) as it is")
    }
    let engine = try #require(sources["Sources/SlowStore/SlowEngine.swift"])
    let code = engine.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    #expect(code.count < 150, "an engine takes \(code.count) lines")
  }

  @Test func `the steps of the guide, from an empty folder on, end with the suite passed`() throws {
    // Shared with the other outside packages of the tests, so that Holdfast is built once for all.
    let built = Self.repository.appendingPathComponent(".build/outside")
    let files = FileManager.default
    let package = files.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try files.createDirectory(at: package, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: package) }
    let guide = try Self.guide()
    let commands = Self.commands(guide)
    #expect(commands.count == 2)
    let begun = try Self.run(commands[0], in: package)
    #expect(begun.status == 0, "\(begun.lines.joined(separator: "\n"))")
    var lines = 0
    for (path, text) in Self.files(guide) {
      #expect(!text.contains("@testable"), "\(path)")
      lines += text.split(separator: "\n", omittingEmptySubsequences: false).count - 1
      let file = package.appendingPathComponent(path)
      try files.createDirectory(
        at: file.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      let moved = text.replacing("path: \"../..\"", with: "path: \"\(Self.repository.path)\"")
      try Data(moved.utf8).write(to: file)
    }
    let start = ContinuousClock.now
    let tested = try Self.run("\(commands[1]) --scratch-path '\(built.path)'", in: package)
    print("\(lines) lines of the guide were built and tested in \(ContinuousClock.now - start)")
    #expect(tested.status == 0, "\(tested.lines.suffix(40).joined(separator: "\n"))")
    #expect(tested.lines.contains { $0.contains("2 tests") && $0.contains("passed") })
  }
}
