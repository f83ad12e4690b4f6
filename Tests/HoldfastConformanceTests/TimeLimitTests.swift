import Dispatch
import Foundation
import Holdfast
import HoldfastConformance
import Testing

/// A case that hangs fails, and holds up nobody.
@Suite struct TimeLimitTests {
  /// Something to hang on, and whether that ended.
  private final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    func block() { semaphore.wait() }
    func open() { semaphore.signal() }
  }

  @Test func `cases that block their threads fail with their steps, and the next one runs`()
    async throws
  {
    let latches = (0..<16).map { _ in Latch() }
    defer { for latch in latches { latch.open() } }
    let results = await withTaskGroup(of: ConformanceResult.self) { group in
      for latch in latches {
        group.addTask {
          let entry = ConformanceCase("records.hangs", "Hangs.") { context in
            _ = try context.open()
            context.note("about to hang")
            latch.block()
          }
          return await Conformance.run(
            entry,
            on: makeHarness(.memory),
            // Long enough to come as far as to hang on a busy machine.
            timeLimit: .seconds(2)
          )
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.count == latches.count)
    for result in results {
      #expect(result.failures.first?.what.hasPrefix("the case did not end within") == true)
      #expect(result.trace.dropLast().last == "about to hang", "\(result.trace)")
    }
    let next = try #require(Conformance.cases.first { $0.id == "records.insertGet" })
    #expect(await !Conformance.run(next, on: makeHarness(.memory)).isFailure)
  }

  @Test func `a hanging case is cancelled, and cleans up if that ends it`() async throws {
    let (stream, ended) = AsyncStream.makeStream(of: Bool.self)
    let harness = makeHarness(.sqlite)
    let entry = ConformanceCase("records.waits", "Waits to be cancelled.") { context in
      _ = try context.open()
      while !Task.isCancelled { await Task.yield() }
    }
    let watched = WatchedHarness(base: harness) { ended.yield(true) }
    let result = await Conformance.run(entry, on: watched, timeLimit: .milliseconds(50))
    #expect(result.isFailure)
    var iterator = stream.makeAsyncIterator()
    #expect(await iterator.next() == true)
    #expect(!FileManager.default.fileExists(atPath: harness.folder.path))
  }
}

/// A harness that says when it was cleaned up.
private struct WatchedHarness: Harness {
  let base: StoreHarness
  let onCleanUp: @Sendable () -> Void
  var backend: String { base.backend }

  func open(_ place: HarnessPlace, options: StorageOptions) throws -> Store {
    try base.open(place, options: options)
  }
  func destroy(_ place: HarnessPlace) throws { try base.destroy(place) }
  func place(_ obstacle: HarnessObstacle, at place: HarnessPlace) throws {
    try base.place(obstacle, at: place)
  }
  func leftovers() -> [String] { base.leftovers() }
  func cleanUp() {
    base.cleanUp()
    onCleanUp()
  }
}
