extension Filter {
  /// Parses a small SQL-like language:
  /// `city = 'Beijing' AND (price >= 3.5 OR name IS NULL) AND NOT id IN (1, 2)`.
  ///
  /// Operators, by rising strength: `OR`, `AND`, `NOT`, then `=` `!=` `<>` `<` `<=` `>` `>=`, `IN`,
  /// `BETWEEN … AND …`, `IS NULL`, `STARTS WITH`, `CONTAINS`, each of the words with `NOT` before it
  /// too, and parentheses. Literals: numbers, `'text'` (a quote in it is doubled), `true`, `false`,
  /// `null`, `x'hex'`, `DATE '2026-01-31'`, `UUID '…'`. Names may be `"quoted"`; keywords are of
  /// either case. `x = null` asks for null.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery``; its message begins with the column of the
  ///   mistake, counted in characters from 1.
  public init(parsing text: String) throws(StorageError) {
    self = try WhereParser.parse(text).filter
  }
}

/// The parser of ``Filter/init(parsing:)``: recursive descent over tokens, of limited depth.
package struct WhereParser {
  /// A field's name where it stands in the text.
  package struct FieldMention: Sendable {
    /// The name.
    package let name: String
    /// The column of its first character, from 1.
    package let column: Int
  }

  /// How deep parentheses and `NOT` may nest.
  static let maximumDepth = 500
  static let reserved: Set<String> = [
    "and", "or", "not", "in", "is", "between", "null", "true", "false",
  ]

  private var lexer: WhereLexer
  private var token: WhereLexer.Token
  private var mentions: [(name: String, start: Int)] = []

  /// Parses a filter and says where it names fields.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery``.
  package static func parse(_ text: String) throws(StorageError)
    -> (filter: Filter, mentions: [FieldMention])
  {
    var parser = try WhereParser(text)
    let filter = try parser.disjunction(depth: 0)
    guard case .end = parser.token.content else {
      throw parser.unexpected("AND, OR or the end")
    }
    return (filter, parser.located())
  }

  private init(_ text: String) throws(StorageError) {
    lexer = WhereLexer(text)
    token = try lexer.next()
  }

  /// The mentions with their columns, counted on from one to the next.
  private func located() -> [FieldMention] {
    var column = 1
    var counted = 0
    return mentions.map { name, start in
      column += lexer.characterCount(counted, start)
      counted = start
      return FieldMention(name: name, column: column)
    }
  }

  // MARK: Tokens

  private mutating func advance() throws(StorageError) { token = try lexer.next() }

  private func unexpected(_ expected: String) -> StorageError {
    lexer.error(at: token.start, "expected \(expected), found \(lexer.description(of: token))")
  }

  private func isKeyword(_ keyword: String) -> Bool {
    guard case .word(let word) = token.content else { return false }
    return Name.folded(word) == keyword
  }

  private func isSymbol(_ symbol: String) -> Bool {
    guard case .symbol(let found) = token.content else { return false }
    return found == symbol
  }

  private mutating func take(keyword: String) throws(StorageError) -> Bool {
    guard isKeyword(keyword) else { return false }
    try advance()
    return true
  }

  private mutating func expect(keyword: String) throws(StorageError) {
    guard try take(keyword: keyword) else { throw unexpected(keyword.uppercased()) }
  }

  private mutating func take(symbol: String) throws(StorageError) -> Bool {
    guard isSymbol(symbol) else { return false }
    try advance()
    return true
  }

  // MARK: Grammar

  private mutating func disjunction(depth: Int) throws(StorageError) -> Filter {
    var parts = [try conjunction(depth: depth)]
    while try take(keyword: "or") { parts.append(try conjunction(depth: depth)) }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction(depth: Int) throws(StorageError) -> Filter {
    var parts = [try negation(depth: depth)]
    while try take(keyword: "and") { parts.append(try negation(depth: depth)) }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation(depth: Int) throws(StorageError) -> Filter {
    guard depth <= Self.maximumDepth else {
      throw lexer.error(
        at: token.start,
        "the condition nests deeper than \(Self.maximumDepth) levels; simplify it"
      )
    }
    if try take(keyword: "not") { return .not(try negation(depth: depth + 1)) }
    guard try take(symbol: "(") else { return try condition() }
    let inner = try disjunction(depth: depth + 1)
    guard try take(symbol: ")") else { throw unexpected("AND, OR or ')'") }
    return inner
  }

  private mutating func condition() throws(StorageError) -> Filter {
    let field = try fieldName()
    if case .symbol(let symbol) = token.content, let comparison = Self.comparisons[symbol] {
      try advance()
      return .compare(field, comparison, try literal())
    }
    if try take(keyword: "is") {
      let isNegated = try take(keyword: "not")
      try expect(keyword: "null")
      return isNegated ? .notEqual(field, .null) : .isNull(field)
    }
    let isNegated = try take(keyword: "not")
    let filter = try wordOperator(field, isNegated: isNegated)
    return isNegated ? .not(filter) : filter
  }

  private static let comparisons: [String: Comparison] = [
    "=": .equal, "==": .equal, "!=": .notEqual, "<>": .notEqual, "<": .less, "<=": .lessOrEqual,
    ">": .greater, ">=": .greaterOrEqual,
  ]

  private mutating func wordOperator(_ field: String, isNegated: Bool) throws(StorageError)
    -> Filter
  {
    if try take(keyword: "in") { return .isIn(field, try list()) }
    if try take(keyword: "between") {
      let low = try literal()
      try expect(keyword: "and")
      return .between(field, low, try literal())
    }
    if try take(keyword: "starts") {
      try expect(keyword: "with")
      return .startsWith(field, try literal())
    }
    if try take(keyword: "contains") { return .contains(field, try literal()) }
    throw unexpected(
      isNegated
        ? "IN, BETWEEN, STARTS WITH or CONTAINS"
        : "an operator (= != < <= > >= IN BETWEEN IS STARTS WITH CONTAINS)"
    )
  }

  private mutating func list() throws(StorageError) -> [Value] {
    guard try take(symbol: "(") else { throw unexpected("'('") }
    var values: [Value] = []
    if try take(symbol: ")") { return values }
    repeat { values.append(try literal()) } while try take(symbol: ",")
    guard try take(symbol: ")") else { throw unexpected("',' or ')'") }
    return values
  }

  private mutating func fieldName() throws(StorageError) -> String {
    let name: String
    switch token.content {
    case .word(let word) where !Self.reserved.contains(Name.folded(word)): name = word
    case .quotedName(let quoted): name = quoted
    case .text: throw unexpected("a field name (\"in double quotes\", or bare)")
    default: throw unexpected("a field name")
    }
    mentions.append((name, token.start))
    try advance()
    return name
  }

  private mutating func literal() throws(StorageError) -> Value {
    let start = token.start
    switch token.content {
    case .value(let value):
      try advance()
      return value
    case .text(let text):
      try advance()
      return .text(text)
    case .word(let word):
      switch Name.folded(word) {
      case "null": try advance(); return .null
      case "true": try advance(); return .integer(1)
      case "false": try advance(); return .integer(0)
      case "date": try advance(); return try dateLiteral(start)
      case "uuid": try advance(); return try uuidLiteral(start)
      default: throw unexpected("a value (texts stand in 'single quotes')")
      }
    case .quotedName: throw unexpected("a value (texts stand in 'single quotes')")
    case .symbol, .end: throw unexpected("a value")
    }
  }

  private mutating func quoted(_ example: String) throws(StorageError) -> String {
    guard case .text(let text) = token.content else { throw unexpected(example) }
    try advance()
    return text
  }

  private mutating func dateLiteral(_ start: Int) throws(StorageError) -> Value {
    let text = try quoted("a date as '2026-01-31' or '2026-01-31T12:00:00Z'")
    guard let canonical = DateCoding.canonical(text) else {
      throw lexer.error(
        at: start,
        "this is no date; write DATE '2026-01-31' or DATE '2026-01-31T12:00:00Z'"
      )
    }
    return .text(canonical)
  }

  private mutating func uuidLiteral(_ start: Int) throws(StorageError) -> Value {
    let text = try quoted("a UUID as '01234567-89ab-cdef-0123-456789abcdef'")
    let field = FieldDefinition("uuid", .uuid)
    guard case .blob(let bytes) = field.lenient(.text(text)) else {
      throw lexer.error(
        at: start,
        "this is no UUID; write UUID '01234567-89ab-cdef-0123-456789abcdef'"
      )
    }
    return .blob(bytes)
  }
}
