import Holdfast

/// What a store holds: collections with their records, copied whole for each snapshot and savepoint.
///
/// It uses the library's types as data and none of its code.
struct ModelContent: Sendable {
  var collections: [ModelCollection] = []
  /// The names of the applied migrations.
  var migrations: [String] = []
  /// The collections of which observers hear only that they changed; those with false they need not
  /// hear of.
  var vague: [String: Bool] = [:]
  /// Whether references are checked later.
  var isDeferring = false
  /// Counts the changes of the schema.
  var schemaChanges = 0

  subscript(_ name: String) -> ModelCollection? {
    get { collections.first { $0.definition.name == name } }
    set {
      guard let index = collections.firstIndex(where: { $0.definition.name == name }),
        let newValue
      else { return }
      collections[index] = newValue
    }
  }

  /// Begins a commit of which nothing is to be told yet.
  mutating func forgetTouched() {
    vague = [:]
    for index in collections.indices where !collections[index].touched.isEmpty {
      collections[index].touched = []
    }
  }

  /// Everything, as text; equal text means equal content.
  var dump: String {
    var lines = ["migrations \(migrations)"]
    for collection in collections.sorted(by: { $0.definition.name < $1.definition.name }) {
      lines.append(ModelStep.text(collection.definition))
      for row in collection.sorted() { lines.append("  " + ModelText.list(row)) }
    }
    return lines.joined(separator: "\n")
  }

  /// All codes with which a definition may be refused by itself.
  static func faults(_ definition: CollectionDefinition) -> [StorageError.Code] {
    var codes: [StorageError.Code] = []
    let fields = definition.fields.map(\.name)
    let indexes = definition.indexes.map(\.name)
    if !([definition.name] + fields + indexes).allSatisfy(ModelRules.isName) {
      codes.append(.invalidName)
    }
    for names in [fields, indexes] {
      for (index, name) in names.enumerated()
      where names[..<index].contains(where: { ModelRules.areAlike($0, name) }) {
        codes.append(.nameConflict)
      }
    }
    let lists = [definition.key] + definition.indexes.map(\.fields)
    for list in lists {
      let areDistinct = !list.indices.contains { list[..<$0].contains(list[$0]) }
      let areIndexable = list.allSatisfy { name in
        definition.fields.contains { $0.name == name && $0.type != .any }
      }
      if list.isEmpty || !areDistinct || !areIndexable { codes.append(.invalidSchema) }
    }
    for field in definition.fields {
      if definition.key.contains(field.name), field.isOptional, !definition.hasAutomaticKey {
        codes.append(.invalidSchema)
      }
      if let standard = field.defaultValue,
        let code = ModelRules.fault(standard, field, allowsNull: field.isOptional)
      {
        codes.append(code)
      }
    }
    if definition.hasAutomaticKey {
      let isInteger = definition.fields.contains {
        $0.name == definition.key.first && $0.type == .integer
      }
      if definition.key.count != 1 || !isInteger { codes.append(.invalidSchema) }
    }
    if definition.fields.isEmpty { codes.append(.invalidSchema) }
    for reference in definition.references where !isSound(reference, definition) {
      codes.append(.invalidSchema)
    }
    return codes
  }

  private static func isSound(
    _ reference: ReferenceDefinition,
    _ definition: CollectionDefinition
  ) -> Bool {
    let names = reference.fields
    let areDistinct = !names.indices.contains { names[..<$0].contains(names[$0]) }
    let isAlone = definition.references.filter { $0.fields == names }.count == 1
    return !names.isEmpty && areDistinct && isAlone
      && names.allSatisfy { name in
        guard let field = definition.fields.first(where: { $0.name == name }), field.type != .any
        else { return false }
        return reference.onDelete != .setNull
          || field.isOptional && !definition.key.contains(name)
      }
  }
}

/// What a step must give.
enum ModelExpectation: Sendable {
  /// This text.
  case done(String)
  /// An error of one of these codes, whose message holds a name.
  case fails([StorageError.Code], naming: String? = nil)
  /// An automatic key greater than this one.
  case key(above: Int64)
}

/// A collection and its records, in no order.
struct ModelCollection: Sendable {
  var definition: CollectionDefinition
  var rows: [[Value]] = []
  /// The keys of records that were written or deleted since the last commit, as text.
  var touched: Set<String> = []
  /// The largest automatic key that was given or taken.
  var lastKey: Int64 = 0

  init(definition: CollectionDefinition) { self.definition = definition }

  func position(_ name: String) -> Int? { definition.fields.firstIndex { $0.name == name } }
  func field(_ name: String) -> FieldDefinition? { definition.fields.first { $0.name == name } }

  func positions(_ names: [String]) -> [Int] { names.compactMap { position($0) } }
  var keyPositions: [Int] { positions(definition.key) }
  func key(_ row: [Value]) -> [Value] { keyPositions.map { row[$0] } }

  /// Where the record with a key is.
  func find(_ key: [Value]) -> Int? {
    let positions = keyPositions
    return rows.firstIndex { row in
      positions.count == key.count
        && zip(positions, key).allSatisfy { Oracle.order(row[$0], $1) == 0 }
    }
  }

  /// All codes with which a key may be refused; none if it is right.
  func faults(ofKey key: [Value]) -> [StorageError.Code] {
    let positions = keyPositions
    guard key.count == positions.count else { return [.typeMismatch] }
    var codes: [StorageError.Code] = []
    for (position, value) in zip(positions, stored(key: key)) {
      if let code = ModelRules.fault(value, definition.fields[position], allowsNull: false) {
        codes.append(code)
      }
    }
    if codes.isEmpty, ModelRules.encodedLength(stored(key: key)) > ModelRules.longestKey {
      codes.append(.keyTooLong)
    }
    return codes
  }

  /// A key's values in stored form.
  func stored(key: [Value]) -> [Value] {
    zip(keyPositions, key).map { ModelRules.stored($1, definition.fields[$0]) }
  }
}
