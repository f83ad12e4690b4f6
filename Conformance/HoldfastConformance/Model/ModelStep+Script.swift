import Holdfast

extension ModelStep {
  /// The step as a line of a script, which ``ModelScriptReader`` reads back.
  var line: String {
    switch self {
    case .open, .close, .reopen, .begin, .commit, .rollback, .savepoint, .release, .undo, .watch,
      .unwatch:
      word
    case .create(let definition): "create \(Self.text(definition))"
    case .drop(let name): "drop \(ModelText.name(name))"
    case .rename(let name, let new): "rename \(ModelText.name(name)) to \(ModelText.name(new))"
    case .alter(let name, let changes):
      "alter \(ModelText.name(name)) \(changes.map(\.scriptText).joined(separator: ", "))"
    case .insert(let name, let fields), .put(let name, let fields), .replace(let name, let fields):
      "\(word) \(ModelText.name(name)) \(Self.text(fields))"
    case .update(let name, let key, let fields):
      "update \(ModelText.name(name)) \(ModelText.list(key)) \(Self.text(fields))"
    case .delete(let name, let key): "delete \(ModelText.name(name)) \(ModelText.list(key))"
    case .clear(let name, let filter): "clear \(ModelText.name(name))\(filter.scriptClause)"
    case .fill(let name, let from, let count):
      "fill \(ModelText.name(name)) from \(from) count \(count)"
    case .deferring(let steps): "deferring \(Self.text(steps))"
    case .migrate(let list, _):
      "\(word) "
        + "(\(list.map { "\(ModelText.name($0.name)) \(Self.text($0.steps))" }.joined(separator: ", ")))"
    case .read(let read, let snapshot): Self.prefix(snapshot) + read.line
    case .snapshot(let number), .end(let number), .leave(let number): "\(word) \(number)"
    case .cursor(let number, let query, let snapshot), .page(let number, let query, let snapshot):
      "\(Self.prefix(snapshot))\(word) \(number) \(query.scriptText)"
    case .next(let number, let count): "next \(number) \(count)"
    case .more(let number, let snapshot): "\(Self.prefix(snapshot))more \(number)"
    }
  }

  private static func prefix(_ snapshot: Int?) -> String { snapshot.map { "at \($0) " } ?? "" }

  private static func text(_ steps: [ModelStep]) -> String {
    "{\(steps.map(\.line).joined(separator: "; "))}"
  }

  private static func text(_ fields: [ModelField]) -> String {
    let parts = fields.map { "\(ModelText.name($0.name)): \(ModelText.value($0.value))" }
    return "{\(parts.joined(separator: ", "))}"
  }

  static func text(_ definition: CollectionDefinition) -> String {
    let fields = definition.fields.map(\.scriptText)
    var text = "\(ModelText.name(definition.name)) (\(fields.joined(separator: ", "))) key "
    text += names(definition.key)
    if definition.hasAutomaticKey { text += " automatic" }
    for index in definition.indexes {
      text += " \(index.scriptText)"
    }
    for reference in definition.references { text += " \(reference.scriptText)" }
    return text
  }

  static func names(_ names: [String]) -> String {
    "(\(names.map(ModelText.name).joined(separator: ", ")))"
  }
}

extension FieldDefinition {
  /// The field as it stands in scripts.
  var scriptText: String {
    "\(ModelText.name(name)) \(type.rawValue)\(isOptional ? "?" : "")"
      + (defaultValue.map { " = \(ModelText.value($0))" } ?? "")
  }
}

extension IndexDefinition {
  /// The index as it stands in scripts.
  var scriptText: String {
    "\(isUnique ? "unique" : "index") \(ModelText.name(name)) \(ModelStep.names(fields))"
  }
}

extension ReferenceDefinition {
  /// The reference as it stands in scripts.
  var scriptText: String {
    "refers \(ModelStep.names(fields)) to \(ModelText.name(target)) \(onDelete.rawValue)"
  }
}

