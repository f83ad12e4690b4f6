import HoldfastConformance
import HoldfastConformanceMutants
import Testing

/// The model test sees: it finds wrong stores, makes what it found small, and that replays.
@Suite struct ModelMutantTests {
  private static let seen: [Mutation] = [
    .negativeZeroKept, .textNormalized, .exclusiveBoundIncluded, .putDeletesAnother, .keyReused,
    .uniqueIgnoredInUpdate, .nullsCollide, .notEqualDropsNulls, .indexStaleAfterUpdate,
    .limitBeforeSort, .pageDropsTies, .savepointKept, .rollbackCommits, .cursorReadsLive,
    .lostOnReopen, .namesLowercased, .migrationsForgotten, .deleteNeverFound, .referencesForgotten,
    .setNullCascades,
  ]

  @Test(arguments: seen)
  func `a mutant is found, and found again from a short script`(_ mutation: Mutation) async throws {
    let report = await ModelTest.run(
      seed: 1,
      limit: .histories(400),
      on: [{ Mutation.harness(mutation) }]
    )
    let fault = try #require(report.fault, "\(mutation) stays unseen")
    #expect(fault.operations <= 8, "\(fault.script)")
    let again = try await ModelTest.replay(fault.script, on: [{ Mutation.harness(mutation) }])
    #expect(!again.isEqual)
    let right = try await ModelTest.replay(fault.script, on: [{ Mutation.harness(nil) }])
    #expect(right.isEqual, "\(right.lines.joined(separator: "\n"))")
  }
}
