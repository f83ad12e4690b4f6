import Foundation
import Holdfast

/// The model test: random histories on backends and on a reference model, compared step by step.
///
/// ```swift
/// let report = await ModelTest.run(seed: 1, limit: .histories(100), on: [{ MyHarness() }])
/// print(report.text)
/// ```
/// With several harnesses each history runs on every one of them, and all must end in equal content.
/// One that fails is made as small as it gets, and printed as a script that ``replay(_:on:)`` runs.
public enum ModelTest {
  /// Makes a fresh harness.
  public typealias MakeHarness = @Sendable () throws -> any Harness

  /// When a run ends.
  public enum Limit: Sendable {
    /// After so many histories.
    case histories(Int)
    /// With the first history that ends after this time.
    case time(Duration)
  }

  /// How long making a history smaller may take.
  static let shrinkingLimit = Duration.seconds(60)

  /// Runs random histories until one fails or the limit is reached.
  ///
  /// - Parameters:
  ///   - seed: the same seed gives the same histories.
  ///   - limit: when to end.
  ///   - harnesses: makes a fresh harness for each backend.
  ///   - before: called before each history with its script.
  ///   - progress: called after each history with the number of operations so far.
  /// - Returns: the counts, and the fault if one was found.
  public static func run(
    seed: UInt64,
    limit: Limit,
    on harnesses: [MakeHarness],
    before: @escaping @Sendable (_ script: () -> String) -> Void = { _ in },
    progress: @escaping @Sendable (_ operations: Int) -> Void = { _ in }
  ) async -> ModelReport {
    await onThread {
      let start = ContinuousClock.now
      var report = ModelReport(seed: seed)
      var seeds = SeededGenerator(seed: seed)
      while report.fault == nil {
        let history = ModelGenerator.history(seed: seeds.next())
        before { script(history, "under way") }
        report.histories += 1
        if let failure = compare(history, harnesses, report: &report) {
          report.fault = shrunk(history, failure, harnesses, seed: seed)
        }
        progress(report.operations)
        switch limit {
        case .histories(let count): if report.histories >= count { return report }
        case .time(let duration): if ContinuousClock.now - start >= duration { return report }
        }
      }
      return report
    }
  }

  /// Runs a script and says what each step gave.
  ///
  /// - Parameters:
  ///   - script: as a fault prints it.
  ///   - harnesses: makes a fresh harness for each backend.
  /// - Returns: what came of each line on each backend, and the first difference.
  /// - Throws: `StorageError.Code.malformedInput` that names the line.
  public static func replay(_ script: String, on harnesses: [MakeHarness]) async throws
    -> ModelReplay
  {
    let numbered = try ModelScriptReader.steps(script)
    return await onThread {
      let steps = numbered.map(\.step)
      var lines: [String] = []
      var contents: [(backend: String, ending: Ending)] = []
      for make in harnesses {
        let name = name(of: make)
        lines.append("# \(name)")
        let (failure, ending) = single(steps, make) { place, outcome in
          lines.append("\(numbered[place].line): \(steps[place].line)\n  \(outcome.text)")
        }
        if let failure {
          let line = numbered.isEmpty ? 0 : numbered[failure.place].line
          lines.append("line \(line) differs on \(name)\n  expected \(failure.expected)")
          return ModelReplay(lines: lines, isEqual: false)
        }
        contents.append((name, ending))
      }
      if let failure = Self.difference(contents, steps) {
        lines.append("the backends differ at the end\n\(failure.text)")
        return ModelReplay(lines: lines, isEqual: false)
      }
      lines.append("no difference")
      return ModelReplay(lines: lines, isEqual: true)
    }
  }

  // MARK: Histories

  /// What a history left.
  struct Ending {
    var content = ""
    /// The automatic keys that the store chose: where a rolled-back one may return or not, so that
    /// contents may differ.
    var keys: [Int64] = []
  }

  private static func single(
    _ steps: [ModelStep],
    _ make: MakeHarness,
    onStep: @escaping (Int, ModelOutcome) -> Void
  ) -> (ModelFailure?, Ending) {
    var ending = Ending()
    do {
      let harness = try make()
      defer { harness.cleanUp() }
      let run = try ModelRun(steps, on: harness) { place, outcome in
        ending.keys += outcome.keys.compactMap { $0 }
        onStep(place, outcome)
      }
      let failure = run.run()
      ending.content = run.model.committed.dump
      return (failure, ending)
    } catch {
      let failure = ModelFailure(
        place: 0,
        line: steps.first?.line ?? "",
        expected: "an open store",
        got: "\(error)",
        kind: "opening throws"
      )
      return (failure, ending)
    }
  }

  /// Runs a history on every backend; the first failure, with the backend's name in it.
  private static func compare(
    _ steps: [ModelStep],
    _ harnesses: [MakeHarness],
    report: inout ModelReport
  ) -> ModelFailure? {
    var contents: [(backend: String, ending: Ending)] = []
    for make in harnesses {
      var counted = report
      let (failure, ending) = single(steps, make) { place, outcome in
        counted.count(steps[place].word, outcome)
      }
      report = counted
      let name = name(of: make)
      if var failure {
        failure.backend = name
        return failure
      }
      contents.append((name, ending))
    }
    let keys = contents.map(\.ending.keys)
    if keys.contains(where: { $0 != keys.first }) { report.otherKeys += 1 }
    return difference(contents, steps)
  }

  /// The first two backends that end differently although they chose the same keys.
  private static func difference(
    _ contents: [(backend: String, ending: Ending)],
    _ steps: [ModelStep]
  ) -> ModelFailure? {
    guard let first = contents.first else { return nil }
    for other in contents.dropFirst()
    where other.ending.keys == first.ending.keys
      && !other.ending.content.utf8.elementsEqual(first.ending.content.utf8)
    {
      return ModelFailure(
        place: max(steps.count - 1, 0),
        line: "the end",
        expected: "as on \(first.backend): \(first.ending.content)",
        got: "on \(other.backend): \(other.ending.content)",
        kind: ModelFailure.atEnd,
        backend: "\(first.backend) and \(other.backend)"
      )
    }
    return nil
  }

  private static func shrunk(
    _ history: [ModelStep],
    _ failure: ModelFailure,
    _ harnesses: [MakeHarness],
    seed: UInt64
  ) -> ModelFault {
    // A difference from the model needs only the backend that has it.
    let concerned = harnesses.filter {
      failure.backend.split(separator: " ").contains("\(name(of: $0))")
    }
    var shrinker = ModelShrinker(history, failure, limit: shrinkingLimit) { steps in
      var ignored = ModelReport(seed: seed)
      return compare(steps, concerned, report: &ignored)
    }
    shrinker.shrink()
    return ModelFault(
      backend: failure.backend,
      kind: failure.kind,
      text: shrinker.failure.text,
      script: script(
        shrinker.steps,
        "seed \(seed), on \(failure.backend)\n\(shrinker.failure.text)"
      ),
      operations: shrinker.steps.count
    )
  }

  private static func script(_ steps: [ModelStep], _ heading: String) -> String {
    let comments = heading.split(separator: "\n").map { "# \($0)\n" }
    return comments.joined() + steps.map { $0.line + "\n" }.joined()
  }

  private static func name(of make: MakeHarness) -> String {
    (try? make())?.backend ?? "a harness that cannot be made"
  }

  /// Runs on a thread of its own: a history blocks, and Swift's threads are few.
  private static func onThread<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}
