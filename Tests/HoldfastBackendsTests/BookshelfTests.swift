import Foundation
import Testing

/// The application of docs/Bookshelf, built as an outside package.
@Suite("Bookshelf") struct BookshelfTests {
  /// Shared with the other outside packages of the tests, so that Holdfast is built once for all.
  private static let built = repository.appendingPathComponent(".build/outside")

  private func run(_ command: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test("It migrates, queries and observes alike on every backend, chosen by one string")
  func everyBackend() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let source = repository.appendingPathComponent("docs/Bookshelf").path
    let flags = ["--package-path", source, "--scratch-path", Self.built.path]
    let built = try run(["swift", "build"] + flags)
    try #require(built.status == 0, "\(built.output)")
    let program = Self.built.appendingPathComponent("debug/Bookshelf").path
    for scheme in EveryBackend.schemes {
      let url = scheme == "memory" ? "memory:shelf" : "\(scheme):\(folder.path)/\(scheme)"
      let (status, output) = try run([program, url])
      #expect(status == 0, "\(scheme)")
      #expect(output == Self.expected, "\(scheme)")
    }
  }

  private static let expected = """
    migrated: 2: authors are records; 3: titles, and ratings as numbers of stars
    then added: author: add unique index name (name); book: add field year integer, optional; \
    book: add index year (year)
    The Left Hand of Darkness by Ursula K. Le Guin, 5 stars
    The Dispossessed by Ursula K. Le Guin, 4 stars
    黄金时代 by 王小波, unread
    more than four stars: The Left Hand of Darkness
    unread: 1
    watching: ["黄金时代"]
    watching: ["Sommarboken", "黄金时代"]
    a book needs an author
    left: Sommarboken, The Dispossessed, The Left Hand of Darkness

    """
}
