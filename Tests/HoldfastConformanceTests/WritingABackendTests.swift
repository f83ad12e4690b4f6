import Foundation
import Testing

/// The guide's backend, built as an outside package from the code that the guide shows.
@Suite struct WritingABackendTests {
  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the backend of docs/WritingABackend.md passes the suite in a package of its own`()
    throws
  {
    let guide = try String(
      contentsOf: Self.repository.appendingPathComponent("docs/WritingABackend.md"),
      encoding: .utf8
    )
    let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map {
      String($0.prefix(upTo: $0.range(of: "```")?.lowerBound ?? $0.endIndex))
    }
    let manifest = try #require(blocks.first { $0.contains("import PackageDescription") })
    let proof = try #require(blocks.first { $0.contains("import Testing") })
    let engine = blocks.filter { $0 != manifest && $0 != proof }.joined(separator: "\n")
    #expect(manifest.contains("path: \"../Holdfast\""))

    // It stays between runs, so that Holdfast is not built again for it each time.
    let package = Self.repository.appendingPathComponent(".build/writing-a-backend")
    try write(
      manifest.replacing("\"../Holdfast\"", with: "\"\(Self.repository.path)\""),
      to: package.appendingPathComponent("Package.swift")
    )
    try write(engine, to: package.appendingPathComponent("Sources/SlowStore/SlowStore.swift"))
    try write(
      proof,
      to: package.appendingPathComponent("Tests/SlowStoreTests/SlowStoreTests.swift")
    )

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
    #expect(lines.contains { $0.contains("1 test") && $0.contains("passed") })
  }

  private func write(_ text: String, to file: URL) throws {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(),
      withIntermediateDirectories: true
    )
    try Data(text.utf8).write(to: file)
  }
}
