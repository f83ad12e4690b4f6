import Holdfast

extension ModelStep {
  /// Steps that are a little simpler, the simplest first; each has a shorter line or smaller values.
  var simpler: [ModelStep] {
    switch self {
    case .create(let definition): definition.simpler.map { .create($0) }
    case .alter(let name, let changes):
      changes.count > 1 ? changes.shorter.map { .alter(name, $0) } : []
    case .insert(let name, let fields): Self.simpler(fields).map { .insert(name, $0) }
    case .put(let name, let fields): Self.simpler(fields).map { .put(name, $0) }
    case .replace(let name, let fields): Self.simpler(fields).map { .replace(name, $0) }
    case .update(let name, let key, let fields):
      Self.simpler(fields).map { .update(name, key, $0) }
        + key.simpler.map { .update(name, $0, fields) }
    case .delete(let name, let key): key.simpler.map { .delete(name, $0) }
    case .clear(let name, let filter): filter.simpler.map { .clear(name, $0) }
    case .fill(let name, let from, let count):
      count > 1
        ? [
          .fill(name, from: from, count: count / 2),
          .fill(name, from: from + count / 2, count: count - count / 2),
          .fill(name, from: from, count: count - 1),
        ] : []
    case .deferring(let steps): steps + Self.simpler(steps).map { .deferring($0) }
    case .migrate(let list, let isRehearsal):
      (isRehearsal ? [.migrate(list, isRehearsal: false)] : [])
        + Self.simpler(list).map { .migrate($0, isRehearsal: isRehearsal) }
    case .read(let read, let snapshot): read.simpler.map { .read($0, at: snapshot) }
    case .cursor(let number, let query, let snapshot):
      query.simpler.map { .cursor(number, $0, at: snapshot) }
    case .page(let number, let query, let snapshot):
      query.simpler.filter { $0.limit != nil }.map { .page(number, $0, at: snapshot) }
    case .next(let number, let count):
      count > 1 ? [.next(number, count: count / 2), .next(number, count: count - 1)] : []
    case .reopen: [.begin]
    case .open, .close, .begin, .commit, .rollback, .savepoint, .release, .undo, .snapshot, .end,
      .drop, .rename, .leave, .more, .watch, .unwatch:
      []
    }
  }

  private static func simpler(_ steps: [ModelStep]) -> [[ModelStep]] {
    steps.shorter
      + steps.indices.flatMap { index in
        steps[index].simpler.map { step in
          var simpler = steps
          simpler[index] = step
          return simpler
        }
      }
  }

  private static func simpler(_ list: [ModelMigration]) -> [[ModelMigration]] {
    list.shorter
      + list.indices.flatMap { index in
        simpler(list[index].steps).map { steps in
          var simpler = list
          simpler[index].steps = steps
          return simpler
        }
      }
  }

  private static func simpler(_ fields: [ModelField]) -> [[ModelField]] {
    var simpler: [[ModelField]] = []
    for index in fields.indices {
      var fewer = fields
      fewer.remove(at: index)
      simpler.append(fewer)
    }
    for index in fields.indices {
      for value in fields[index].value.simpler {
        var smaller = fields
        smaller[index].value = value
        simpler.append(smaller)
      }
    }
    return simpler
  }
}

extension ModelRead {
  fileprivate var simpler: [ModelRead] {
    switch self {
    case .get(let name, let key): key.simpler.map { .get(name, $0) }
    case .query(let query): query.simpler.map { .query($0) }
    case .count(let name, let filter): filter.simpler.map { .count(name, $0) }
    case .aggregate(let name, let figures, let groups, let filter):
      figures.shorter.map { .aggregate(name, $0, by: groups, filter) }
        + groups.shorter.map { .aggregate(name, figures, by: $0, filter) }
        + filter.simpler.map { .aggregate(name, figures, by: groups, $0) }
    }
  }
}

extension Array {
  /// The arrays that lack one element.
  fileprivate var shorter: [[Element]] {
    indices.map { index in
      var shorter = self
      shorter.remove(at: index)
      return shorter
    }
  }
}

extension [Value] {
  /// The arrays in which one value is simpler.
  fileprivate var simpler: [[Value]] {
    indices.flatMap { index in
      self[index].simpler.map { value in
        var simpler = self
        simpler[index] = value
        return simpler
      }
    }
  }
}

