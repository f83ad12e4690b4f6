extension WriteTransaction {
  /// Converts every record of a collection from a model as it was to the model as it is, and the
  /// collection with them; for migrations.
  ///
  /// ```swift
  /// Migration("names in two parts") { transaction in
  ///   try transaction.convert(OldPerson.self, to: Person.self) { old in
  ///     Person(id: old.id, first: …, last: …)
  ///   }
  /// }
  /// ```
  /// Both models may name the same collection; else it is renamed. With the same primary key the
  /// records stay where they are: references to them are kept, and automatic keys go on. With another
  /// key, or where a collection of the new name is there, they move, and nothing may refer to them.
  /// What `body` gives nil for is deleted. Nothing happens if the old collection is not there.
  /// O(n log n).
  ///
  /// - Returns: how many records there were.
  /// - Throws: what `body` throws; ``StorageError/Code/invalidValue`` for a record that is given
  ///   another key where the key's fields stay; ``StorageError/Code/referenceViolation`` if records
  ///   would have to move from under references; what an insert or update throws. All of it is
  ///   undone then.
  @discardableResult
  public func convert<Old: Model, New: Model>(
    _ old: Old.Type,
    to new: New.Type,
    _ body: (Old) throws -> New?
  ) throws -> Int {
    try convert(from: Old.schema.name, to: New.self) { row, source in
      try body(try source.decoder.decode(Old.self, from: row))
    }
  }

  /// Converts every record of a collection to a model, where there is no model of it as it was.
  ///
  /// As ``convert(_:to:_:)``, with raw records.
  @discardableResult
  public func convertRecords<New: Model>(
    of collection: String,
    to new: New.Type,
    _ body: (Record) throws -> New?
  ) throws -> Int {
    try convert(from: collection, to: New.self) { row, source in
      let values = try row.values().prefix(source.collection.fields.count)
      return try body(Record(source.collection, values: Array(values)))
    }
  }

  /// Converts records, of which `read` makes a model each.
  private func convert<New: Model>(
    from name: String,
    to new: New.Type,
    _ read: (RowView, ConversionSource) throws -> New?
  ) throws -> Int {
    guard let stored = try catalog.collection(named: name) else { return 0 }
    let declared = try New.schema.resolved().definition.completed()
    // The report tells of the conversion, not of the changes that it is made of.
    let log = schemaLog
    schemaLog = nil
    defer { schemaLog = log }
    return try savepoint {
      let count: Int
      if keepsKey(stored.definition, declared) {
        if name != declared.name { try renameCollection(name, to: declared.name) }
        count = try convertInPlace(stored, to: declared, read)
        _ = try ensureCollection(of: ModelSchema(New.self))
      } else {
        count = try move(stored, to: New.self, read)
      }
      log?.note("convert \(count) records of \(name) to \(New.self)")
      return count
    }
  }

  /// Whether records can stay where they are.
  private func keepsKey(_ stored: CollectionDefinition, _ declared: CollectionDefinition) -> Bool {
    if stored.name != declared.name,
      let other = writer.catalog.collection(named: declared.name), other.name != stored.name
    {
      return false
    }
    func types(_ definition: CollectionDefinition) -> [FieldType?] {
      definition.key.map { name in definition.fields.first { $0.name == name }?.type }
    }
    return types(stored) == types(declared) && stored.hasAutomaticKey == declared.hasAutomaticKey
      && zip(stored.key, declared.key).allSatisfy { old, new in
        old == new || !stored.fields.contains { $0.name == new }
      }
  }

  // MARK: In place

  private func convertInPlace<New: Model>(
    _ stored: Collection,
    to declared: CollectionDefinition,
    _ read: (RowView, ConversionSource) throws -> New?
  ) throws -> Int {
    let plan = ConversionPlan(stored.definition, declared)
    let current = try alterCollection(declared.name, plan.before)
    let source = ConversionSource(stored, plan.names(in: current))
    let encoder = RowEncoder(RowLayout(current))
    let cursor = try rows(Query(declared.name))
    defer { cursor.close() }
    var count = 0
    while let row = try cursor.next() {
      let key = try current.key(of: row)
      if let model = try read(row, source) {
        try encoder.withRow(of: model) { row in
          guard try current.key(of: row) == key else {
            throw StorageError(
              .invalidValue,
              "a conversion to \(New.self) changed the key of a record of \(declared.name); keep the "
                + "key, or give the model another key field"
            )
          }
          try update(row, in: current)
        }
      } else {
        try delete(key, from: current)
      }
      count += 1
    }
    try alterCollection(declared.name, plan.after)
    return count
  }

  // MARK: To a new collection

  private func move<New: Model>(
    _ stored: Collection,
    to new: New.Type,
    _ read: (RowView, ConversionSource) throws -> New?
  ) throws -> Int {
    let name = New.schema.name
    if let other = try catalog.referrers(to: stored.name).first(where: {
      $0.collection.id != stored.id
    }) {
      throw StorageError(
        .referenceViolation,
        "the records of \(stored.name) get another key while \(other.collection.name) refers to them; "
          + "drop its reference \(other.reference.definition.name) first, and add it again after"
      )
    }
    var from = stored.name
    if from == name {
      var free = "old \(name)"
      while try catalog.collection(named: free) != nil { free = "old \(free)" }
      try renameCollection(name, to: free)
      from = free
    }
    let target = try ensureCollection(of: ModelSchema(New.self))
    let source = ConversionSource(try collection(from), stored.fields)
    let encoder = RowEncoder(RowLayout(target))
    var count = 0
    try deferringReferences {
      let cursor = try rows(Query(from))
      defer { cursor.close() }
      while let row = try cursor.next() {
        if let model = try read(row, source) {
          try encoder.withRow(of: model) { _ = try insert($0, into: target) }
        }
        count += 1
      }
    }
    let old = source.collection
    if old.automaticKeyPosition != nil, target.automaticKeyPosition != nil {
      try raiseLastAutomaticKey(to: writer.lastAutomaticKey(of: old), of: target)
    }
    try dropCollection(from)
    return count
  }
}

