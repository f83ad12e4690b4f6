import Foundation
import Holdfast
import HoldfastSQLite
import Testing

struct QueryTests {
  let folder: TemporaryFolder
  let store: Store
  let log = StatementLog()

  init() throws {
    folder = try TemporaryFolder()
    store = try folder.open(log: log)
    try store.write { _ = try $0.createCollection(.user) }
  }

  @Test func `filter, order and limit go down to SQLite`() throws {
    try store.read { transaction in
      log.clear()
      _ = try transaction.fetch(
        Query(
          "user",
          where: .greaterOrEqual("age", 18) && .startsWith("name", "A"),
          sort: [.descending("age")],
          limit: 5,
          offset: 2
        )
      )
      let statement = try #require(log.statements.last)
      #expect(statement.hasPrefix("SELECT \"id\", \"name\", \"email\", \"age\" FROM \"user\""))
      #expect(statement.contains("WHERE \"age\" >= ? AND (\"name\" >= ? AND \"name\" < ?)"))
      #expect(statement.hasSuffix("ORDER BY \"age\" DESC, \"id\" LIMIT ? OFFSET ?"))
      _ = try transaction.aggregate(
        "user",
        [.count, .sum("age"), .maximum("name")],
        groupBy: ["age"]
      )
      #expect(
        log.statements.last
          == "SELECT \"age\", count(*), holdfast_sum(\"age\"), max(\"name\") FROM \"user\""
          + " GROUP BY \"age\" ORDER BY \"age\""
      )
    }
  }

  @Test func `negations stay where an index serves them`() throws {
    try store.read { transaction in
      log.clear()
      _ = try transaction.fetch(Query("user", where: !.less("age", 5)))
      #expect(log.statements.last?.contains("(\"age\" >= ? OR \"age\" IS NULL)") == true)
      let plan = try runSQL(
        folder.path(),
        "EXPLAIN QUERY PLAN SELECT * FROM user WHERE (age >= 5 OR age IS NULL)"
      )
      #expect(plan.allSatisfy { !$0[3].hasPrefix("SCAN") })
    }
  }

  @Test func `a list of 100,000 values and lists beyond what SQLite binds`() throws {
    try store.write { transaction in
      for index in 0..<300 {
        try transaction.insert(
          ["name": .text("n\(index)"), "age": .integer(Int64(index))],
          into: "user"
        )
      }
      let ages = (0..<100_000).map { Value.integer($0 * 3) }
      #expect(try transaction.count("user", where: .isIn("age", ages)) == 100)
      #expect(try transaction.count("user", where: !.isIn("age", ages)) == 200)
      let more = (0..<300_000).map { Value.integer($0 * 3) }
      let query = Query(
        "user",
        where: .isIn("age", more) && .greater("age", 10),
        sort: [.descending("age")],
        limit: 3
      )
      #expect(try transaction.fetch(query).map { $0["age"] } == [297, 294, 291])
      #expect(try transaction.count("user", where: .isIn("age", more)) == 100)
      #expect(try transaction.count("user", where: .isIn("age", [])) == 0)
      #expect(try transaction.count("user", where: !.isIn("age", [])) == 300)
    }
  }

  @Test func `long chains and deep nesting`() throws {
    try store.write { transaction in
      for index in 0..<50 {
        try transaction.insert(
          ["name": .text("n\(index)"), "age": .integer(Int64(index))],
          into: "user"
        )
      }
      let chain = Filter.or((0..<5000).map { .equal("age", .integer($0 * 2)) })
      #expect(try transaction.count("user", where: chain) == 25)
      #expect(try transaction.count("user", where: !chain) == 25)
      let all = Filter.and((50..<5000).map { .notEqual("age", .integer($0)) })
      #expect(try transaction.count("user", where: all) == 50)
      var deep = Filter.equal("age", 7)
      for index in 0..<240 {
        deep = .or([
          .equal("age", 9), .and([.notEqual("age", .integer(Int64(1000 + index))), deep]),
        ])
      }
      #expect(try transaction.count("user", where: deep) == 2)
      let found = try transaction.fetch(
        Query("user", where: deep, sort: [.descending("age")], limit: 1)
      )
      #expect(found.map { $0["age"] } == [9])
    }
  }

  @Test func `sums and averages are exact`() throws {
    try store.write { transaction in
      try transaction.createCollection(
        CollectionDefinition(
          "figure",
          fields: [
            FieldDefinition("id", .integer), FieldDefinition("real", .real, optional: true),
            FieldDefinition("whole", .integer, optional: true),
          ],
          key: ["id"],
          automaticKey: true
        )
      )
      #expect(
        try transaction.aggregate(
          "figure",
          [.count, .sum("real"), .average("whole"), .minimum("id")]
        )
          == [[0, .null, .null, .null]]
      )
      for real in [1e100, 1.0, -1e100, 0.1, 0.2] {
        try transaction.insert(["real": .real(real)], into: "figure")
      }
      let wholes: [Int64] = [.max, .max, .min, .min, 5]
      for whole in wholes { try transaction.insert(["whole": .integer(whole)], into: "figure") }
      let sums = try transaction.aggregate(
        "figure",
        [.sum("real"), .sum("whole"), .average("whole")]
      )
      #expect(sums == [[1.3, 3, .real(3.0 / 5)]])
      try expect(.overflow) {
        try transaction.aggregate("figure", [.sum("whole")], where: .greater("whole", 0))
      }
      #expect(try transaction.count("figure") == 10)
    }
  }

  @Test func `SQLite and the core's evaluator agree on random queries`() throws {
    let fields: [(String, FieldType, [Value])] = [
      ("i", .integer, [.null, .integer(.min), -1, 0, 1, 2, .integer(.max)]),
      ("r", .real, [.null, .real(-.infinity), -0.5, 0, 0.1, 1, 1e300, .real(.infinity)]),
      (
        "t", .text,
        [.null, "", "a", "A", "a\u{0}", "a\u{0}b", "ab", "é", "e\u{301}", "\u{FFFF}", "🙂", "z"]
      ),
      (
        "b", .blob,
        [.null, .blob([]), .blob([0]), .blob([255]), .blob([255, 255]), .blob([255, 0])]
      ),
      ("x", .any, [.null, 1, 1.5, "1", .blob([49]), -3, "zz"]),
    ]
    let definition = CollectionDefinition(
      "row",
      fields: [FieldDefinition("k", .text)]
        + fields.map { FieldDefinition($0.0, $0.1, optional: true) },
      key: ["k"],
      indexes: [IndexDefinition(["i", "t"]), IndexDefinition(["t"]), IndexDefinition(["b", "r"])]
    )
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    try store.write { transaction in
      try transaction.createCollection(definition)
      for index in 0..<200 {
        var record: [String: Value] = ["k": .text("k\(index % 7)-\(index)")]
        for (name, _, values) in fields { record[name] = values.randomElement(using: &random) }
        try transaction.insert(record, into: "row")
      }
    }
    let scanning = Store(
      ScanOnlyStorage(base: try SQLiteStorage.open(path: folder.path(), options: StorageOptions()))
    )
    func leaf() -> Filter {
      let (name, type, values) = fields[Int.random(in: 0..<fields.count, using: &random)]
      func value() -> Value { values.randomElement(using: &random) ?? .null }
      switch Int.random(in: 0..<10, using: &random) {
      case 0: return .equal(name, value())
      case 1: return .notEqual(name, value())
      case 2: return .less(name, value())
      case 3: return .lessOrEqual(name, value())
      case 4: return .greater(name, value())
      case 5: return .greaterOrEqual(name, value())
      case 6: return .isIn(name, [value(), value(), value()])
      case 7: return .between(name, value(), value())
      case 8 where type == .text || type == .blob: return .startsWith(name, value())
      case 9 where type == .text || type == .blob: return .contains(name, value())
      default: return .isNull(name)
      }
    }
    func filter(_ depth: Int) -> Filter {
      switch Int.random(in: 0..<(depth == 0 ? 1 : 6), using: &random) {
      case 1: return .and((0..<3).map { _ in filter(depth - 1) })
      case 2, 3: return .or([filter(depth - 1), filter(depth - 1)])
      case 4: return .not(filter(depth - 1))
      default: return leaf()
      }
    }
    for _ in 0..<600 {
      let sort = fields.shuffled(using: &random).prefix(Int.random(in: 0...2, using: &random)).map {
        Sort(field: $0.0, isDescending: Bool.random(using: &random))
      }
      let query = Query(
        "row",
        where: filter(3),
        sort: sort,
        limit: Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : nil,
        offset: Bool.random(using: &random) ? 3 : 0
      )
      let pushed = try store.read { try $0.fetch(query) }.map(\.values)
      let scanned = try scanning.read { try $0.fetch(query) }.map(\.values)
      #expect(pushed == scanned, "seed \(seed): \(query)")
      let figures: [Aggregate] = [
        .count, .sum("i"), .sum("r"), .average("i"), .minimum("t"), .maximum("b"), .minimum("x"),
      ]
      let groups = Bool.random(using: &random) ? ["t"] : []
      let native = Result { () throws in
        try store.read { try $0.aggregate("row", figures, groupBy: groups, where: query.filter) }
      }
      let core = Result { () throws in
        try scanning.read { try $0.aggregate("row", figures, groupBy: groups, where: query.filter) }
      }
      switch (native, core) {
      case (.success(let native), .success(let core)):
        #expect(native == core, "seed \(seed): \(query)")
      case (.failure(let native as StorageError), .failure(let core as StorageError)):
        #expect(native.code == core.code, "seed \(seed): \(query)")
      default: Issue.record("seed \(seed): \(native), \(core)")
      }
    }
    try scanning.close()
  }
}

/// SplitMix64, for runs that can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
