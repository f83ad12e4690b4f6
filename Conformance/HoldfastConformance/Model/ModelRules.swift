import Holdfast

/// What single values, keys and definitions may be, written down from the documents alone.
enum ModelRules {
  static let longestKey = 480
  static let longestName = 128

  // MARK: Values

  /// The stored form of a value that is given by name.
  static func stored(_ value: Value, _ field: FieldDefinition) -> Value {
    switch (field.type, value) {
    case (.real, .integer(let integer)):
      let real = Double(integer)
      return Oracle.order(.integer(integer), .real(real)) == 0 ? .real(real) : value
    case (.decimal, .integer(let integer)): return .text("\(integer)")
    case (.real, .real), (.any, .real): return withoutNegativeZero(value)
    default: return value
    }
  }

  /// −0.0 is stored as +0.0.
  static func withoutNegativeZero(_ value: Value) -> Value {
    if case .real(let real) = value, real == 0 { return .real(0) }
    return value
  }

  static func isNull(_ value: Value) -> Bool {
    if case .null = value { return true }
    return false
  }

  static func isNaN(_ value: Value) -> Bool {
    if case .real(let real) = value { return real.isNaN }
    return false
  }

  /// Whether a value, null apart, is of a kind that a type takes.
  static func fits(_ value: Value, _ type: FieldType) -> Bool {
    switch (type, value) {
    case (.any, _), (.integer, .integer), (.bool, .integer), (.real, .real), (.text, .text),
      (.date, .text), (.decimal, .text), (.json, .text), (.blob, .blob), (.uuid, .blob):
      true
    default: false
    }
  }

  /// The code with which a field refuses a stored value; nil if it takes it.
  static func fault(_ value: Value, _ field: FieldDefinition, allowsNull: Bool)
    -> StorageError.Code?
  {
    if isNull(value) { return allowsNull ? nil : .invalidValue }
    if isNaN(value) { return .invalidValue }
    guard fits(value, field.type) else { return .typeMismatch }
    switch (field.type, value) {
    case (.bool, .integer(let integer)): return integer == 0 || integer == 1 ? nil : .invalidValue
    case (.uuid, .blob(let bytes)): return bytes.count == 16 ? nil : .invalidValue
    case (.date, .text(let text)): return isDate(text) ? nil : .invalidValue
    case (.decimal, .text(let text)): return isDecimal(text) ? nil : .invalidValue
    case (.json, .text(let text)):
      return Pools.values(of: .json).contains { Oracle.order($0, .text(text)) == 0 }
        ? nil : .invalidValue
    default: return nil
    }
  }

  /// Whether a text has the form of a stored date; days of months are not checked.
  static func isDate(_ text: String) -> Bool {
    let pattern = Array("dddd-dd-ddTdd:dd:dd.dddddddddZ".utf8)
    let bytes = Array(text.utf8)
    return bytes.count == pattern.count
      && zip(bytes, pattern).allSatisfy { byte, form in
        form == UInt8(ascii: "d") ? byte >= 0x30 && byte <= 0x39 : byte == form
      }
  }

  private static func isDecimal(_ text: String) -> Bool {
    Pools.values(of: .decimal).contains { Oracle.order($0, .text(text)) == 0 } || Int64(text) != nil
  }

  // MARK: Keys

  /// The length of a key's encoded form, as `docs/FileFormats.md` describes it.
  static func encodedLength(_ key: [Value]) -> Int {
    key.reduce(0) { length, value in
      switch value {
      case .null: length + 1
      case .integer(let integer): length + 1 + (64 - integer.magnitude.leadingZeroBitCount + 7) / 8
      case .real: length + 9
      case .text(let text): length + 2 + text.utf8.reduce(0) { $0 + ($1 == 0 ? 2 : 1) }
      case .blob(let bytes): length + 2 + bytes.reduce(0) { $0 + ($1 == 0 ? 2 : 1) }
      }
    }
  }

  // MARK: Filters

  /// All codes with which a filter may be refused; none if it is right.
  static func faults(_ filter: Filter, _ collection: ModelCollection) -> [StorageError.Code] {
    switch filter {
    case .all: return []
    case .and(let parts), .or(let parts): return parts.flatMap { faults($0, collection) }
    case .not(let part): return faults(part, collection)
    case .compare(let name, let comparison, let literal):
      guard let field = collection.field(name) else { return [.unknownField] }
      let isEquality = comparison == .equal || comparison == .notEqual
      return faults(literal, field, isEquality: isEquality)
    case .isIn(let name, let literals):
      guard let field = collection.field(name) else { return [.unknownField] }
      return literals.flatMap { faults($0, field, isEquality: true) }
    case .startsWith(let name, let literal), .contains(let name, let literal):
      guard let field = collection.field(name) else { return [.unknownField] }
      switch (field.type, literal) {
      case (.text, .text), (.date, .text), (.blob, .blob), (.text, .null), (.date, .null),
        (.blob, .null):
        return []
      default: return [.typeMismatch]
      }
    case .json(let name, let condition):
      guard let field = collection.field(name) else { return [.unknownField] }
      return (field.type == .json ? [] : [.typeMismatch]) + faults(condition.test)
    }
  }

  /// A text that is no JSON, for tests that are to be refused.
  static let brokenJSON = "[1,"

  private static func faults(_ test: JSONCondition.Test) -> [StorageError.Code] {
    func fault(_ literal: Value) -> StorageError.Code? {
      if case .blob = literal { return .typeMismatch }
      return isNaN(literal) ? .invalidValue : nil
    }
    switch test {
    case .compare(_, let literal): return fault(literal).map { [$0] } ?? []
    case .isIn(let literals): return literals.compactMap(fault)
    case .equals(let json): return json == brokenJSON ? [.invalidValue] : []
    case .element(let test): return faults(test)
    case .startsWith, .contains, .count: return []
    }
  }

  private static func faults(_ literal: Value, _ field: FieldDefinition, isEquality: Bool)
    -> [StorageError.Code]
  {
    if isNaN(literal) { return [.invalidValue] }
    let hasOrder = field.type != .decimal && field.type != .json
    if !isEquality, !hasOrder { return [.typeMismatch] }
    if isNull(literal) { return [] }
    let literal = stored(literal, field)
    switch (field.type, literal) {
    case (.integer, .real), (.bool, .real), (.real, .integer): return []
    case (.date, .text(let text)): return isDate(text) ? [] : [.typeMismatch]
    case (.uuid, .blob(let bytes)): return bytes.count == 16 ? [] : [.typeMismatch]
    default: return fits(literal, field.type) ? [] : [.typeMismatch]
    }
  }

  /// Whether two names cannot coexist: alike but for ASCII case or the Unicode normal form.
  static func areAlike(_ left: String, _ right: String) -> Bool {
    func folded(_ name: String) -> String {
      String(
        String.UnicodeScalarView(
          name.unicodeScalars.map {
            $0.value >= 0x41 && $0.value <= 0x5A ? Unicode.Scalar(UInt8($0.value) + 0x20) : $0
          }
        )
      )
    }
    return folded(left) == folded(right)
  }

  static func isName(_ name: String) -> Bool {
    (1...longestName).contains(name.utf8.count)
      && !name.unicodeScalars.contains {
        $0.value < 0x20 || ($0.value >= 0x7F && $0.value < 0xA0)
      }
  }
}
