/// Writing inside a transaction.
extension Repository {
  /// Adds a record.
  ///
  /// - Returns: the model with its automatic key, if the schema has one and it was nil.
  /// - Throws: ``StorageError/Code/duplicateKey``, ``StorageError/Code/uniqueViolation``,
  ///   ``StorageError/Code/invalidValue``, ``StorageError/Code/typeMismatch``,
  ///   ``StorageError/Code/keyTooLong``, ``StorageError/Code/invalidSchema``.
  @discardableResult
  public func insert(_ model: M, in transaction: WriteTransaction) throws -> M {
    let target = try ensure(in: transaction)
    return try withEncoder(target.layout, in: transaction) { encoder in
      try write(model, encoder, target.collection) {
        try transaction.insert($0, into: target.collection)
      }
    }
  }

  /// Adds records, all or none.
  ///
  /// - Returns: the models with their automatic keys, in order.
  /// - Throws: as ``insert(_:in:)``; none is added then.
  @discardableResult
  public func insert(contentsOf models: some Sequence<M>, in transaction: WriteTransaction) throws
    -> [M]
  {
    let target = try ensure(in: transaction)
    let encoder = RowEncoder(target.layout)
    let property = keyProperty
    return try transaction.savepoint {
      var inserted: [M] = []
      inserted.reserveCapacity(models.underestimatedCount)
      for model in models {
        inserted.append(
          try write(model, encoder, target.collection, property) {
            try transaction.insert($0, into: target.collection)
          }
        )
      }
      return inserted
    }
  }

  /// Replaces the record with the model's key.
  ///
  /// - Throws: ``StorageError/Code/notFound`` if there is none; otherwise as ``insert(_:in:)``.
  public func update(_ model: M, in transaction: WriteTransaction) throws {
    let target = try ensure(in: transaction)
    try withEncoder(target.layout, in: transaction) { encoder in
      try encoder.withRow(of: model) { try transaction.update($0, in: target.collection) }
    }
  }

  /// Adds the record, or replaces the one with the model's key; never removes another one.
  ///
  /// - Returns: the model with its automatic key, if the schema has one and it was nil.
  /// - Throws: as ``insert(_:in:)``, but never ``StorageError/Code/duplicateKey``.
  @discardableResult
  public func put(_ model: M, in transaction: WriteTransaction) throws -> M {
    let target = try ensure(in: transaction)
    return try withEncoder(target.layout, in: transaction) { encoder in
      try write(model, encoder, target.collection) {
        try transaction.put($0, in: target.collection)
      }
    }
  }

  /// Removes the record with that key.
  ///
  /// - Returns: whether there was one.
  /// - Throws: ``StorageError/Code/typeMismatch`` for a key of the wrong shape.
  @discardableResult
  public func delete(_ key: some KeyConvertible, in transaction: WriteTransaction) throws -> Bool {
    guard let target = try collection(in: transaction) else { return false }
    return try transaction.delete(try key.storedKey(), from: target.collection)
  }

  /// Removes the records that match, all without a filter.
  ///
  /// - Returns: how many there were.
  /// - Throws: as `fetch(where:sort:limit:offset:in:)`.
  @discardableResult
  public func deleteAll(where filter: Filter = .all, in transaction: WriteTransaction) throws
    -> Int
  {
    let all = Query(collectionName, where: filter)
    guard let source = try source(of: all, in: transaction) else { return 0 }
    return try transaction.delete(source.query)
  }

  /// Writes a model's row, and gives the model back with the automatic key that the store chose.
  private func write(
    _ model: M,
    _ encoder: RowEncoder,
    _ collection: Collection,
    _ property: KeyProperty? = nil,
    _ body: (RowView) throws -> Int64?
  ) throws -> M {
    try encoder.withRow(of: model) { row in
      let automatic = collection.automaticKeyPosition
      let isMissing = automatic.map(row.isNull) ?? false
      guard let key = try body(row), let automatic, isMissing else { return model }
      var model = model
      switch property ?? keyProperty {
      case .wide(let path): model[keyPath: path] = key
      case .native(let path): model[keyPath: path] = Int(key)
      case .other:
        encoder.buffer.setInteger(automatic, key)
        model = try RowDecoder(encoder.layout).decode(M.self, from: encoder.buffer.view)
      }
      return model
    }
  }

  /// How a model takes its automatic key.
  private enum KeyProperty {
    case wide(WritableKeyPath<M, Int64?>)
    case native(WritableKeyPath<M, Int?>)
    /// A constant or narrower property: the row is decoded with its key filled in.
    case other
  }

  private var keyProperty: KeyProperty {
    if let path = schemaKey as? WritableKeyPath<M, Int64?> { return .wide(path) }
    if let path = schemaKey as? WritableKeyPath<M, Int?> { return .native(path) }
    return .other
  }
}
