import Holdfast

/// Two processes on one store.
enum ProcessCases {
  /// A case for backends that share stores between processes; what others do is checked instead.
  static func shared(
    _ id: String,
    _ statement: String,
    _ body: @escaping ConformanceCase.Body
  ) -> ConformanceCase {
    ConformanceCase(id, statement, needs: [.processes], body: body, otherwise: refused)
  }

  /// Without sharing, a second process is kept out while the store is open; a store in memory has no
  /// second process at all.
  private static func refused(_ context: ConformanceContext) async throws {
    guard context.harness.peer(at: .main) != nil else {
      context.expectError(.unsupported, "a second process") { _ = try context.startPeer() }
      return
    }
    let store = try await context.open(creating: Shapes.item())
    try await store.write { try $0.insertItems([1]) }
    let peer = try context.startPeer()
    context.expectError(.busy, "opening what this process has open") {
      try peer.ask("open timeout=100")
    }
    try store.close()
    context.expect(try peer.ask("open"), "found", "opening it afterwards")
    context.expect(try peer.ask("ids item"), "1", "what the second process reads")
  }

  /// Opens the main store with items in it here, with a short timeout, and in a second process.
  static func openBoth(_ context: ConformanceContext, _ ids: Range<Int> = 0..<3) async throws
    -> (Store, PeerProcess)
  {
    let store = try context.open { $0.timeout = .milliseconds(200) }
    try await store.write { transaction in
      try transaction.createCollection(Shapes.item(indexes: [IndexDefinition(["rank"])]))
      try transaction.createCollection(Shapes.automatic())
      try transaction.insertItems(ids)
    }
    let peer = try context.startPeer()
    context.expect(try peer.ask("open"), "found", "the second process's open")
    return (store, peer)
  }

