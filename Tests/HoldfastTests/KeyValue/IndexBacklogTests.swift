import Testing

@testable import Holdfast

/// Entries of indexes that a write transaction stores later, in order.
struct IndexBacklogTests {
  @Test func `entries come out in the order of their bytes, once`() throws {
    let backlog = IndexBacklog()
    let entries: [[UInt8]] = [
      [9], [1, 2, 3, 4, 5, 6, 7, 8, 2], [1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8, 1, 1],
      [1, 2], [1, 2, 0], [255, 0], [0], [1, 2, 3, 4, 5, 6, 7, 9],
    ]
    for order in [entries, entries.sorted { $0.lexicographicallyPrecedes($1) }] {
      for entry in order { entry.withUnsafeBytes { backlog.append($0) } }
      var stored: [[UInt8]] = []
      try backlog.drain { stored.append(Array($0)) }
      #expect(stored == entries.sorted { $0.lexicographicallyPrecedes($1) })
      #expect(backlog.isEmpty)
    }
    try backlog.drain { _ in Issue.record("nothing is left") }
    let block = [UInt8](repeating: 7, count: 1 << 20)
    block.withUnsafeBytes { bytes in
      while !backlog.isFull { backlog.append(bytes) }
    }
    #expect(!backlog.isEmpty)
    backlog.removeAll()
    #expect(backlog.isEmpty && !backlog.isFull)
  }

  @Test(arguments: 1...20)
  func `random entries of all lengths come out in the order of their bytes`(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let prefix = [UInt8](repeating: 7, count: Int.random(in: 0...9, using: &random))
    let bytes: [UInt8] = seed % 2 == 0 ? [0, 1] : Array(0...255)
    var entries: Set<[UInt8]> = []
    for _ in 0..<2000 {
      let count = Int.random(in: 0...40, using: &random)
      entries.insert(prefix + (0..<count).map { _ in bytes.randomElement(using: &random) ?? 0 })
    }
    let backlog = IndexBacklog()
    for entry in entries { entry.withUnsafeBytes { backlog.append($0) } }
    var stored: [[UInt8]] = []
    try backlog.drain { stored.append(Array($0)) }
    #expect(stored == entries.sorted { $0.lexicographicallyPrecedes($1) })
  }

  private static let collection = CollectionDefinition(
    "c",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("n", .integer), FieldDefinition("t", .text),
    ],
    key: ["id"],
    indexes: [IndexDefinition(["n"]), IndexDefinition(["t"])]
  )

  /// Checks that each index holds exactly the records, in its order.
  private func check(_ transaction: ReadTransaction, _ model: [Int64: (Int64, String)]) throws {
    let all = try transaction.fetch(
      Query("c", where: .greaterOrEqual("n", -1), sort: [.ascending("n")])
    )
    let expected = model.sorted { ($0.value.0, $0.key) < ($1.value.0, $1.key) }
    #expect(all.map(\.values[0]) == expected.map { .integer($0.key) })
    let texts = try transaction.fetch(
      Query("c", where: .greaterOrEqual("t", ""), sort: [.ascending("t")])
    )
    let ordered = model.sorted {
      $0.value.1 == $1.value.1 ? $0.key < $1.key : $0.value.1 < $1.value.1
    }
    #expect(texts.map(\.values[0]) == ordered.map { .integer($0.key) })
  }

  @Test(arguments: 1...20)
  func `a transaction sees its own entries, and undoes what it undoes`(seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let store = Store(try KeyValueStorage(MemoryEngine()))
    try store.write { _ = try $0.createCollection(Self.collection) }
    var model: [Int64: (Int64, String)] = [:]
    func change(_ transaction: WriteTransaction) throws {
      let id = Int64.random(in: 0..<30, using: &random)
      let n = Int64.random(in: 0..<5, using: &random)
      // Long ones, whose entries have another form, too.
      let text =
        String(repeating: "ab", count: Int.random(in: 0..<2, using: &random) * 300) + "\(n)"
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        try transaction.put(["id": .integer(id), "n": .integer(n), "t": .text(text)], in: "c")
        model[id] = (n, text)
      case 6, 7:
        try transaction.delete([.integer(id)], from: "c")
        model[id] = nil
      case 8: try check(transaction, model)
      default:
        if Int.random(in: 0..<9, using: &random) == 0 {
          _ = try transaction.deleteAll(in: "c")
          model = [:]
        }
      }
    }
    struct Undone: Error {}
    for _ in 0..<10 {
      let before = model
      do {
        try store.write { transaction in
          for _ in 0..<12 { try change(transaction) }
          let inner = model
          do {
            try transaction.savepoint {
              for _ in 0..<6 { try change(transaction) }
              if Bool.random(using: &random) { throw Undone() }
            }
          } catch is Undone {
            model = inner
          }
          try transaction.savepoint { try change(transaction) }
          if Bool.random(using: &random) {
            try transaction.alterCollection("c", .dropIndex("t"), .addIndex(IndexDefinition(["t"])))
          }
          if Int.random(in: 0..<4, using: &random) == 0 { throw Undone() }
        }
      } catch is Undone {
        model = before
      }
      try store.read { try check($0, model) }
    }
    #expect(try store.verify().filter(\.isFault).isEmpty)
  }
}
