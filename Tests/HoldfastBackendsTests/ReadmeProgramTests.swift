import Foundation
import Testing

@Suite("README")
struct ReadmeProgramTests {
  @Test("The program of the README compiles in an outside package and prints what it says")
  func program() throws {
    let readme = try String(
      contentsOf: repository.appendingPathComponent("README.md"),
      encoding: .utf8
    )
    let blocks = readme.components(separatedBy: "```")
    let program = try #require(blocks.first { $0.hasPrefix("swift\nimport Foundation\n") })
    let output = try #require(blocks.first { $0.hasPrefix("console\n$ swift run\n") })
      .split(separator: "\n").dropFirst(2).joined(separator: "\n")
    #expect(program.split(separator: "\n").count <= 26)

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let sources = folder.appendingPathComponent("Sources/Notes")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "Notes", platforms: [.macOS(.v15)],
        dependencies: [.package(name: "Holdfast", path: "\(repository.path)")],
        targets: [
          .executableTarget(
            name: "Notes",
            dependencies: [
              .product(name: "Holdfast", package: "Holdfast"),
              .product(name: "HoldfastBackends", package: "Holdfast"),
            ])
        ])
      """
    try Data(manifest.utf8).write(to: folder.appendingPathComponent("Package.swift"))
    try Data(program.dropFirst("swift\n".count).utf8)
      .write(to: sources.appendingPathComponent("Notes.swift"))
    // Shared with the other outside packages of the tests, so that Holdfast is built once for all.
    let built = repository.appendingPathComponent(".build/outside").path
    let flags = ["--package-path", folder.path, "--scratch-path", built]
    let printed = try run(["swift", "run", "--quiet"] + flags + ["Notes"], in: folder)
    #expect(printed.trimmingCharacters(in: .newlines) == output)
  }

  private func run(_ command: [String], in folder: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self)
  }
}
