/// Fields that a model declares and the store's collection does not have yet.
///
/// Until the first write adds them, every record reads as it will then, with their defaults, else null;
/// queries have to find the same records before as after.
struct AbsentFields: Sendable {
  /// A collection of these fields alone.
  private let collection: Collection
  /// What every record holds in them.
  let values: [Value]

  /// Nil where there are none.
  ///
  /// A field that must be given, or that looks like one which was renamed, is not among them.
  init?(_ declared: CollectionDefinition, from stored: Collection) throws(StorageError) {
    var fields: [FieldDefinition] = []
    for case .addField(let field) in SchemaComparison(stored: stored.definition, declared: declared)
      .additions
    {
      fields.append(field)
    }
    if fields.isEmpty { return nil }
    collection = try Collection(
      id: stored.id,
      definition: CollectionDefinition(stored.name, fields: fields, key: []),
      physicalName: stored.physicalName,
      indexes: []
    )
    values = fields.map { $0.defaultValue ?? .null }
  }

  /// The fields, in the order of ``values``.
  var fields: [FieldDefinition] { collection.fields }

  /// The same query without these fields: conditions on them are true or false already, and an order
  /// by them is none.
  ///
  /// - Throws: as binding the query's filter.
  func resolved(_ query: Query) throws(StorageError) -> Query {
    var query = query
    let row = RowBuffer(count: values.count)
    for (position, value) in values.enumerated() { row.set(position, value) }
    query.filter = try resolved(query.filter, row.view, depth: 0)
    query.sort.removeAll { collection.positions[$0.field] != nil }
    return query
  }

  private func resolved(_ filter: Filter, _ row: RowView, depth: Int) throws(StorageError) -> Filter
  {
    try FilterBinder.checkDepth(depth)
    switch filter {
    case .all: return filter
    case .compare(let field, _, _), .isIn(let field, _), .startsWith(let field, _),
      .contains(let field, _), .json(let field, _):
      if collection.positions[field] == nil { return filter }
      return try FilterBinder.bind(filter, to: collection).matches(row) ? .all : .nothing
    case .and(let parts): return .and(try resolved(parts, row, depth))
    case .or(let parts): return .or(try resolved(parts, row, depth))
    case .not(let part): return .not(try resolved(part, row, depth: depth + 1))
    }
  }

  private func resolved(_ parts: [Filter], _ row: RowView, _ depth: Int) throws(StorageError)
    -> [Filter]
  {
    var resolved: [Filter] = []
    for part in parts { resolved.append(try self.resolved(part, row, depth: depth + 1)) }
    return resolved
  }
}
