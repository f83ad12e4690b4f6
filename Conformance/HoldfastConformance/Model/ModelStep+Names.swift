import Holdfast

extension ModelStep {
  /// The names of collections, fields and indexes that are created.
  var newNames: [String] {
    switch self {
    case .create(let definition):
      return [definition.name] + definition.fields.map(\.name) + definition.indexes.map(\.name)
    case .rename(_, let new): return [new]
    case .alter(_, let changes):
      return changes.compactMap { change in
        switch change {
        case .addField(let field): field.name
        case .renameField(_, let new): new
        case .addIndex(let index): index.name
        default: nil
        }
      }
    case .migrate(let list, _): return list.flatMap(\.steps).flatMap(\.newNames)
    default: return []
    }
  }

  /// The step with every name, of a collection, a field or an index, changed alike.
  func renamed(_ new: (String) -> String) -> ModelStep {
    switch self {
    case .create(let definition): .create(definition.renamed(new))
    case .drop(let name): .drop(new(name))
    case .rename(let name, let other): .rename(new(name), to: new(other))
    case .alter(let name, let changes): .alter(new(name), changes.map { $0.renamed(new) })
    case .insert(let name, let fields): .insert(new(name), fields.map { $0.renamed(new) })
    case .put(let name, let fields): .put(new(name), fields.map { $0.renamed(new) })
    case .replace(let name, let fields): .replace(new(name), fields.map { $0.renamed(new) })
    case .update(let name, let key, let fields):
      .update(new(name), key, fields.map { $0.renamed(new) })
    case .delete(let name, let key): .delete(new(name), key)
    case .clear(let name, let filter): .clear(new(name), filter.renamed(new))
    case .fill(let name, let from, let count): .fill(new(name), from: from, count: count)
    case .deferring(let steps): .deferring(steps.map { $0.renamed(new) })
    case .migrate(let list, let isRehearsal):
      .migrate(list.map { $0.mapped { $0.renamed(new) } }, isRehearsal: isRehearsal)
    case .read(let read, let snapshot): .read(read.renamed(new), at: snapshot)
    case .cursor(let number, let query, let snapshot):
      .cursor(number, query.renamed(new), at: snapshot)
    case .page(let number, let query, let snapshot):
      .page(number, query.renamed(new), at: snapshot)
    case .open, .close, .reopen, .begin, .commit, .rollback, .savepoint, .release, .undo,
      .snapshot, .end, .next, .leave, .more, .watch, .unwatch:
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
      definition.references.removeAll { $0.fields.contains(field) }
      return .create(definition)
    case .insert(collection, let fields): return .insert(collection, rest(fields))
    case .put(collection, let fields): return .put(collection, rest(fields))
    case .replace(collection, let fields): return .replace(collection, rest(fields))
    case .update(collection, let key, let fields): return .update(collection, key, rest(fields))
    case .deferring(let steps): return .deferring(steps.map { $0.without(field, of: collection) })
    case .migrate(let list, let isRehearsal):
      return .migrate(
        list.map { $0.mapped { $0.without(field, of: collection) } },
        isRehearsal: isRehearsal
      )
    default: return self
    }
  }
}

extension ModelMigration {
  fileprivate func mapped(_ change: (ModelStep) -> ModelStep) -> ModelMigration {
    ModelMigration(name: name, steps: steps.map(change))
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
    definition.indexes = indexes.map { $0.renamed(new) }
    definition.references = references.map { $0.renamed(new) }
    return definition
  }
}

extension IndexDefinition {
  fileprivate func renamed(_ new: (String) -> String) -> IndexDefinition {
    IndexDefinition(fields.map(new), unique: isUnique, name: new(name))
  }
}

extension ReferenceDefinition {
  fileprivate func renamed(_ new: (String) -> String) -> ReferenceDefinition {
    ReferenceDefinition(fields.map(new), to: new(target), onDelete: onDelete)
  }
}

extension SchemaChange {
  fileprivate func renamed(_ new: (String) -> String) -> SchemaChange {
    switch self {
    case .addField(var field):
      field.name = new(field.name)
      return .addField(field)
    case .dropField(let name): return .dropField(new(name))
    case .renameField(let name, let other): return .renameField(new(name), to: new(other))
    case .setOptional(let name, let isOptional): return .setOptional(new(name), isOptional)
    case .changeType(let name, let type): return .changeType(new(name), to: type)
    case .setDefault(let name, let value): return .setDefault(new(name), value)
    case .addIndex(let index): return .addIndex(index.renamed(new))
    case .dropIndex(let name): return .dropIndex(new(name))
    case .addReference(let reference): return .addReference(reference.renamed(new))
    case .dropReference(let fields): return .dropReference(fields.map(new))
    }
  }
}
