extension CollectionDefinition {
  /// The most fields that a collection may have.
  public static let maximumFieldCount = 1000

  /// Checks the definition by itself: names, key, fields and indexes.
  ///
  /// - Throws: ``StorageError/Code/invalidName``, ``StorageError/Code/nameConflict`` (two fields or
  ///   indexes that differ at most in ASCII case), ``StorageError/Code/invalidSchema``.
  public func validate() throws(StorageError) {
    try Name.validate(name, of: "collection")
    guard !fields.isEmpty, fields.count <= Self.maximumFieldCount else {
      throw StorageError(
        .invalidSchema,
        "collection \(name) must have 1 to \(Self.maximumFieldCount) fields, not \(fields.count)"
      )
    }
    try checkDistinct(fields.map(\.name), "field")
    try checkDistinct(indexes.map(\.name), "index")
    try validateKey()
    for index in indexes {
      guard !index.fields.isEmpty, Set(index.fields).count == index.fields.count else {
        throw StorageError(
          .invalidSchema,
          "index \(index.name) of \(name) must name one or more distinct fields"
        )
      }
      for field in index.fields { try checkIndexable(field, "index \(index.name)") }
    }
    for field in fields { try validateDefault(of: field) }
  }

  private func validateKey() throws(StorageError) {
    guard !key.isEmpty, Set(key).count == key.count else {
      throw StorageError(
        .invalidSchema,
        "the key of collection \(name) must name one or more distinct fields"
      )
    }
    for field in key {
      let definition = try checkIndexable(field, "the key")
      guard !definition.isOptional || hasAutomaticKey else {
        throw StorageError(
          .invalidSchema,
          "field \(field) is in the key of \(name), so it cannot be optional"
        )
      }
    }
    if hasAutomaticKey {
      guard key.count == 1, fields.first(where: { $0.name == key[0] })?.type == .integer else {
        throw StorageError(
          .invalidSchema,
          "the automatic key of \(name) must be one integer field"
        )
      }
    }
  }

  private func validateDefault(of field: FieldDefinition) throws(StorageError) {
    guard let value = field.defaultValue else { return }
    let buffer = RowBuffer(count: 1)
    buffer.set(0, value)
    try FieldCheck.check(buffer.view, 0, field, in: name)
  }

  @discardableResult
  private func checkIndexable(_ field: String, _ place: String) throws(StorageError)
    -> FieldDefinition
  {
    guard let definition = fields.first(where: { $0.name == field }) else {
      throw StorageError(.invalidSchema, "\(place) of \(name) names no field: \(field)")
    }
    guard definition.type != .any else {
      throw StorageError(
        .invalidSchema,
        "\(place) of \(name) cannot hold field \(field), which is of type any"
      )
    }
    return definition
  }

  private func checkDistinct(_ names: [String], _ what: String) throws(StorageError) {
    var seen: [String: String] = [:]
    for entry in names {
      try Name.validate(entry, of: what)
      if let other = seen.updateValue(entry, forKey: Name.folded(entry)) {
        throw StorageError(
          .nameConflict,
          "collection \(name) has two \(what) names alike: \(other), \(entry)"
        )
      }
    }
  }
}