/// The records of a collection as they were.
private struct ConversionSource {
  /// The collection as it was.
  let collection: Collection
  /// Decodes rows by the names that their fields had.
  let decoder: RowDecoder

  init(_ collection: Collection, _ fields: [FieldDefinition]) {
    self.collection = collection
    decoder = RowDecoder(RowLayout(collection: collection.name, fields: fields))
  }
}

/// How a collection changes before and after its records are converted in place.
///
/// Fields that do not stay step aside under another name while the records are converted; indexes and
/// references come back at the end, so that they see whole records only.
private struct ConversionPlan {
  private(set) var before: [SchemaChange] = []
  private(set) var after: [SchemaChange] = []
  /// What the fields were called.
  private var names: [String]

  init(_ stored: CollectionDefinition, _ declared: CollectionDefinition) {
    names = stored.fields.map(\.name)
    before += stored.references.map { .dropReference($0.fields) }
    before += stored.indexes.map { .dropIndex($0.name) }
    var taken = Set((stored.fields + declared.fields).map { Name.folded($0.name) })
    var kept: [String: FieldDefinition] = [:]
    for (old, new) in zip(stored.key, declared.key) {
      if old != new { before.append(.renameField(old, to: new)) }
      kept[new] = stored.fields.first { $0.name == old }
    }
    for field in stored.fields where !stored.key.contains(field.name) {
      if declared.fields.contains(where: { $0.name == field.name && $0.type == field.type }) {
        kept[field.name] = field
        if !field.isOptional { before.append(.setOptional(field.name, true)) }
        continue
      }
      var aside = "old"
      var number = 0
      while !taken.insert(aside).inserted {
        number += 1
        aside = "old\(number)"
      }
      before.append(.renameField(field.name, to: aside))
      if field.defaultValue != nil { before.append(.setDefault(aside, nil)) }
      if !field.isOptional { before.append(.setOptional(aside, true)) }
      after.append(.dropField(aside))
    }
    for field in declared.fields {
      let old = kept[field.name]
      if old == nil {
        before.append(.addField(FieldDefinition(field.name, field.type, optional: true)))
      }
      if old?.defaultValue != field.defaultValue {
        after.append(.setDefault(field.name, field.defaultValue))
      }
      if !field.isOptional, !declared.key.contains(field.name) {
        after.append(.setOptional(field.name, false))
      }
    }
    after += declared.indexes.map { .addIndex($0) }
    after += declared.references.map { .addReference($0) }
  }

  /// The fields of the collection by the names that they had; added ones have none.
  func names(in collection: Collection) -> [FieldDefinition] {
    collection.fields.enumerated().map { position, field in
      FieldDefinition(position < names.count ? names[position] : "", field.type, optional: true)
    }
  }
}
