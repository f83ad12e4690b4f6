import Synchronization

/// A schema with stored names and types found out, and the means to find the field of a key path.
///
/// A model is decoded once from probe values, and once more for each field with another value in
/// that field alone. A key path belongs to the field whose probe values it reads back, both times:
/// this finds renamed `CodingKeys`, and it finds out computed properties and paths into a field.
final class ResolvedSchema<M: Model>: Sendable {
  let definition: CollectionDefinition
  let layout: RowLayout
  private let samples: [Sample]
  /// The positions of the key paths that queries sort by, once they were found.
  private let sorted = Mutex<[(path: any PartialKeyPath<M> & Sendable, position: Int)]>([])

  /// One field's two probes; nil values where the field cannot be told by them.
  private struct Sample: Sendable {
    let base: M
    let variant: M
    let baseValue: Value
    let variantValue: Value
  }

  init(_ schema: Schema<M>) throws(StorageError) {
    let probed = try ProbeDecoder.fields(of: M.self, collection: schema.name)
    var fields = probed.fields
    layout = RowLayout(collection: schema.name, fields: fields)
    samples = try Self.samples(probed.base, layout)

    var key: [String] = []
    for path in schema.key {
      key.append(fields[try Self.position(of: path, samples, layout)].name)
    }
    guard !key.isEmpty else {
      throw StorageError(
        .invalidSchema,
        "the schema of \(schema.name) names no key; give it one or more key paths"
      )
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
      for path in index.fields {
        names.append(fields[try Self.position(of: path, samples, layout)].name)
      }
      indexes.append(IndexDefinition(names, unique: index.isUnique, name: index.name))
    }
    definition = CollectionDefinition(
      schema.name,
      fields: fields,
      key: key,
      automaticKey: isAutomatic,
      indexes: indexes
    )
    try definition.validate()
  }

  /// The position of the field that a key path reads.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema`` naming the key path if it reads no stored field,
  ///   or only a part of one.
  func position(of path: PartialKeyPath<M>) throws(StorageError) -> Int {
    try Self.position(of: path, samples, layout)
  }

  /// The same for a key path that comes again and again, as in the order of a query.
  ///
  /// - Throws: as ``position(of:)``.
  func sortPosition(of path: any PartialKeyPath<M> & Sendable) throws(StorageError) -> Int {
    let known = sorted.withLock { entries in
      entries.first { ($0.path as AnyKeyPath) == (path as AnyKeyPath) }?.position
    }
    if let known { return known }
    let position = try position(of: path)
    sorted.withLock { entries in
      // Key paths may be made at run time, without end.
      if entries.count < 64 { entries.append((path, position)) }
    }
    return position
  }

  private static func samples(_ base: M, _ layout: RowLayout) throws(StorageError) -> [Sample] {
    let baseValues = try values(of: base, layout)
    var samples: [Sample] = []
    for position in 0..<layout.count {
      let variant =
        try ProbeDecoder.variant(of: M.self, varying: position, collection: layout.collection)
        ?? base
      let variantValues = try values(of: variant, layout)
      samples.append(
        Sample(
          base: base,
          variant: variant,
          baseValue: baseValues[position],
          variantValue: variantValues[position]
        )
      )
    }
    return samples
  }

  private static func values(of model: M, _ layout: RowLayout) throws(StorageError) -> [Value] {
    let encoder = RowEncoder(layout)
    do {
      return try encoder.withRow(of: model) { try $0.values() }
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

  private static func position(
    of path: PartialKeyPath<M>,
    _ samples: [Sample],
    _ layout: RowLayout
  ) throws(StorageError) -> Int {
    var found: Int?
    for (position, sample) in samples.enumerated() where sample.baseValue != sample.variantValue {
      // What cannot even be encoded there is another field's.
      guard let value = try? layout.value(of: sample.variant[keyPath: path], position),
        value == sample.variantValue,
        (try? layout.value(of: sample.base[keyPath: path], position)) == sample.baseValue
      else { continue }
      if found != nil { throw unresolved(path, layout) }
      found = position
    }
    guard let found else { throw unresolved(path, layout) }
    return found
  }

  private static func unresolved(_ path: PartialKeyPath<M>, _ layout: RowLayout) -> StorageError {
    StorageError(
      .invalidSchema,
      "\(path) is not a stored field of \(M.self); the fields of \(layout.collection) are "
        + layout.names.joined(separator: ", ")
    )
  }
}
