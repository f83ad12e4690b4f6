/// A condition on a `json` field, or on a part of it that a path of member names leads to.
///
/// ```swift
/// .json("address", JSONCondition(["city"], .compare(.equal, "London")))
/// .json("tags", JSONCondition([], .element(.compare(.equal, "new"))))
/// ```
///
/// A part that is not there counts as null. `true` and `false` count as 1 and 0. Values of different
/// kinds are never equal, and neither is less than the other. As with fields, an order against null
/// is false and `notEqual` is the complement of `equal`.
public struct JSONCondition: Sendable, Hashable {
  /// What the part has to meet.
  public indirect enum Test: Sendable, Hashable {
    /// A number, text, truth value or null against a literal; arrays and objects differ from all.
    case compare(Comparison, Value)
    /// Equal to one of the literals.
    case isIn(Set<Value>)
    /// A text that begins with this one.
    case startsWith(String)
    /// A text that holds this one.
    case contains(String)
    /// The same JSON value as this text, arrays and objects included.
    case equals(json: String)
    /// An array, or object, of so many elements.
    case count(Comparison, Int)
    /// An array with an element that meets this.
    case element(Test)
  }

  /// The names of members, from the field's own value inward; empty for the value itself.
  public let path: [String]
  /// What the part has to meet.
  public let test: Test
  private let keys: [[UInt8]]

  /// Creates a condition.
  public init(_ path: [String], _ test: Test) {
    self.path = path
    self.test = test
    keys = path.map(JSONWriter.quotedKey)
  }

  /// Whether a stored text, or null, meets the condition.
  ///
  /// O(n) in the text's bytes.
  func matches(_ row: RowView, _ position: Int) -> Bool {
    guard row.kind(position) == .text else { return test.matches(nil) }
    return test.matches(JSONScanner.part(of: row.bytes(position), at: keys))
  }

  /// The same condition with canonical literals.
  ///
  /// - Throws: ``StorageError/Code/typeMismatch`` for a literal that JSON has no place for,
  ///   ``StorageError/Code/invalidValue`` for NaN and for a text that is no JSON.
  func bound(to field: FieldDefinition, of collection: Collection) throws(StorageError)
    -> JSONCondition
  {
    guard field.type == .json else {
      throw StorageError(
        .typeMismatch,
        "field \(field.name) of \(collection.name) is \(field.type), which has no parts"
      )
    }
    return JSONCondition(path, try test.bound("field \(field.name) of \(collection.name)"))
  }
}

extension JSONCondition.Test {
  fileprivate func bound(_ place: String) throws(StorageError) -> JSONCondition.Test {
    switch self {
    case .compare(_, let value): try Self.check(value, place)
    case .isIn(let values): for value in values { try Self.check(value, place) }
    case .startsWith, .contains, .count: break
    case .equals(let text):
      guard let canonical = JSON.canonical(text) else {
        throw StorageError(.invalidValue, "\(place) is compared with a text that is no JSON")
      }
      return .equals(json: canonical)
    case .element(let test): return .element(try test.bound(place))
    }
    return self
  }

  private static func check(_ value: Value, _ place: String) throws(StorageError) {
    switch value {
    case .blob:
      throw StorageError(.typeMismatch, "a part of \(place) cannot be compared with a blob")
    case .real(let real) where real.isNaN:
      throw StorageError(.invalidValue, "a part of \(place) cannot be compared with NaN")
    default: break
    }
  }

  /// Whether a part meets the test; nil where there is none.
  fileprivate func matches(_ part: UnsafeRawBufferPointer?) -> Bool {
    switch self {
    case .compare(let comparison, let literal): return Self.compare(part, comparison, literal)
    case .isIn(let values):
      guard let part else { return values.contains(.null) }
      guard let value = JSONScanner.scalar(part) else { return false }
      return values.contains(value)
    case .startsWith(let prefix):
      return Self.match(part, prefix) { text, prefix in
        text.count >= prefix.count
          && Bytes.compare(UnsafeRawBufferPointer(rebasing: text[..<prefix.count]), prefix) == 0
      }
    case .contains(let needle): return Self.match(part, needle, Bytes.contains)
    case .equals(var json):
      guard let part else { return json == "null" }
      return json.withUTF8 { Bytes.compare(part, UnsafeRawBufferPointer($0)) == 0 }
    case .count(let comparison, let count):
      let actual = part.flatMap(JSONScanner.count(of:)).map { Value.integer(Int64($0)) }
      return comparison.holds(actual ?? .null, .integer(Int64(count)))
    case .element(let test):
      guard let part else { return false }
      var found = false
      JSONScanner.forEachElement(of: part) { element in
        found = test.matches(element)
        return !found
      }
      return found
    }
  }

  private static func compare(
    _ part: UnsafeRawBufferPointer?,
    _ comparison: Comparison,
    _ literal: Value
  ) -> Bool {
    // Most literals are texts, which need no copy.
    if case .text(var text) = literal, let part, part.first == 0x22 {
      let order = JSONScanner.withString(part) { bytes in
        text.withUTF8 { Bytes.compare(bytes, UnsafeRawBufferPointer($0)) }
      }
      if let order { return comparison.holds(order) }
    }
    let value = part.map { JSONScanner.scalar($0) } ?? .null
    guard let value, value.isNull || literal.isNull || value.isComparable(with: literal) else {
      return comparison == .notEqual
    }
    return comparison.holds(value, literal)
  }

  private static func match(
    _ part: UnsafeRawBufferPointer?,
    _ literal: String,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Bool
  ) -> Bool {
    guard let part else { return false }
    var literal = literal
    return JSONScanner.withString(part) { bytes in
      literal.withUTF8 { body(bytes, UnsafeRawBufferPointer($0)) }
    } ?? false
  }
}

extension Value {
  /// Whether two values are both numbers or of one kind.
  fileprivate func isComparable(with other: Value) -> Bool {
    Value.rank(kind) == Value.rank(other.kind)
  }
}

extension Comparison {
  /// The comparison with its sides exchanged.
  var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }

  /// Whether it holds for the outcome of an ordering.
  @inline(__always)
  func holds(_ order: Int) -> Bool {
    switch self {
    case .equal: order == 0
    case .notEqual: order != 0
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    case .greaterOrEqual: order >= 0
    }
  }

  /// Whether it holds between two values; an order against null never does.
  func holds(_ left: Value, _ right: Value) -> Bool {
    if left.isNull || right.isNull {
      switch self {
      case .equal: return left.isNull && right.isNull
      case .notEqual: return left.isNull != right.isNull
      case .less, .lessOrEqual, .greater, .greaterOrEqual: return false
      }
    }
    return holds(Value.compare(left, right))
  }
}
