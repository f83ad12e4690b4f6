extension CollectionDefinition {
  /// The most fields that a collection may have.
  public static let maximumFieldCount = 1000

  /// Checks the definition by itself: names, key, fields, indexes and references.
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
    for reference in references { try validate(reference) }
  }

  private func validate(_ reference: ReferenceDefinition) throws(StorageError) {
    let fields = reference.fields
    guard !fields.isEmpty, Set(fields).count == fields.count else {
      throw StorageError(
        .invalidSchema,
        "a reference of \(name) to \(reference.target) must name one or more distinct fields"
      )
    }
    guard references.count(where: { $0.fields == fields }) == 1 else {
      throw StorageError(.invalidSchema, "\(name) has two references over \(reference.name)")
    }
    try Name.validate(reference.target, of: "collection")
    for field in fields {
      let definition = try checkIndexable(field, "reference \(reference.name)")
      if reference.onDelete == .setNull, !definition.isOptional || key.contains(field) {
        throw StorageError(
          .invalidSchema,
          "field \(field) of \(name) cannot become null when its \(reference.target) is deleted; "
            + "make it optional, or choose another rule"
        )
      }
    }
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
