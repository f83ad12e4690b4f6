import Holdfast

/// Migrations and other processes.
extension MigrationCases {
  /// The first steps of a list that a second process knows too.
  static func steps(_ count: Int) -> [Migration] {
    [create] + (1..<max(count, 1)).map { step("step \($0)", adds: "field\($0)") }
  }

  static let processes: [ConformanceCase] = [
    ConformanceCase(
      "migration.killMidway",
      "A process killed in the middle of its migrations leaves the store as it was.",
      needs: [.persistence]
    ) { context in
      guard context.harness.peer(at: .main) != nil else {
        return context.expectError(.unsupported) { _ = try context.startPeer() }
      }
      var store = try context.open()
      try await store.migrate(steps(2))
      try await store.write { _ = try $0.insert(["name": "Ada"], into: "person") }
      let before = try await store.read { try $0.catalog }
      for count in [3, 5] {
        try store.close()
        let peer = try context.startPeer()
        try peer.ask("open")
        try peer.ask("migrate \(count) hang")
        peer.kill()
        store = try context.open()
        let after = try await store.read { try $0.catalog }
        context.expect(after.migrations, before.migrations, "applied steps")
        context.expect(
          after.collections.map(\.definition).map(TraceText.definition),
          before.collections.map(\.definition).map(TraceText.definition),
          "collections"
        )
        context.expect(try await verify(store), [], "faults")
      }
      context.expect(try await store.migrate(steps(5)).count, 3, "steps applied in the end")
      let names = try await store.read { try $0.column("name", Query("person")) }
      context.expect(names, ["Ada"], "names")
    } otherwise: { context in
      context.expectError(.unsupported, "a second process") { _ = try context.startPeer() }
    },
    ProcessCases.shared(
      "migration.twoProcesses",
      "Of processes that migrate at once one does it, and the others find it done."
    ) { context in
      let store = try context.open()
      let peers = [try context.startPeer(), try context.startPeer()]
      for peer in peers { try peer.ask("open") }
      for round in 1...3 {
        let count = round * 3
        for peer in peers { try peer.send("migrate \(count)") }
        var applied = [try await store.migrate(steps(count)).count]
        for peer in peers { applied.append(Int(try peer.receive("migrate")) ?? -1) }
        context.expect(applied.sorted(), [0, 0, 3], "round \(round): steps applied")
        let names = try await store.read { try $0.catalog.migrations }
        context.expect(names, steps(count).map(\.name), "round \(round): names")
      }
    },
  ]
}
