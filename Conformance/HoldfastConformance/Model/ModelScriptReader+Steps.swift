import Holdfast

extension ModelScriptReader {
  /// The step of a whole line.
  mutating func wholeStep() throws(Fault) -> ModelStep {
    let step = try self.step()
    skipBlanks()
    guard isAtEnd else { throw expected("the end of the line") }
    return step
  }

  /// A step inside of another one, which writes records or, where it may, changes the schema.
  private mutating func innerStep(allowsSchema: Bool) throws(Fault) -> ModelStep {
    let start = position
    let word = plainWord()
    if word == "deferring" || word == "migrate" || word == "rehearse" {
      throw expected("a step that holds no others", from: start)
    }
    let step = try step(word)
    guard step.isRecordWrite || allowsSchema && step.isSchemaChange else {
      throw expected("a write of records", from: start)
    }
    return step
  }

  private mutating func migrations() throws(Fault) -> [ModelMigration] {
    try list("(", ")") { reader throws(Fault) in
      let name = try reader.name()
      let steps = try reader.list("{", "}", separator: ";") { reader throws(Fault) in
        try reader.innerStep(allowsSchema: true)
      }
      return ModelMigration(name: name, steps: steps)
    }
  }

  private mutating func step() throws(Fault) -> ModelStep {
    var snapshot: Int?
    if takeWord("at") { snapshot = try integer() }
    let word = plainWord()
    if let step = try readStep(word, at: snapshot) { return step }
    guard snapshot == nil else { throw Fault(message: "\(word) does not read in a snapshot") }
    return try step(word)
  }

  /// The step that begins with a word, which has been read.
  private mutating func step(_ word: String) throws(Fault) -> ModelStep {
    switch word {
    case "open": return .open
    case "close": return .close
    case "reopen": return .reopen
    case "begin": return .begin
    case "commit": return .commit
    case "rollback": return .rollback
    case "savepoint": return .savepoint
    case "release": return .release
    case "undo": return .undo
    case "create": return .create(try definition())
    case "drop": return .drop(try name())
    case "rename":
      let name = try name()
      guard takeWord("to") else { throw expected("to") }
      return .rename(name, to: try self.name())
    case "alter":
      let name = try name()
      var changes: [SchemaChange] = []
      repeat { changes.append(try change()) } while take(",")
      return .alter(name, changes)
    case "insert": return .insert(try name(), try fields())
    case "put": return .put(try name(), try fields())
    case "replace": return .replace(try name(), try fields())
    case "update": return .update(try name(), try values(), try fields())
    case "delete": return .delete(try name(), try values())
    case "clear": return .clear(try name(), try clause())
    case "fill": return try fill()
    case "deferring":
      return .deferring(
        try list("{", "}", separator: ";") { reader throws(Fault) in
          try reader.innerStep(allowsSchema: false)
        }
      )
    case "migrate": return .migrate(try migrations(), isRehearsal: false)
    case "rehearse": return .migrate(try migrations(), isRehearsal: true)
    case "watch": return .watch
    case "unwatch": return .unwatch
    case "snapshot": return .snapshot(try integer())
    case "end": return .end(try integer())
    case "next": return .next(try integer(), count: try integer())
    case "leave": return .leave(try integer())
    default: throw Fault(message: "unknown operation \(ExactText.quoted(word))")
    }
  }

  private mutating func readStep(_ word: String, at snapshot: Int?) throws(Fault) -> ModelStep? {
    switch word {
    case "get": return .read(.get(try name(), try values()), at: snapshot)
    case "query": return .read(.query(try query()), at: snapshot)
    case "count": return .read(.count(try name(), try clause()), at: snapshot)
    case "aggregate":
      let collection = try name()
      let figures = try list("(", ")") { reader throws(Fault) in try reader.figure() }
      let groups = takeWord("by") ? try names() : []
      return .read(.aggregate(collection, figures, by: groups, try clause()), at: snapshot)
    case "cursor": return .cursor(try integer(), try query(), at: snapshot)
    case "page": return .page(try integer(), try query(), at: snapshot)
    case "more": return .more(try integer(), at: snapshot)
    default: return nil
    }
  }