  static let all: [ConformanceCase] =
    [
      shared("processes.mutualExclusion", "Two processes never write at once; a wait ends as busy.")
      {
        context in
        let (store, peer) = try await openBoth(context)
        let impatient = try context.startPeer()
        try impatient.ask("open timeout=100")
        try Blocking.write(store) { transaction in
          context.expectError(.busy, "another process during a write") {
            try impatient.ask("begin write")
          }
          try peer.send("begin write")
          try transaction.insertItems([10])
        }
        try peer.receive("begin write")
        context.expect(try peer.ask("ids item"), "0 1 2 10", "what the waiting writer sees")
        await context.expectError(.busy, "a write during another process's") {
          try await store.write { try $0.insertItems([11]) }
        }
        try peer.ask("insert item 12 1")
        try peer.ask("commit")
        try await store.write { try $0.insertItems([13]) }
        let ids = try await store.read { try $0.ids(Query("item")) }
        context.expect(ids, [0, 1, 2, 10, 12, 13], "ids")
      },
      shared("processes.exactCounter", "Increments of three processes all count.") { context in
        let store = try await context.open(creating: Shapes.item())
        try await store.write { _ = try $0.insert(["id": 0, "rank": 0], into: "item") }
        let peers = [try context.startPeer(), try context.startPeer()]
        for peer in peers { try peer.ask("open") }
        for peer in peers { try peer.send("increment item 0 100") }
        for _ in 0..<100 { try Blocking.write(store) { try $0.increment(0, in: "item") } }
        for peer in peers { try peer.receive("increment item 0 100") }
        let rank = try await store.read { try $0.value("rank", of: 0, in: "item") }
        context.expect(rank, 300, "the counter")
      },
      shared("processes.seesOtherCommit", "What one process commits, the other's next read sees.") {
        context in
        let (store, peer) = try await openBoth(context)
        try Blocking.read(store) { transaction in
          try peer.ask("insert item 3 2")
          context.expect(try transaction.ids(Query("item")), [0, 1, 2], "an older snapshot")
        }
        let found = try await store.read { transaction in
          try transaction.ids(Query("item", where: .isIn("rank", [3, 4])))
        }
        context.expect(found, [3, 4], "by an index, the other's records")
        try peer.ask("begin read")
        try await store.write { try $0.insertItems([5]) }
        context.expect(try peer.ask("ids item"), "0 1 2 3 4", "the other's older snapshot")
        try peer.ask("commit")
        context.expect(try peer.ask("ids item"), "0 1 2 3 4 5", "the other's next read")
        try peer.ask("create made")
        try peer.ask("insert made 7 1")
        let made = try await store.read { try $0.ids(Query("made")) }
        context.expect(made, [7], "a collection that the other process made")
      },
      shared(
        "processes.peerDroppedCollection",
        "A collection that another process dropped is gone, and its name is free for another."
      ) { context in
        let (store, peer) = try await openBoth(context)
        try Blocking.read(store) { transaction in
          try peer.ask("drop item")
          context.expect(try transaction.ids(Query("item")), [0, 1, 2], "an older snapshot")
        }
        await context.expectError(.unknownCollection, "reading it") {
          _ = try await store.read { try $0.count("item") }
        }
        await context.expectError(.unknownCollection, "writing to it") {
          try await store.write { try $0.insertItems([9]) }
        }
        try peer.ask("create other")
        try peer.ask("insert other 50 2")
        try peer.ask("create item automatic")
        try peer.ask("next item")
        let found = try await store.read {
          [try $0.ids(Query("item")), try $0.ids(Query("other"))]
        }
        context.expect(found[0], [1], "another collection of that name")
        context.expect(found[1], [50, 51], "another collection")
        try await store.write { _ = try $0.dropCollection("other") }
        context.expectError(.unknownCollection, "what this process dropped") {
          try peer.ask("count other")
        }
        context.expect(try peer.ask("next item"), "2", "the next key in the other process")
      },
      shared("processes.noDirtyRead", "No process sees what another has not committed.") {
        context in
        let (store, peer) = try await openBoth(context)
        try peer.ask("begin write")
        try peer.ask("insert item 3 100")
        context.expect(try await store.read { try $0.count("item") }, 3, "before the commit")
        try peer.ask("begin savepoint")
        try peer.ask("insert item 500 1")
        try peer.ask("rollback")
        try peer.ask("commit")
        context.expect(try await store.read { try $0.count("item") }, 103, "after it")
        try peer.ask("begin write")
        try peer.ask("insert item 600 1")
        try peer.ask("rollback")
        context.expect(try await store.read { try $0.count("item") }, 103, "after a rollback")
      },
      shared("processes.automaticKeys", "Automatic keys of two processes never meet.") { context in
        let (store, peer) = try await openBoth(context)
        var keys: [String] = []
        for _ in 0..<20 {
          keys.append(try peer.ask("next automatic"))
          let key = try await store.write { try $0.insert(["name": "here"], into: "automatic") }
          keys.append(ConformancePeer.text(key[0]))
        }
        context.expect(
          keys.joined(separator: " "),
          (1...40).map(String.init).joined(separator: " ")
        )
      },
      shared(
        "processes.openRace",
        "Of processes that open a missing store at once, one creates it."
      ) {
        context in
        let peers = try (0..<3).map { _ in try context.startPeer() }
        for round in 1...20 {
          for peer in peers { try peer.send("open") }
          let outcomes = try peers.map { try $0.receive("open") }
          context.expect(
            that: outcomes.filter { $0 == "created" }.count == 1,
            "round \(round): the processes found \(outcomes)"
          )
          for peer in peers { try peer.send("create item") }
          for peer in peers { try peer.receive("create item") }
          for (number, peer) in peers.enumerated() { try peer.ask("insert item \(number) 1") }
          context.expect(try peers[0].ask("ids item"), "0 1 2", "round \(round): ids")
          for peer in peers { try peer.ask("close") }
          try context.harness.destroy(.main)
        }
      },
      shared(
        "processes.readOnlyPeer",
        "A read-only process reads beside a writer, and never writes."
      ) { context in
        let (store, peer) = try await openBoth(context)
        let reader = try context.startPeer()
        context.expect(try reader.ask("open readonly"), "found", "opening read-only")
        context.expectError(.readOnly) { try reader.ask("insert item 9 1") }
        context.expectError(.readOnly) { try reader.ask("begin write") }
        try reader.ask("begin read")
        try await store.write { try $0.insertItems([3]) }
        try peer.ask("insert item 4 1")
        context.expect(try reader.ask("ids item"), "0 1 2", "its snapshot")
        try reader.ask("commit")
        context.expect(try reader.ask("ids item"), "0 1 2 3 4", "its next read")
        try store.close()
        try peer.ask("close")
        context.expect(try reader.ask("ids item"), "0 1 2 3 4", "after the writers closed")
      },
      shared("processes.forkedHandleRefused", "A store carried over a fork is closed in the child.")
      {
        context in
        let (store, peer) = try await openBoth(context)
        context.expect(try peer.ask("fork"), "closed closed", "the child's read and write")
        context.expect(try peer.receive("fork"), "0", "the child's end")
        context.expect(try peer.ask("ids item"), "0 1 2", "the parent's read")
        try peer.ask("insert item 3 1")
        try await store.write { try $0.insertItems([4]) }
        context.expect(try peer.ask("ids item"), "0 1 2 3 4", "the parent's read, later")
      },
    ] + killing + growing
}
