/// A schema with stored names and types found out, and the means to find the place of a key path.
///
/// A model is decoded once from made-up values, and once more for each value of it with that one
/// changed; or it comes as samples. A key path belongs to the place whose values it reads back in all
/// of these: this finds renamed `CodingKeys` and parts of nested values, and finds out computed
/// properties. Where values cannot tell, the name that Swift gives the key path does.
final class ResolvedSchema<M: Model>: Sendable, KeyPathResolver {
  let definition: CollectionDefinition
  let layout: RowLayout
  /// The models that this one refers to.
  let targets: [ModelSchema]
  /// The model's properties, where its own coding is not called.
  let properties: StoredProperties?
  private let places: PlaceFinder<M>

  init(_ schema: SchemaContent<M>) throws(StorageError) {
    let name = schema.name
    var fields: [FieldDefinition]
    var models = schema.samples
    if models.isEmpty {
      (fields, models) = try ProbeDecoder.derive(M.self, collection: name)
    } else {
      fields = try SampleEncoder.fields(of: models, collection: name)
    }
    layout = RowLayout(collection: name, fields: fields)
    let rows = try Self.rows(of: models, layout)
    places = PlaceFinder(layout, models, rows)
    switch schema.coding {
    case .own: properties = nil
    case .synthesized: properties = try StoredProperties(models, rows, fields, layout)
    }

    var key: [String] = []
    for path in schema.key { key.append(fields[try places.position(of: path)].name) }
    if key.isEmpty {
      guard fields.contains(where: { $0.name == "id" }) else {
        throw StorageError(
          .invalidSchema,
          "\(M.self) has no property id to be its key; name another one: "
            + "static let schema = Schema<\(M.self)>(\"\(name)\", key: \\.\(fields.first?.name ?? "…"))"
        )
      }
      key = ["id"]
    }
    var isAutomatic = false
    if key.count == 1, let position = fields.firstIndex(where: { $0.name == key[0] }) {
      isAutomatic = fields[position].isOptional && fields[position].type == .integer
      // The store fills the key in, so that it is never stored as null.
      if isAutomatic { fields[position].isOptional = false }
    }
    var indexes: [IndexDefinition] = []
    for index in schema.indexes {
      var names: [String] = []
      for path in index.fields { names.append(fields[try places.position(of: path)].name) }
      indexes.append(IndexDefinition(names, unique: index.isUnique, name: index.name))
    }
    for entry in schema.defaults {
      let position = try places.position(of: entry.field)
      do {
        fields[position].defaultValue = try layout.value(of: entry.value, position)
      } catch {
        throw StorageError(
          .invalidSchema,
          "the default of \(layout.describe(position)) does not fit the field",
          underlying: error
        )
      }
    }
    var references: [ReferenceDefinition] = []
    for reference in schema.references {
      var names: [String] = []
      for path in reference.fields { names.append(fields[try places.position(of: path)].name) }
      references.append(
        ReferenceDefinition(
          names,
          to: reference.target.collectionName,
          onDelete: reference.onDelete
        )
      )
    }
    targets = schema.references.map(\.target)
    definition = CollectionDefinition(
      name,
      fields: fields,
      key: key,
      automaticKey: isAutomatic,
      indexes: indexes,
      references: references
    )
    try definition.validate()
  }

  /// The primary key of a model.
  ///
  /// - Throws: ``StorageError/Code/invalidValue`` if it has none yet, or one that no key can hold.
  func key(of model: M) throws -> Key {
    try RowEncoder(layout).withRow(of: model) { row in
      let values = try definition.key.map { try row.value(layout.position($0, next: 0) ?? 0) }
      if values.contains(.null) {
        throw StorageError(
          .invalidValue,
          "this \(M.self) has no key yet; insert it, and use what insert returns"
        )
      }
      return Key(values)
    }
  }

  private static func rows(of models: [M], _ layout: RowLayout) throws(StorageError) -> [[Value]] {
    let encoder = RowEncoder(layout)
    do {
      return try models.map { model in try encoder.withRow(of: model) { try $0.values() } }
    } catch let error as StorageError {
      throw StorageError(
        .invalidSchema,
        "\(M.self) does not encode the fields that it decodes: \(error.message)",
        underlying: error
      )
    } catch {
      throw StorageError(
        .invalidSchema,
        "\(M.self) could not be encoded to find its fields",
        underlying: error
      )
    }
  }

  /// The position of the field that a key path reads.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema`` naming the key path if it reads no stored field,
  ///   or only a part of one.
  func position(of path: AnyKeyPath) throws(StorageError) -> Int {
    try places.position(of: path)
  }

  /// The field, or the part of one, that a key path reads from the model, or from the value at
  /// `parent`.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema`` naming the key path if it reads nothing stored.
  func place(of path: AnyKeyPath, in parent: Place? = nil) throws(StorageError) -> Place {
    try places.place(of: path, in: parent)
  }
}
