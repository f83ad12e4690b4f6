import Foundation
import Testing

/// Runs the built `holdfast` in a temporary folder of its own.
final class ToolRunner: Sendable {
  /// What a run left behind.
  struct Result {
    let status: Int32
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [String] {
      output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
  }

  /// The folder in which the tool runs.
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("holdfast-tool-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit {
    // A temporary folder that cannot be removed is no finding about the tool.
    _ = Swift.Result { try FileManager.default.removeItem(at: folder) }
  }

  /// The executable, next to the test bundle or in a folder above it.
  static func executable() throws -> URL {
    let start = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
    for place in [start, URL(fileURLWithPath: CommandLine.arguments[0])].compactMap({ $0 }) {
      var folder = place.deletingLastPathComponent()
      for _ in 0..<4 {
        let candidate = folder.appendingPathComponent("holdfast")
        if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath
        {
          return candidate
        }
        folder.deleteLastPathComponent()
      }
    }
    throw CocoaError(.fileNoSuchFile)
  }

  /// Runs the tool to its end.
  func run(
    _ arguments: String...,
    input: String = "",
    environment: [String: String] = [:]
  ) async throws -> Result {
    try await run(arguments: arguments, input: input, environment: environment)
  }

  /// Runs the tool to its end.
  func run(
    arguments: [String],
    input: String = "",
    environment: [String: String] = [:]
  ) async throws -> Result {
    let id = UUID().uuidString
    let output = try file("\(id).out")
    let errors = try file("\(id).err")
    let source = try file("\(id).in", contents: input)
    var variables = ProcessInfo.processInfo.environment
    variables["HOLDFAST_STORAGE"] = nil
    for (name, value) in environment { variables[name] = value }
    let child = ChildProcess(
      path: try Self.executable().path,
      arguments: arguments,
      environment: variables,
      folder: folder.path,
      input: source.path,
      output: output.path,
      errors: errors.path
    )
    let status = try await child.run()
    defer {
      for url in [output, errors, source] {
        _ = Swift.Result { try FileManager.default.removeItem(at: url) }
      }
    }
    return Result(
      status: status,
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self)
    )
  }

  private func file(_ name: String, contents: String = "") throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-\(name)")
    try Data(contents.utf8).write(to: url)
    return url
  }

  /// Writes a file into the folder.
  func write(_ name: String, _ contents: String) throws {
    try Data(contents.utf8).write(to: folder.appendingPathComponent(name))
  }

  /// What a file in the folder holds.
  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
  }

  /// Whether a file or folder is in the folder.
  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path)
  }

  /// The names of what is in the folder, sorted.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  /// Cuts a file in the folder off after half of its bytes.
  func damage(_ name: String) throws {
    let url = folder.appendingPathComponent(name)
    let bytes = try Data(contentsOf: url)
    try bytes.prefix(bytes.count / 2).write(to: url)
  }

  /// Sets the permissions of a file in the folder.
  func setMode(_ mode: Int, _ name: String) throws {
    try FileManager.default.setAttributes(
      [.posixPermissions: mode],
      ofItemAtPath: folder.appendingPathComponent(name).path
    )
  }

  /// The permissions of a file in the folder.
  func mode(_ name: String) throws -> Int {
    let path = folder.appendingPathComponent(name).path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(attributes[.posixPermissions] as? NSNumber).intValue
  }
}
