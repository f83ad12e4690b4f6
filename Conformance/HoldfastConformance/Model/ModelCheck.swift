import Holdfast

/// Compares everything that a transaction sees with what the model holds.
enum ModelCheck {
  /// A difference in content.
  struct Difference {
    var what: String
    var expected: String
    var got: String
  }

  /// The first difference, if any: definitions, records in key order, each index in both directions.
  ///
  /// - Throws: what reading throws.
  static func difference(_ transaction: ReadTransaction, _ content: ModelContent) throws
    -> Difference?
  {
    let names = content.collections.map { ModelStep.text($0.definition) }.sorted()
    let found = try transaction.catalog.collections.map { ModelStep.text($0.definition) }.sorted()
    if let difference = compare("the collections", names.joined(), found.joined()) {
      return difference
    }
    let migrations = try transaction.catalog.migrations
    if let difference = compare("the migrations", "\(content.migrations)", "\(migrations)") {
      return difference
    }
    for collection in content.collections {
      if let difference = try self.difference(transaction, collection) { return difference }
    }
    return nil
  }

  private static func difference(_ transaction: ReadTransaction, _ collection: ModelCollection)
    throws -> Difference?
  {
    let name = collection.definition.name
    let whole = ModelText.name(name)
    for query in queries(collection) {
      let expected = ModelText.rows(collection.rows(query))
      let got = ModelText.rows(try transaction.fetch(query).map(\.values))
      if let difference = compare("\(whole) by \(query.scriptText)", expected, got) {
        return difference
      }
    }
    let count = try transaction.count(name)
    return compare("the count of \(whole)", "\(collection.rows.count)", "\(count)")
  }

  /// The table, the table backwards, and each index in both directions and by its condition.
  private static func queries(_ collection: ModelCollection) -> [Query] {
    let definition = collection.definition
    var queries: [Query] = []
    for fields in [definition.key] + definition.indexes.map(\.fields) {
      let hasOrder = fields.allSatisfy { name in
        collection.field(name).map { $0.type != .decimal && $0.type != .json } ?? false
      }
      guard hasOrder else { continue }
      for isDescending in [false, true] {
        let sort = fields.map { Sort(field: $0, isDescending: isDescending) }
        queries.append(Query(definition.name, sort: sort))
      }
      // A range that takes in everything but null leads through the index.
      if let first = collection.position(fields[0]),
        let smallest = collection.rows.map({ $0[first] }).filter({ !ModelRules.isNull($0) })
          .min(by: { Oracle.order($0, $1) < 0 })
      {
        queries.append(Query(definition.name, where: .greaterOrEqual(fields[0], smallest)))
      }
    }
    queries.append(Query(definition.name))
    return queries
  }

  private static func compare(_ what: String, _ expected: String, _ got: String) -> Difference? {
    expected.utf8.elementsEqual(got.utf8)
      ? nil : Difference(what: what, expected: expected, got: got)
  }
}
