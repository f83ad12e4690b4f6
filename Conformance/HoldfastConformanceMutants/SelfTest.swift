import Foundation
import HoldfastConformance

/// The proof that the suite sees: it passes a right store, and fails each wrong one by a case of the
/// area that is to see it.
package struct SelfTest: Sendable {
  /// What came of one mutant.
  package struct Line: Sendable {
    /// What is wrong with it; nil for the store with nothing wrong.
    package let mutation: Mutation?
    /// How many cases ran on it until enough had caught it.
    package let caseCount: Int
    /// The cases that failed, in the catalogue's order; of a mutant the first three.
    package let failed: [String]

    /// Creates a line.
    package init(mutation: Mutation?, caseCount: Int, failed: [String]) {
      self.mutation = mutation
      self.caseCount = caseCount
      self.failed = failed
    }

    /// Whether it came out as it must: a mutant is caught, the right store is not.
    package var isExpected: Bool { failed.isEmpty == (mutation == nil) && caseCount > 0 }
  }

  /// The store with nothing wrong, then every mutant.
  package let lines: [Line]
  /// Whether every line came out as it must.
  package var isSuccess: Bool { lines.allSatisfy(\.isExpected) }

  /// Creates a test of its lines.
  package init(lines: [Line]) { self.lines = lines }

  /// Runs the suite on a right store, and on each mutant the cases of its area.
  ///
  /// `progress` is called after each of them.
  package static func run(progress: @Sendable () -> Void = {}) async -> SelfTest {
    let subjects = [nil] + Mutation.allCases
    return await withTaskGroup(of: (Int, Line).self) { group in
      var lines: [Line?] = subjects.map { _ in nil }
      var started = 0
      func startNext() {
        guard started < subjects.count else { return }
        let number = started
        started += 1
        group.addTask { (number, await run(subjects[number])) }
      }
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount { startNext() }
      while let (number, line) = await group.next() {
        lines[number] = line
        progress()
        startNext()
      }
      return SelfTest(lines: lines.compactMap { $0 })
    }
  }

  /// Runs what concerns one mutant, or the whole suite for nil.
  package static func run(_ mutation: Mutation?) async -> Line {
    let entries = Conformance.cases.filter { mutation == nil || $0.area == mutation?.area }
    // The right store must pass all; to know that a mutant is seen, a few cases will do.
    let enough = mutation == nil ? Int.max : 3
    // A wrong store may leave a case waiting for ever, which is then what catches it.
    let timeLimit = mutation == nil ? Conformance.defaultTimeLimit : .seconds(30)
    var caseCount = 0
    var failed: [String] = []
    for entry in entries where failed.count < enough {
      let harness = Mutation.harness(mutation)
      let result = await Conformance.run(entry, on: harness, timeLimit: timeLimit)
      caseCount += 1
      if result.isFailure { failed.append(entry.id) }
    }
    return Line(mutation: mutation, caseCount: caseCount, failed: failed)
  }
}
