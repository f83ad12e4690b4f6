import Foundation

/// How to start a second process on the stores of a harness: an executable of yours that runs
/// ``ConformancePeer/main(path:open:)``.
///
/// The store's path follows the arguments.
public struct PeerCommand: Sendable {
  /// The executable's path.
  public var executable: String
  /// What comes before the store's path.
  public var arguments: [String]

  /// Creates a command.
  public init(executable: String, arguments: [String] = []) {
    self.executable = executable
    self.arguments = arguments
  }

  /// Creates a command that runs an executable of the package under test, found where the package
  /// manager builds it: beside the tests.
  public init(built name: String, arguments: [String] = []) {
    // On Apple platforms the tests are in a bundle, a few folders deeper.
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<5 {
      let candidate = folder.appendingPathComponent(name).path
      if FileManager.default.isExecutableFile(atPath: candidate) {
        self.init(executable: candidate, arguments: arguments)
        return
      }
      folder.deleteLastPathComponent()
    }
    // Starting it will say that it is not there.
    self.init(executable: name, arguments: arguments)
  }
}
