import Dispatch
import Holdfast
import Synchronization

/// One run of one case: its body against the time limit.
final class CaseRun: Sendable {
  private enum Ending: Sendable {
    case ended(isUnsupported: Bool)
    case timeIsUp

    var isUnsupported: Bool {
      if case .ended(let isUnsupported) = self { return isUnsupported }
      return false
    }
  }

  private let entry: ConformanceCase
  private let context: ConformanceContext
  private let waiter = Mutex<CheckedContinuation<Ending, Never>?>(nil)

  init(_ entry: ConformanceCase, _ context: ConformanceContext) {
    self.entry = entry
    self.context = context
  }

  /// Runs the case and cleans up after it.
  ///
  /// Past the limit it stops waiting: a body that hangs cannot be ended, so it keeps its thread, and
  /// cleans up if it ever ends.
  func result(seed: UInt64, timeLimit: Duration) async -> ConformanceResult {
    await CaseGate.shared.enter()
    defer { CaseGate.shared.leave() }
    let start = ContinuousClock.now
    let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "holdfast.case.limit"))
    let ending = await withCheckedContinuation { continuation in
      waiter.withLock { $0 = continuation }
      let task = Task(executorPreference: OwnThreads.shared) { [self] in
        finish(.ended(isUnsupported: await perform()))
      }
      timer.setEventHandler { [self] in
        finish(.timeIsUp)
        task.cancel()
      }
      timer.schedule(deadline: .now() + timeLimit.seconds)
      timer.resume()
    }
    timer.cancel()
    if case .timeIsUp = ending {
      context.fail("the case did not end within \(timeLimit); it hangs in or after its last step")
    }
    let failures = context.failures
    let elapsed = ContinuousClock.now - start
    return ConformanceResult(
      entry,
      failures.isEmpty
        ? (ending.isUnsupported ? .unsupportedVerified : .passed) : .failed(failures),
      failureCount: context.failureCount,
      checkCount: max(1, context.checkCount),
      seed: seed,
      trace: failures.isEmpty ? [] : context.notes,
      engine: context.engine,
      seconds: elapsed.seconds
    )
  }

  private func finish(_ ending: Ending) {
    waiter.withLock { waiter in
      waiter?.resume(returning: ending)
      waiter = nil
    }
  }

  /// Runs the body, or what takes its place where the backend lacks what the case needs.
  private func perform() async -> Bool {
    var isUnsupported = false
    do {
      if try lacksNeeds() {
        isUnsupported = true
        context.note("the backend declares less than the case needs, so what applies is checked")
        try await entry.otherwise(context)
      } else {
        try await entry.body(context)
      }
    } catch {
      context.fail(
        "the case",
        expected: "no error",
        got: "\(type(of: error)): \(error)"
      )
    }
    context.closeAll()
    context.harness.cleanUp()
    return isUnsupported
  }

  private func lacksNeeds() throws -> Bool {
    if entry.needs.isEmpty { return false }
    let probe = try context.harness.open(.second, options: ConformanceContext.quick)
    let declared = probe.capabilities
    try probe.close()
    try context.harness.destroy(.second)
    return !entry.needs.allSatisfy { context.offers($0, declared) }
  }
}

extension Duration {
  /// The seconds with their fraction.
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
