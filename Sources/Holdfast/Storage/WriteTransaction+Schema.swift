extension WriteTransaction {
  /// Creates a collection with its indexes and references.
  ///
  /// The target of a reference may be created later in the same transaction.
  ///
  /// - Returns: the collection.
  /// - Throws: ``StorageError/Code/nameConflict``, ``StorageError/Code/invalidName``,
  ///   ``StorageError/Code/invalidSchema``.
  @discardableResult
  public func createCollection(_ definition: CollectionDefinition) throws(StorageError)
    -> Collection
  {
    try changeSchema { writer throws(StorageError) in
      let collection = try writer.createCollection(definition)
      schemaLog?.note("create collection \(definition.name)")
      try checkReferences(in: writer.catalog, mustExist: false)
      return collection
    }
  }

  /// Creates a collection, or takes the one of that name if it is defined alike.
  ///
  /// - Throws: ``StorageError/Code/schemaMismatch`` if it exists with another definition.
  @discardableResult
  public func ensureCollection(_ definition: CollectionDefinition) throws(StorageError)
    -> Collection
  {
    guard let existing = try catalog.collection(named: definition.name) else {
      return try createCollection(definition)
    }
    guard existing.definition == definition.completed() else {
      throw StorageError(
        .schemaMismatch,
        "collection \(definition.name) exists with other fields, key, indexes or references; "
          + "write a migration, or use another name"
      )
    }
    return existing
  }

  /// Removes a collection with its records.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection``; ``StorageError/Code/referenceViolation`` if
  ///   another collection refers to it.
  public func dropCollection(_ name: String) throws(StorageError) {
    let collection = try self.collection(name)
    if let other = try catalog.referrers(to: name).first(where: { $0.collection.name != name }) {
      throw StorageError(
        .referenceViolation,
        "collection \(other.collection.name) refers to \(name); drop its reference "
          + "\(other.reference.definition.name) first"
      )
    }
    try changeSchema { writer throws(StorageError) in
      try writer.dropCollection(collection)
      schemaLog?.note("drop collection \(name)")
      changes.touch(collection)
    }
  }

  /// Removes everything: all collections with their records, and the names of the applied migrations.
  func dropAllCollections() throws(StorageError) {
    try changeSchema { writer throws(StorageError) in
      for collection in writer.catalog.collections {
        try writer.dropCollection(collection)
        changes.touch(collection)
      }
      if !writer.catalog.migrations.isEmpty { try writer.setMigrations([]) }
    }
  }

  /// Gives a collection another name; references to it follow.
  ///
  /// - Throws: ``StorageError/Code/unknownCollection``, ``StorageError/Code/nameConflict``,
  ///   ``StorageError/Code/invalidName``.
  public func renameCollection(_ name: String, to new: String) throws(StorageError) {
    let collection = try self.collection(name)
    if name == new { return }
    try changeSchema { writer throws(StorageError) in
      var definition = collection.definition
      definition.name = new
      definition.retarget(name, to: new)
      let renamed = try writer.redefine(collection, as: definition, rows: nil)
      var seen: Set<Int> = [collection.id]
      for (referrer, _) in writer.catalog.referrers(to: name)
      where seen.insert(referrer.id).inserted {
        var definition = referrer.definition
        definition.retarget(name, to: new)
        _ = try writer.redefine(referrer, as: definition, rows: nil)
      }
      changes.touch(collection)
      changes.touch(renamed)
      schemaLog?.note("rename collection \(name) to \(new)")
    }
  }

  /// Changes a collection's definition, and its records with it, in one step.
  ///
  /// The changes are made in order, also several conversions of one field; a failure leaves the collection as it was and the transaction
  /// goes on. O(n) where rows or indexes have to be written anew.
  ///
  /// ```swift
  /// try transaction.alterCollection("user", .renameField("town", to: "city"),
  ///   .addField(FieldDefinition("age", .integer, optional: true)))
  /// ```
  /// - Returns: the collection as it is from now on.
  /// - Throws: ``StorageError/Code/unknownCollection``, ``StorageError/Code/unknownField``,
  ///   ``StorageError/Code/nameConflict``; ``StorageError/Code/invalidSchema`` for a change that
  ///   makes no sense; ``StorageError/Code/invalidValue`` for a value that does not convert or a null
  ///   in a field that becomes required; ``StorageError/Code/uniqueViolation`` with the keys of some
  ///   duplicates; ``StorageError/Code/referenceViolation`` for a record that refers to none.
  @discardableResult
  public func alterCollection(_ name: String, _ changes: SchemaChange...) throws(StorageError)
    -> Collection
  {
    try alterCollection(name, changes)
  }

  /// Changes a collection's definition, and its records with it, in one step.
  @discardableResult
  public func alterCollection(_ name: String, _ changes: [SchemaChange]) throws(StorageError)
    -> Collection
  {
    let collection = try self.collection(name)
    let editors = try SchemaEditor.editors(changes, of: collection.definition)
    if editors.allSatisfy(\.changesNothing) { return collection }
    do throws(StorageError) {
      return try changeSchema { writer throws(StorageError) in
        var altered = collection
        for editor in editors { altered = try alter(altered, editor, writer) }
        self.changes.touch(altered)
        for change in changes { schemaLog?.note("\(name): \(change)") }
        return altered
      }
    } catch {
      guard error.code == .uniqueViolation, let last = editors.last else { throw error }
      throw try duplicates(error, collection, last.definition)
    }
  }

  /// Makes the changes of one editor.
  ///
  /// With several faults the first of these is reported: values that do not convert or are null, equal
  /// values in a unique index, references to no record.
  private func alter(_ collection: Collection, _ editor: SchemaEditor, _ writer: any StorageWriter)
    throws(StorageError) -> Collection
  {
    if editor.mustCheckValues {
      let rows = editor.newRows
      let cursor = try writer.scan(Scan(collection))
      defer { cursor.close() }
      while let row = try cursor.next() { _ = try rows.apply(row) }
    }
    let altered = try writer.redefine(collection, as: editor.definition, rows: editor.rowChange)
    try checkReferences(in: writer.catalog, mustExist: false)
    for field in editor.required.sorted() { try checkNoNull(field, altered) }
    for reference in altered.references where editor.added.contains(reference.definition) {
      try checkReference(reference, of: altered)
    }
    return altered
  }

  /// Sets the names of the applied migrations.
  func setMigrations(_ names: [String]) throws(StorageError) {
    try changeSchema { writer throws(StorageError) in try writer.setMigrations(names) }
  }

  /// Raises the largest automatic key that a collection has given out: the next one is one more.
  ///
  /// For copies and imports.
  package func raiseLastAutomaticKey(
    to key: Int64,
    of collection: Collection
  ) throws(StorageError) {
    try prepareToWrite()
    try perform { () throws(StorageError) in
      guard try writer.lastAutomaticKey(of: collection) < key else { return }
      try writer.setLastAutomaticKey(key, of: collection)
    }
  }

  /// Runs a change of the schema so that a failure undoes all of it.
  private func changeSchema<T>(
    _ body: (any StorageWriter) throws(StorageError) -> T
  ) throws(StorageError) -> T {
    try prepareToWrite()
    closeCursors()
    defer {
      forgetSchema()
      referrers = [:]
    }
    let result: T
    if let log {
      result = try log.timing(.schema, nil, rows: { _ in 0 }) { () throws(StorageError) in
        try undoing { () throws(StorageError) in try body(writer) }
      }
    } else {
      result = try undoing { () throws(StorageError) in try body(writer) }
    }
    hasSchemaChanges = true
    return result
  }

  private func checkNoNull(_ field: String, _ collection: Collection) throws(StorageError) {
    let nulls = try BoundAggregate(collection, [.count], groupBy: [], filter: .isNull(field))
    if case .integer(let count) = try QueryExecutor.aggregate(nulls, on: writer, cancellation)[0][0],
      count > 0
    {
      throw StorageError(
        .invalidValue,
        "field \(field) is null in \(count) records of \(collection.name) and cannot be required; "
          + "fill it first"
      )
    }
  }

  /// The error for a unique index that found equal values, with the keys of some.
  private func duplicates(
    _ error: StorageError,
    _ collection: Collection,
    _ definition: CollectionDefinition
  ) throws(StorageError) -> StorageError {
    let added = definition.indexes.filter { index in
      index.isUnique && !collection.definition.indexes.contains(index)
        && index.fields.allSatisfy { field in
          collection.positions[field].map { collection.fields[$0].type.isOrdered } ?? false
        }
    }
    for index in added {
      let keys = try duplicateKeys(collection, index.fields)
      if keys.isEmpty { continue }
      var described = StorageError(
        .uniqueViolation,
        "unique index \(index.name) cannot be made: records of \(collection.name) have equal values "
          + "in \(index.fields.joined(separator: ", ")); change them first (the error names some keys)",
        backend: error.backend,
        engineCode: error.engineCode,
        underlying: error
      )
      described.keys = keys
      return described
    }
    return error
  }

  /// The keys of some records whose values in `fields` are equal and not null.
  private func duplicateKeys(_ collection: Collection, _ fields: [String]) throws(StorageError)
    -> [Key]
  {
    let most = 10
    let cursor = try rows(Query(collection.name, sort: fields.map { .ascending($0) }))
    defer { cursor.close() }
    var positions: [Int] = []
    for field in fields { positions.append(try collection.position(of: field)) }
    var last: (values: [Value], key: Key)?
    var keys: [Key] = []
    while keys.count < most, let row = try cursor.next() {
      var values: [Value] = []
      for position in positions { values.append(try row.value(position)) }
      let key = try key(of: row, nil, collection)
      if let last, last.values == values, !values.contains(.null) {
        if keys.last != last.key { keys.append(last.key) }
        keys.append(key)
      }
      last = (values, key)
    }
    return keys
  }
}

extension CollectionDefinition {
  /// Lets references to one collection lead to another name.
  fileprivate mutating func retarget(_ name: String, to new: String) {
    for index in references.indices where references[index].target == name {
      references[index].target = new
    }
  }
}
