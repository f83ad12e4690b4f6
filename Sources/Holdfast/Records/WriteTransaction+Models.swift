extension WriteTransaction {
  /// The collection of a model, as the model declares it: created if it is missing, and with it those
  /// that it refers to; brought up to date if that takes nothing but additions.
  ///
  /// - Throws: ``StorageError/Code/schemaMismatch`` with the migration step to write for everything
  ///   else; ``StorageError/Code/uniqueViolation``, ``StorageError/Code/referenceViolation`` if the
  ///   records do not allow an added index or reference; ``StorageError/Code/invalidSchema``.
  func ensureCollection(of model: ModelSchema) throws(StorageError) -> Collection {
    let resolved = try model.resolved()
    let name = resolved.definition.name
    var work = resolved.targets
    if let stored = try catalog.collection(named: name) {
      let comparison = SchemaComparison(stored: stored.definition, declared: resolved.definition)
      guard comparison.isAdditive else { throw comparison.mismatch(of: model.model) }
      if !comparison.additions.isEmpty { try alterCollection(name, comparison.additions) }
    } else {
      try createCollection(resolved.definition)
    }
    while let target = work.popLast() {
      if try catalog.collection(named: target.collectionName) != nil { continue }
      let resolved = try target.resolved()
      try createCollection(resolved.definition)
      work += resolved.targets
    }
    return try collection(name)
  }
}