extension Value {
  /// Values of the same kind that are simpler.
  fileprivate var simpler: [Value] {
    switch self {
    case .null: []
    case .integer(let integer):
      [0, 1, 2, integer / 2].filter { $0.magnitude < integer.magnitude }.map { .integer($0) }
    case .real(let real):
      [0, 1, 0.5].filter { "\($0)".utf8.count < "\(real)".utf8.count || $0 < real.magnitude }
        .filter { $0.magnitude < real.magnitude || !real.isFinite }.map { .real($0) }
    case .text(let text):
      Self.shorter(Array(text.unicodeScalars)).map { scalars in
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return .text(String(view))
      } + (text != "a" && text.unicodeScalars.count == 1 ? [.text("a")] : [])
    case .blob(let bytes):
      Self.shorter(bytes).map { .blob($0) } + (bytes.count == 1 && bytes[0] > 0 ? [.blob([0])] : [])
    }
  }

  private static func shorter<Element>(_ elements: [Element]) -> [[Element]] {
    if elements.isEmpty { return [] }
    let half = elements.count / 2
    var shorter = [[], Array(elements[..<half]), Array(elements[half...])]
    if elements.count > 2 { shorter += [Array(elements.dropLast()), Array(elements.dropFirst())] }
    return shorter.filter { $0.count < elements.count }
  }
}

extension Query {
  fileprivate var simpler: [Query] {
    var simpler: [Query] = []
    func add(_ change: (inout Query) -> Void) {
      var query = self
      change(&query)
      simpler.append(query)
    }
    if limit != nil { add { $0.limit = nil } }
    if offset != 0 { add { $0.offset = 0 } }
    for sort in sort.shorter { add { $0.sort = sort } }
    for index in sort.indices where sort[index].isDescending {
      add { $0.sort[index].isDescending = false }
    }
    for filter in filter.simpler { add { $0.filter = filter } }
    if let limit, limit > 1 { add { $0.limit = limit - 1 } }
    if offset > 1 { add { $0.offset = offset - 1 } }
    return simpler
  }
}

extension Filter {
  fileprivate var simpler: [Filter] {
    switch self {
    case .all: []
    case .compare(let field, let comparison, let value):
      [.all] + value.simpler.map { .compare(field, comparison, $0) }
    case .isIn(let field, let values):
      [.all] + values.map { .equal(field, $0) } + values.shorter.map { .isIn(field, $0) }
        + values.simpler.map { .isIn(field, $0) }
    case .startsWith(let field, let value):
      [.all] + value.simpler.map { .startsWith(field, $0) }
    case .contains(let field, let value): [.all] + value.simpler.map { .contains(field, $0) }
    case .json: [.all]
    case .and(let parts):
      [.all] + parts + parts.shorter.map { .and($0) } + inner(parts) { .and($0) }
    case .or(let parts): [.all] + parts + parts.shorter.map { .or($0) } + inner(parts) { .or($0) }
    case .not(let part): [.all, part] + part.simpler.map { .not($0) }
    }
  }

  private func inner(_ parts: [Filter], _ make: ([Filter]) -> Filter) -> [Filter] {
    parts.indices.flatMap { index in
      parts[index].simpler.map { simpler in
        var changed = parts
        changed[index] = simpler
        return make(changed)
      }
    }
  }
}

extension CollectionDefinition {
  /// With one index, field or property less.
  fileprivate var simpler: [CollectionDefinition] {
    var simpler: [CollectionDefinition] = []
    func add(_ change: (inout CollectionDefinition) -> Void) {
      var definition = self
      change(&definition)
      simpler.append(definition)
    }
    for index in references.indices { add { $0.references.remove(at: index) } }
    for index in indexes.indices { add { $0.indexes.remove(at: index) } }
    let used = key + indexes.flatMap(\.fields) + references.flatMap(\.fields)
    for index in fields.indices where !used.contains(fields[index].name) {
      add { $0.fields.remove(at: index) }
    }
    for (index, entry) in indexes.enumerated() where entry.fields.count > 1 {
      for fields in entry.fields.shorter { add { $0.indexes[index].fields = fields } }
    }
    for index in indexes.indices where indexes[index].isUnique {
      add { $0.indexes[index].isUnique = false }
    }
    for index in fields.indices where fields[index].defaultValue != nil {
      add { $0.fields[index].defaultValue = nil }
    }
    for index in key.indices where key.count > 1 { add { $0.key.remove(at: index) } }
    return simpler
  }
}
