import Foundation

/// A Python interpreter with the modules `lmdb` and `cbor2`, as a program that knows nothing of
/// Holdfast.
///
/// It is the one that `HOLDFAST_PYTHON` names, or `python3`; `make test` installs the modules.
final class Python {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private let errors = Pipe()

  /// Runs a script to its end.
  ///
  /// - Returns: what it printed.
  static func run(_ script: String, _ arguments: [String]) throws -> Data {
    let python = try Python(script, arguments)
    return try python.end()
  }

  /// Starts a script.
  init(_ script: String, _ arguments: [String]) throws {
    let interpreter = ProcessInfo.processInfo.environment["HOLDFAST_PYTHON"] ?? "python3"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [interpreter, "-c", script] + arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try process.run()
  }

  /// Waits for the next line that the script prints.
  func line() throws -> String {
    var line = Data()
    while let byte = try output.fileHandleForReading.read(upToCount: 1), byte != Data([10]) {
      line += byte
      if byte.isEmpty { break }
    }
    if line.isEmpty { _ = try end() }
    return String(decoding: line, as: UTF8.self)
  }

  /// Hands the script a line.
  func say(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Closes the script's input and waits for its end.
  ///
  /// - Returns: what else it printed.
  @discardableResult
  func end() throws -> Data {
    try input.fileHandleForWriting.close()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    let message = try errors.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "Python failed: \(String(decoding: message, as: UTF8.self))")
    }
    return data
  }

  /// Ends the script with a signal that it cannot catch.
  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
