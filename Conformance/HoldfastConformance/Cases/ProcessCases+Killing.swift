import Holdfast

/// Processes that die in the middle, and stores that grow under others.
extension ProcessCases {
  static let killing: [ConformanceCase] = [
    shared(
      "processes.killedHolderReleases",
      "A process killed in a write leaves no lock and no trace."
    ) { context in
      let (store, first) = try await openBoth(context)
      let stages = [
        ["begin write"], ["begin write", "insert item 100 50"],
        ["begin write", "create other", "insert other 0 2000"],
        ["begin write", "insert item 100 5", "begin savepoint", "insert item 200 5"],
        ["begin write", "insert item 100 5", "begin savepoint", "insert item 200 5", "commit"],
        ["insert item 3 1", "begin write", "insert item 100 5"],
      ]
      for (number, stage) in stages.enumerated() {
        let peer = number == 0 ? first : try context.startPeer()
        if number > 0 { try peer.ask("open") }
        for command in stage { try peer.ask(command) }
        peer.kill()
        let id = 10 + number
        try await store.write { try $0.insertItems([id]) }
      }
      let ids = try await store.read { try $0.ids(Query("item")) }
      context.expect(ids, [0, 1, 2, 3, 10, 11, 12, 13, 14, 15], "ids")
      let names = try await store.read { try $0.catalog.collections.map(\.name) }
      context.expect(names, ["item", "automatic"], "collections")
    },
    shared(
      "processes.killedWriterKeepsCommits",
      "A process killed while it commits keeps what it was told is committed."
    ) { context in
      var generator = context.generator()
      var store = try await context.open(creating: Shapes.item("warm"))
      for round in 0..<8 {
        let name = "stream\(round)"
        let peer = try context.startPeer()
        try peer.ask("open")
        try peer.ask("create \(name)")
        try peer.send("stream \(name)")
        var acknowledged = 0
        for _ in 0...generator.below(60) {
          acknowledged = Int(try peer.receive("stream")) ?? 0
        }
        peer.kill()
        // What the process was told before it died may still be on its way here.
        while let more = try? peer.receive("stream") { acknowledged = Int(more) ?? 0 }
        if round % 2 == 1 { store = try context.reopen(store) }
        let ids = try await store.read { try $0.ids(Query(name)) }
        context.expect(ids, (0..<ids.count).map { .integer(Int64($0)) }, "ids")
        context.expect(
          that: ids.count == acknowledged + 1 || ids.count == acknowledged + 2,
          "\(acknowledged + 1) commits were acknowledged, \(ids.count) records are there"
        )
      }
    },
    shared("processes.deadReaders", "Two hundred readers killed leave room for others.") {
      context in
      let (store, first) = try await openBoth(context)
      first.kill()
      for _ in 0..<8 {
        let peer = try context.startPeer()
        try peer.ask("open")
        try peer.ask("readers 25")
        peer.kill()
      }
      let peer = try context.startPeer()
      try peer.ask("open")
      try peer.ask("readers 25")
      for id in 10..<20 { try await store.write { try $0.insertItems([id]) } }
      context.expect(try await store.read { try $0.count("item") }, 13, "records")
      let again = try context.reopen(store)
      context.expect(try await again.read { try $0.count("item") }, 13, "records, reopened")
    },
  ]

  /// Names of 20,000 bytes, so that a few hundred records are megabytes.
  private static let long = 20_000

  static let growing: [ConformanceCase] = [
    shared(
      "processes.growWithLiveReader",
      "A store grows under readers of two processes, who see what they saw."
    ) { context in
      let (store, peer) = try await openBoth(context)
      try peer.ask("begin read")
      context.expect(try peer.ask("ids item"), "0 1 2", "the other's snapshot")
      let writer = try context.startPeer()
      try writer.ask("open")
      try Blocking.read(store) { transaction in
        for part in 0..<4 { try writer.ask("insert item \(100 + part * 50) 50 \(long)") }
        context.expect(try transaction.ids(Query("item")), [0, 1, 2], "this process's snapshot")
      }
      context.expect(try peer.ask("ids item"), "0 1 2", "the other's snapshot, after growth")
      try peer.ask("commit")
      context.expect(try peer.ask("count item"), "203", "the other's count")
      let names = try await store.read {
        try $0.column("name", Query("item", where: .equal("id", 299)))
      }
      context.expect(names, [.text(String(repeating: "x", count: long))], "the last name")
    },
    shared("processes.peerGrew", "A store that another process made grow is read and written.") {
      context in
      let (store, peer) = try await openBoth(context)
      try peer.ask("insert item 100 200 \(long)")
      try await store.write { transaction in
        let name = Value.text(String(repeating: "y", count: long))
        for id in 1000..<1100 {
          try transaction.insert(["id": .integer(Int64(id)), "name": name], into: "item")
        }
      }
      context.expect(try await store.read { try $0.count("item") }, 303, "records here")
      context.expect(try peer.ask("count item"), "303", "records in the other process")
      try await store.write { _ = try $0.deleteAll(in: "item", where: .greater("id", 2)) }
      context.expect(try peer.ask("ids item"), "0 1 2", "what is left")
    },
  ]
}