  private mutating func fill() throws(Fault) -> ModelStep {
    let collection = try name()
    guard takeWord("from") else { throw expected("from") }
    let from = try integer()
    guard takeWord("count") else { throw expected("count") }
    let count = try integer()
    guard (0...1_000_000).contains(count), abs(from.magnitude.distance(to: 0)) < 1 << 40 else {
      throw Fault(message: "fill takes at most 1000000 records, from a number below 2^40")
    }
    return .fill(collection, from: from, count: count)
  }

  private mutating func clause() throws(Fault) -> Filter {
    takeWord("where") ? try filter() : .all
  }

  private mutating func query() throws(Fault) -> Query {
    var query = Query(try name())
    query.filter = try clause()
    if takeWord("sort") {
      query.sort = try list("(", ")") { reader throws(Fault) in
        let isDescending = reader.take("-")
        return Sort(field: try reader.name(), isDescending: isDescending)
      }
    }
    if takeWord("limit") { query.limit = try integer() }
    if takeWord("offset") { query.offset = try integer() }
    return query
  }

  private mutating func figure() throws(Fault) -> Aggregate {
    switch plainWord() {
    case "count": return .count
    case "sum": return .sum(try name())
    case "average": return .average(try name())
    case "minimum": return .minimum(try name())
    case "maximum": return .maximum(try name())
    default: throw expected("count, sum, average, minimum or maximum")
    }
  }

  private mutating func fields() throws(Fault) -> [ModelField] {
    try list("{", "}") { reader throws(Fault) in
      let name = try reader.name()
      try reader.need(":")
      return ModelField(name: name, value: try reader.value())
    }
  }

  private mutating func definition() throws(Fault) -> CollectionDefinition {
    var definition = CollectionDefinition(try name(), fields: [], key: [])
    definition.fields = try list("(", ")") { reader throws(Fault) in try reader.field() }
    guard takeWord("key") else { throw expected("key") }
    definition.key = try names()
    definition.hasAutomaticKey = takeWord("automatic")
    while true {
      if takeWord("refers") {
        definition.references.append(try reference())
        continue
      }
      let isUnique = takeWord("unique")
      guard isUnique || takeWord("index") else { return definition }
      definition.indexes.append(try index(isUnique))
    }
  }

  private mutating func index(_ isUnique: Bool) throws(Fault) -> IndexDefinition {
    let name = try name()
    return IndexDefinition(try names(), unique: isUnique, name: name)
  }

  private mutating func reference() throws(Fault) -> ReferenceDefinition {
    let fields = try names()
    guard takeWord("to") else { throw expected("to") }
    let target = try name()
    guard let rule = DeleteRule(rawValue: plainWord()) else {
      throw expected("restrict, cascade or setNull")
    }
    return ReferenceDefinition(fields, to: target, onDelete: rule)
  }

  private mutating func type() throws(Fault) -> FieldType {
    guard let type = FieldType(rawValue: plainWord()) else { throw expected("a type of fields") }
    return type
  }

  private mutating func change() throws(Fault) -> SchemaChange {
    switch plainWord() {
    case "add": return .addField(try field())
    case "remove": return .dropField(try name())
    case "call": return .renameField(try name(), to: try name())
    case "optional": return .setOptional(try name(), true)
    case "required": return .setOptional(try name(), false)
    case "type": return .changeType(try name(), to: try type())
    case "default":
      let name = try name()
      if take("=") { return .setDefault(name, try value()) }
      return .setDefault(name, Optional<Value>.none)
    case "index": return .addIndex(try index(false))
    case "unique": return .addIndex(try index(true))
    case "unindex": return .dropIndex(try name())
    case "refers": return .addReference(try reference())
    case "unrefer": return .dropReference(try names())
    default: throw expected("a change of the schema")
    }
  }

  private mutating func field() throws(Fault) -> FieldDefinition {
    let name = try name()
    let type = try type()
    let isOptional = take("?")
    var field = FieldDefinition(name, type, optional: isOptional)
    if take("=") { field.defaultValue = try value() }
    return field
  }
}