extension SchemaChange {
  /// The change as it stands in scripts.
  var scriptText: String {
    switch self {
    case .addField(let field): "add \(field.scriptText)"
    case .dropField(let name): "remove \(ModelText.name(name))"
    case .renameField(let name, let new): "call \(ModelText.name(name)) \(ModelText.name(new))"
    case .setOptional(let name, let isOptional):
      "\(isOptional ? "optional" : "required") \(ModelText.name(name))"
    case .changeType(let name, let type): "type \(ModelText.name(name)) \(type.rawValue)"
    case .setDefault(let name, let value):
      "default \(ModelText.name(name))" + (value.map { " = \(ModelText.value($0))" } ?? "")
    case .addIndex(let index): index.scriptText
    case .dropIndex(let name): "unindex \(ModelText.name(name))"
    case .addReference(let reference): reference.scriptText
    case .dropReference(let fields): "unrefer \(ModelStep.names(fields))"
    }
  }
}

extension ModelRead {
  /// The read as a line of a script.
  var line: String {
    switch self {
    case .get(let name, let key): "get \(ModelText.name(name)) \(ModelText.list(key))"
    case .query(let query): "query \(query.scriptText)"
    case .count(let name, let filter): "count \(ModelText.name(name))\(filter.scriptClause)"
    case .aggregate(let name, let figures, let groups, let filter):
      "aggregate \(ModelText.name(name)) (\(figures.map(\.scriptText).joined(separator: ", ")))"
        + (groups.isEmpty ? "" : " by \(ModelStep.names(groups))") + filter.scriptClause
    }
  }
}

extension Aggregate {
  /// The figure as it stands in scripts.
  var scriptText: String {
    switch self {
    case .count: "count"
    case .sum(let field): "sum \(ModelText.name(field))"
    case .average(let field): "average \(ModelText.name(field))"
    case .minimum(let field): "minimum \(ModelText.name(field))"
    case .maximum(let field): "maximum \(ModelText.name(field))"
    }
  }
}

extension Query {
  /// The query as it stands in scripts, without its token.
  var scriptText: String {
    var text = ModelText.name(collection) + filter.scriptClause
    if !sort.isEmpty {
      let fields = sort.map { ($0.isDescending ? "-" : "") + ModelText.name($0.field) }
      text += " sort (\(fields.joined(separator: ", ")))"
    }
    if let limit { text += " limit \(limit)" }
    if offset != 0 { text += " offset \(offset)" }
    return text
  }
}

extension Filter {
  /// ` where …`, or nothing for every record.
  var scriptClause: String {
    if case .all = self { return "" }
    return " where \(scriptText)"
  }

  /// The filter as it stands in scripts.
  var scriptText: String {
    switch self {
    case .all: "all"
    case .compare(let field, let comparison, let value):
      "\(comparison.scriptWord)(\(ModelText.name(field)), \(ModelText.value(value)))"
    case .isIn(let field, let values): "in(\(ModelText.name(field)), \(ModelText.list(values)))"
    case .startsWith(let field, let value):
      "starts(\(ModelText.name(field)), \(ModelText.value(value)))"
    case .contains(let field, let value):
      "contains(\(ModelText.name(field)), \(ModelText.value(value)))"
    case .json(let field, let condition):
      "json(\(ModelText.name(field)), \(ModelStep.names(condition.path)), "
        + "\(condition.test.scriptText))"
    case .and(let parts): "and(\(parts.map(\.scriptText).joined(separator: ", ")))"
    case .or(let parts): "or(\(parts.map(\.scriptText).joined(separator: ", ")))"
    case .not(let part): "not(\(part.scriptText))"
    }
  }
}

extension JSONCondition.Test {
  /// The test as it stands in scripts.
  var scriptText: String {
    switch self {
    case .compare(let comparison, let value):
      "\(comparison.scriptWord)(\(ModelText.value(value)))"
    case .isIn(let values): "in([\(values.map(ModelText.value).sorted().joined(separator: ", "))])"
    case .startsWith(let text): "starts(\(ModelText.value(.text(text))))"
    case .contains(let text): "contains(\(ModelText.value(.text(text))))"
    case .equals(let json): "same(\(ModelText.value(.text(json))))"
    case .count(let comparison, let count): "count(\(comparison.scriptWord), \(count))"
    case .element(let test): "element(\(test.scriptText))"
    }
  }
}

extension Comparison {
  /// The comparison as it stands in scripts.
  var scriptWord: String {
    switch self {
    case .equal: "eq"
    case .notEqual: "ne"
    case .less: "lt"
    case .lessOrEqual: "le"
    case .greater: "gt"
    case .greaterOrEqual: "ge"
    }
  }
}
