import Foundation
import Testing

/// Shell scripts that run the tool, for what takes several processes at a time.
extension ToolRunner {
  /// Runs a script in the folder with `$TOOL` as the tool.
  ///
  /// - Returns: the script's exit status.
  @discardableResult
  func shell(_ script: String) async throws -> Int32 {
    let child = ChildProcess(
      path: "/bin/sh",
      arguments: ["-c", script],
      environment: ["TOOL": try Self.executable().path, "PATH": "/usr/bin:/bin"],
      folder: folder.path,
      input: "/dev/null",
      output: "/dev/null",
      errors: "/dev/null"
    )
    return try await child.run()
  }
}
