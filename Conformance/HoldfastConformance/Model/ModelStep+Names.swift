import Holdfast

extension ModelStep {
  /// The names of collections, fields and indexes that are created.
  var newNames: [String] {
    guard case .create(let definition) = self else { return [] }
    return [definition.name] + definition.fields.map(\.name) + definition.indexes.map(\.name)
  }

  /// The step with every name, of a collection, a field or an index, changed alike.
  func renamed(_ new: (String) -> String) -> ModelStep {
    switch self {
    case .create(let definition): .create(definition.renamed(new))
    case .insert(let name, let fields): .insert(new(name), fields.map { $0.renamed(new) })
    case .put(let name, let fields): .put(new(name), fields.map { $0.renamed(new) })
    case .replace(let name, let fields): .replace(new(name), fields.map { $0.renamed(new) })
    case .update(let name, let key, let fields):
      .update(new(name), key, fields.map { $0.renamed(new) })
    case .delete(let name, let key): .delete(new(name), key)
    case .clear(let name, let filter): .clear(new(name), filter.renamed(new))
    case .fill(let name, let from, let count): .fill(new(name), from: from, count: count)
    case .read(let read, let snapshot): .read(read.renamed(new), at: snapshot)
    case .cursor(let number, let query, let snapshot):
      .cursor(number, query.renamed(new), at: snapshot)
    case .page(let number, let query, let snapshot):
      .page(number, query.renamed(new), at: snapshot)
    case .open, .close, .reopen, .begin, .commit, .rollback, .savepoint, .release, .undo,
      .snapshot, .end, .next, .drop, .more:
      self
    }
  }

  /// The step without a field of one collection, where it stands by itself.
  func without(_ field: String, of collection: String) -> ModelStep {
    func rest(_ fields: [ModelField]) -> [ModelField] { fields.filter { $0.name != field } }
    switch self {
    case .create(var definition) where definition.name == collection:
      definition.fields.removeAll { $0.name == field }
      definition.key.removeAll { $0 == field }
      for index in definition.indexes.indices {
        definition.indexes[index].fields.removeAll { $0 == field }
      }
      definition.indexes.removeAll(where: \.fields.isEmpty)
      return .create(definition)
    case .insert(collection, let fields): return .insert(collection, rest(fields))
    case .put(collection, let fields): return .put(collection, rest(fields))
    case .replace(collection, let fields): return .replace(collection, rest(fields))
    case .update(collection, let key, let fields): return .update(collection, key, rest(fields))
    default: return self
    }
  }
}

extension ModelField {
  fileprivate func renamed(_ new: (String) -> String) -> ModelField {
    ModelField(name: new(name), value: value)
  }
}

extension ModelRead {
  fileprivate func renamed(_ new: (String) -> String) -> ModelRead {
    switch self {
    case .get(let name, let key): .get(new(name), key)
    case .query(let query): .query(query.renamed(new))
    case .count(let name, let filter): .count(new(name), filter.renamed(new))
    case .aggregate(let name, let figures, let groups, let filter):
      .aggregate(
        new(name),
        figures.map { $0.renamed(new) },
        by: groups.map(new),
        filter.renamed(new)
      )
    }
  }
}

extension Aggregate {
  fileprivate func renamed(_ new: (String) -> String) -> Aggregate {
    switch self {
    case .count: .count
    case .sum(let field): .sum(new(field))
    case .average(let field): .average(new(field))
    case .minimum(let field): .minimum(new(field))
    case .maximum(let field): .maximum(new(field))
    }
  }
}

extension Query {
  fileprivate func renamed(_ new: (String) -> String) -> Query {
    var query = self
    query.collection = new(collection)
    query.filter = filter.renamed(new)
    for index in query.sort.indices { query.sort[index].field = new(query.sort[index].field) }
    return query
  }
}

extension Filter {
  fileprivate func renamed(_ new: (String) -> String) -> Filter {
    switch self {
    case .all: .all
    case .compare(let field, let comparison, let value): .compare(new(field), comparison, value)
    case .isIn(let field, let values): .isIn(new(field), values)
    case .startsWith(let field, let value): .startsWith(new(field), value)
    case .contains(let field, let value): .contains(new(field), value)
    case .json(let field, let condition): .json(new(field), condition)
    case .and(let parts): .and(parts.map { $0.renamed(new) })
    case .or(let parts): .or(parts.map { $0.renamed(new) })
    case .not(let part): .not(part.renamed(new))
    }
  }
}

extension CollectionDefinition {
  fileprivate func renamed(_ new: (String) -> String) -> CollectionDefinition {
    var definition = self
    definition.name = new(name)
    for index in fields.indices { definition.fields[index].name = new(fields[index].name) }
    definition.key = key.map(new)
    for index in indexes.indices {
      definition.indexes[index].name = new(indexes[index].name)
      definition.indexes[index].fields = indexes[index].fields.map(new)
    }
    return definition
  }
}
