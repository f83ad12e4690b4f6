import Foundation
import Holdfast
import HoldfastBackends
import HoldfastConformance

/// The tool as the second process of its own conformance runs.
enum ConformancePeerCommand {
  private static let name = "conformance-peer"

  /// How to start it on stores of a backend.
  static func peer(of scheme: StorageURL.Scheme) -> PeerCommand? {
    Bundle.main.executablePath.map {
      PeerCommand(executable: $0, arguments: [name, scheme.rawValue])
    }
  }

  /// Serves the suite on standard input; not for people.
  static let command = Command(
    name,
    "serve the conformance suite as a second process",
    arguments: [
      Command.Argument("BACKEND", words: StorageURL.Scheme.allCases.map(\.rawValue)),
      Command.Argument("PATH", isPath: true),
    ],
    takesStore: false
  ) { invocation in
    let arguments = invocation.arguments.positionals
    guard let scheme = StorageURL.Scheme(rawValue: arguments[0]) else {
      throw UsageError("there is no backend \(arguments[0])")
    }
    ConformancePeer.main(path: arguments[1]) { path, options in
      try Backends.open(StorageURL(scheme, path: path, options: options))
    }
  }
}
