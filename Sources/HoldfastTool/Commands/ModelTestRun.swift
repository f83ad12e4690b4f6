import Foundation
import Holdfast
import HoldfastConformance

/// The model test as `holdfast conformance` runs it.
enum ModelTestRun {
  /// Runs random histories or a script, as the options say.
  static func run(_ invocation: Invocation) async throws {
    let arguments = invocation.arguments
    for name in ["--filter", "--format", "--list"] where arguments.has(name) {
      throw UsageError("\(name) is for the cases, not for the model test; leave it out")
    }
    let harnesses = Command.schemes(arguments).map { scheme in
      { @Sendable () -> any Harness in Command.harness(scheme) }
    }
    if let path = arguments["--replay"] {
      guard !arguments.has("--model-minutes"), !arguments.has("--seed") else {
        throw UsageError("--replay runs a script as it is; leave --model-minutes and --seed out")
      }
      return try await replay(path, harnesses, invocation)
    }
    guard let minutes = arguments["--model-minutes"].flatMap({ Double($0) }), minutes >= 0,
      minutes <= 1_000_000
    else {
      throw UsageError("--model-minutes takes a number from 0 up, as 0.5 or 10")
    }
    let seed = arguments.number("--seed").map { UInt64($0) } ?? .random(in: 0...UInt64(Int.max))
    try await run(minutes, seed, harnesses, invocation)
  }

  private static func run(
    _ minutes: Double,
    _ seed: UInt64,
    _ harnesses: [ModelTest.MakeHarness],
    _ invocation: Invocation
  ) async throws {
    let output = invocation.output
    try output.line("seed \(seed)")
    try output.flush()
    let path = invocation.arguments["--output"]
    let progress = ProgressLine("operations")
    let report = await ModelTest.run(
      seed: seed,
      limit: .time(.seconds(minutes * 60)),
      on: harnesses,
      before: { script in
        // Should the process die, the history that killed it is left. A file that cannot be written
        // is found below.
        if let path { _ = Result { try save(script(), path, output) } }
      },
      progress: { progress.report($0, nil) }
    )
    progress.finish()
    if let path { try save(report.fault?.script ?? "# no fault\n", path, output) }
    try output.write(report.text)
    if report.fault != nil, let path {
      try output.line("run it again: holdfast conformance --replay \(path)")
    }
    if report.fault != nil { throw CheckFailed() }
  }

  private static func save(_ script: String, _ path: String, _ output: Output) throws {
    try OutputFile.with(path, else: output) { try $0.write(script) }
  }

  private static func replay(
    _ path: String,
    _ harnesses: [ModelTest.MakeHarness],
    _ invocation: Invocation
  ) async throws {
    let replay: ModelReplay
    do {
      replay = try await ModelTest.replay(try script(path), on: harnesses)
    } catch let error as StorageError where error.code == .malformedInput {
      throw StorageError(.malformedInput, "\(path): \(error.message)")
    }
    try OutputFile.with(invocation.arguments["--output"], else: invocation.output) { output in
      for line in replay.lines { try output.line(line) }
    }
    if !replay.isEqual { throw CheckFailed() }
  }

  private static func script(_ path: String) throws -> String {
    let data: Data
    do {
      data = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw StorageError(.ioError, "cannot read \(path); check its name and permissions")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw StorageError(.malformedInput, "not UTF-8 text, so no script")
    }
    return text
  }
}
