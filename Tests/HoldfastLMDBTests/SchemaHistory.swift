import Holdfast
import HoldfastLMDB
import Testing

/// A random history of schema changes and writes on one storage, compared step by step with a model
/// that is nothing but arrays.
struct SchemaHistory<Engine: OrderedKeyValueEngine> {
  typealias Storage = KeyValueStorage<Engine>

  /// What a collection should hold.
  struct Expected {
    var definition: CollectionDefinition
    var rows: [[Value]] = []
    var counter: Int64 = 0
  }

  struct Rejected: Error {}

  /// The storages on the engine, by turns.
  let storages: [Storage]
  private(set) var random: SeededGenerator
  private var model: [Expected] = []
  private var migrations: [String] = []
  private var names = 0
  private var snapshots: [(reader: Storage.Reader, model: [Expected])] = []
  private(set) var changes = 0
  private(set) var refusals = 0

  init(_ storages: [Storage], seed: UInt64) {
    self.storages = storages
    random = SeededGenerator(state: seed)
  }

  // MARK: Transactions

  mutating func run(transactions: Int) throws {
    for round in 0..<transactions {
      if chance(3), snapshots.count < 4 {
        let reader = try storages[round % storages.count].beginReading(timeout: .seconds(5))
        snapshots.append((reader, model))
      }
      let writer = try storages[Int.random(in: 0..<storages.count, using: &random)]
        .beginWriting(timeout: .seconds(5))
      let before = (model, migrations)
      for _ in 0..<Int.random(in: 1...6, using: &random) { try step(writer, depth: 0) }
      try compare(writer, model)
      if chance(4) {
        writer.end()
        (model, migrations) = before
      } else {
        try writer.commit()
      }
      for storage in storages {
        let reader = try storage.beginReading(timeout: .seconds(5))
        try compare(reader, model)
        #expect(reader.catalog.migrations == migrations)
        reader.end()
      }
      for snapshot in snapshots { try compare(snapshot.reader, snapshot.model) }
      if chance(3), let position = snapshots.indices.randomElement(using: &random) {
        snapshots.remove(at: position).reader.end()
      }
    }
    while let snapshot = snapshots.popLast() { snapshot.reader.end() }
    for storage in storages { #expect(try storage.verify(timeout: .seconds(5)) == []) }
  }

  private mutating func step(_ writer: Storage.Writer, depth: Int) throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1: try create(writer)
    case 2 where model.count > 2: try drop(writer)
    case 3, 4, 5: try savepoint(writer, rollsBack: false) { try $0.redefine(writer) }
    case 6 where depth < 3:
      try savepoint(writer, rollsBack: chance(2)) { history in
        for _ in 0..<Int.random(in: 1...4, using: &history.random) {
          try history.step(writer, depth: depth + 1)
        }
      }
    case 7: try setCounter(writer)
    case 8:
      migrations.append("m\(migrations.count)")
      try writer.setMigrations(migrations)
    default: try write(writer)
    }
  }

  /// Runs `body` in a savepoint, which is rolled back if it throws ``Rejected``.
  private mutating func savepoint(
    _ writer: Storage.Writer,
    rollsBack: Bool,
    _ body: (inout Self) throws -> Void
  ) throws {
    let before = (model, migrations)
    try writer.beginSavepoint()
    var isKept = !rollsBack
    do {
      try body(&self)
    } catch is Rejected {
      isKept = false
      refusals += 1
    }
    if isKept { return try writer.releaseSavepoint() }
    (model, migrations) = before
    try writer.rollbackSavepoint()
    try compare(writer, model)
  }

  // MARK: Schema changes

  private mutating func create(_ writer: Storage.Writer) throws {
    names += 1
    // Names come back after a drop or a rename.
    let name = "n\(names % 5)"
    let definition = CollectionDefinition(
      name,
      fields: [
        FieldDefinition("id", .integer), FieldDefinition("text", .text, optional: true),
        FieldDefinition("number", .integer, optional: true),
      ],
      key: ["id"],
      automaticKey: true,
      indexes: [IndexDefinition(["text"]), IndexDefinition(["number", "text"], unique: chance(2))]
    )
    if model.contains(where: { $0.definition.name == name }) {
      #expect(code { _ = try writer.createCollection(definition) } == .nameConflict)
      return
    }
    _ = try writer.createCollection(definition)
    model.append(Expected(definition: definition))
    for _ in 0..<Int.random(in: 0...12, using: &random) { try insert(writer, model.count - 1) }
  }

  private mutating func drop(_ writer: Storage.Writer) throws {
    guard let position = model.indices.randomElement(using: &random) else { return }
    let collection = try find(model[position].definition.name, writer)
    try writer.dropCollection(collection)
    model.remove(at: position)
    #expect(code { _ = try writer.scan(Scan(collection)) } == .unknownCollection)
    changes += 1
  }

  private mutating func redefine(_ writer: Storage.Writer) throws {
    guard let position = model.indices.randomElement(using: &random) else { return }
    let old = model[position]
    let collection = try find(old.definition.name, writer)
    var definition = old.definition
    var sources: [RowChange.Source]? = nil
    let fields = definition.fields.indices
    let other = fields.filter { definition.fields[$0].name != "id" }.randomElement(using: &random)
    names += 1
    switch Int.random(in: 0..<9, using: &random) {
    case 0: definition.name = "n\(names % 5)"
    case 1:
      guard let other else { return }
      definition.indexes.append(
        IndexDefinition(
          [definition.fields[other].name, "id"].prefix(chance(2) ? 1 : 2).map { $0 },
          unique: chance(3),
          name: "x\(names)"
        )
      )
    case 2 where !definition.indexes.isEmpty:
      definition.indexes.remove(at: definition.indexes.count / 2)
    case 3:
      definition.fields.append(FieldDefinition("f\(names)", .text, default: "new"))
      sources = fields.map { .field($0) } + [.value("new")]
    case 4:
      guard let other else { return }
      let name = definition.fields[other].name
      definition.fields.remove(at: other)
      definition.indexes.removeAll { $0.fields.contains(name) }
      sources = fields.filter { $0 != other }.map { .field($0) }
    case 5:
      guard let other, definition.fields[other].type == .integer else { return }
      definition.fields[other].type = .text
      sources = fields.map { $0 == other ? .converted($0, .integer) : .field($0) }
    case 6:
      guard let other else { return }
      let name = definition.fields[other].name
      definition.fields[other].name = "f\(names)"
      for index in definition.indexes.indices {
        definition.indexes[index].fields = definition.indexes[index].fields.map {
          $0 == name ? "f\(names)" : $0
        }
      }
    case 7:
      // The fields change places, and every row with them.
      definition.fields.reverse()
      sources = fields.reversed().map { .field($0) }
    default:
      guard let other else { return }
      definition.fields[other].isOptional.toggle()
      sources = fields.map { .field($0) }
    }
    let change = sources.map { RowChange($0, to: definition) }
    var expected = Expected(definition: definition, counter: old.counter)
    expected.rows = old.rows.map { row in
      guard let sources else { return row }
      return sources.map { source in
        switch source {
        case .field(let field): row[field]
        case .value(let value): value
        case .converted(let field, _):
          if case .integer(let number) = row[field] { .text(String(number)) } else { .null }
        }
      }
    }
    let isRefused =
      model.contains {
        $0.definition.name == definition.name && definition.name != old.definition.name
      }
      || hasDuplicates(expected)
      || (change != nil
        && expected.rows.contains { row in
          zip(row, definition.fields).contains { $0 == .null && !$1.isOptional }
        })
    do throws(StorageError) {
      let redefined = try writer.redefine(collection, as: definition, rows: change)
      #expect(!isRefused)
      #expect(redefined.definition == definition && redefined.id == collection.id)
    } catch {
      #expect(isRefused, "\(error)")
      #expect([.uniqueViolation, .invalidValue, .nameConflict].contains(error.code))
      throw Rejected()
    }
    model[position] = expected
    if definition != old.definition {
      #expect(code { _ = try writer.scan(Scan(collection)) } == .unknownCollection)
    }
    changes += 1
    for _ in 0..<2 { try insert(writer, position) }
  }

  private mutating func setCounter(_ writer: Storage.Writer) throws {
    guard let position = model.indices.randomElement(using: &random) else { return }
    let collection = try find(model[position].definition.name, writer)
    model[position].counter += 10
    try writer.setLastAutomaticKey(model[position].counter, of: collection)
  }

  // MARK: Writes

  private mutating func write(_ writer: Storage.Writer) throws {
    guard let position = model.indices.randomElement(using: &random) else { return }
    if chance(3), let row = model[position].rows.indices.randomElement(using: &random) {
      let collection = try find(model[position].definition.name, writer)
      let key = RowBuffer(count: 1)
      key.set(0, model[position].rows[row][collection.keyPositions[0]])
      #expect(try writer.delete(key.view, from: collection))
      model[position].rows.remove(at: row)
      return
    }
    try insert(writer, position)
  }

  private mutating func insert(_ writer: Storage.Writer, _ position: Int) throws {
    let collection = try find(model[position].definition.name, writer)
    var row = collection.fields.map { value(of: $0) }
    let key = collection.keyPositions[0]
    row[key] = .null
    let buffer = RowBuffer(count: row.count)
    for (index, value) in row.enumerated() { buffer.set(index, value) }
    var expected = model[position]
    expected.counter += 1
    row[key] = .integer(expected.counter)
    expected.rows.append(row)
    let isRefused = hasDuplicates(expected)
    var given: Int64?
    let failure = code { given = try writer.insert(buffer.view, into: collection) }
    #expect(failure == (isRefused ? .uniqueViolation : nil))
    #expect(given == (isRefused ? nil : expected.counter))
    if !isRefused { model[position] = expected }
  }

  private mutating func value(of field: FieldDefinition) -> Value {
    if field.isOptional, chance(4) { return .null }
    if field.type == .integer { return .integer(.random(in: 0...400, using: &random)) }
    // Around the lengths at which an index keeps entries in another form.
    let length = [0, 3, 400, 470, 479, 500, 511, 600].randomElement(using: &random) ?? 0
    return .text(
      String(repeating: "x", count: length) + String(Int.random(in: 0...200, using: &random))
    )
  }

  private mutating func chance(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }

  // MARK: Comparing

  private func find(_ name: String, _ reader: some StorageReader) throws -> Collection {
    try #require(reader.catalog.collection(named: name))
  }

  private func hasDuplicates(_ expected: Expected) -> Bool {
    let positions = Dictionary(
      uniqueKeysWithValues: expected.definition.fields.enumerated().map { ($1.name, $0) }
    )
    return expected.definition.indexes.contains { index in
      guard index.isUnique else { return false }
      let values = expected.rows.map { row in index.fields.map { row[positions[$0] ?? 0] } }
        .filter { !$0.contains(.null) }
      return Set(values).count < values.count
    }
  }

  private func compare(_ reader: some StorageReader, _ model: [Expected]) throws {
    #expect(
      Set(reader.catalog.collections.map(\.definition)) == Set(model.map(\.definition))
    )
    for expected in model {
      let collection = try find(expected.definition.name, reader)
      #expect(try reader.lastAutomaticKey(of: collection) == expected.counter)
      for index in [nil] + collection.indexes.indices.map({ $0 as Int? }) {
        let path = (index.map { collection.indexes[$0].positions } ?? []) + collection.keyPositions
        let sorted = expected.rows.sorted { left, right in
          for field in path {
            let order = Value.compare(left[field], right[field])
            if order != 0 { return order < 0 }
          }
          return false
        }
        let cursor = try reader.scan(Scan(collection, index: index))
        defer { cursor.close() }
        var rows: [[Value]] = []
        while let row = try cursor.next() { rows.append(try row.values()) }
        #expect(rows == sorted)
      }
    }
  }
}

/// Numbers that a seed gives again.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
