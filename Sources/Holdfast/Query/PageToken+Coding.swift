import Foundation

extension PageToken {
  /// Makes a token: fingerprint of query and schema, the last row's sort values, a checksum; in
  /// base64url.
  ///
  /// It holds no offset, so inserts and deletes between pages do not shift it.
  init(values: [Value], query: Query, collection: Collection) {
    var bytes = Self.bytes(Self.fingerprint(query, collection))
    for value in values { Self.append(value, to: &bytes) }
    bytes += Self.bytes(FNV.hash(bytes))
    let text = Data(bytes).base64EncodedString()
    self.init(
      text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    )
  }

  /// The sort values in a token that belongs to `query`.
  ///
  /// - Throws: ``StorageError/Code/invalidCursor``.
  func values(for query: Query, _ collection: Collection, count: Int) throws(StorageError)
    -> [Value]
  {
    let invalid = StorageError(
      .invalidCursor,
      "the paging token is damaged; start again without one"
    )
    guard text.utf8.count < 1 << 24, text.utf8.allSatisfy({ $0 < 0x80 }) else { throw invalid }
    var base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    base64 += String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64), data.count >= 16 else { throw invalid }
    let bytes = Array(data)
    let body = Array(bytes.dropLast(8))
    guard Array(bytes.suffix(8)) == Self.bytes(FNV.hash(body)) else { throw invalid }
    guard Array(body.prefix(8)) == Self.bytes(Self.fingerprint(query, collection)) else {
      throw StorageError(
        .invalidCursor,
        "the paging token belongs to another query or schema; use it with the query that gave it"
      )
    }
    var values: [Value] = []
    var rest = body.dropFirst(8)
    while !rest.isEmpty {
      guard let value = Self.value(from: &rest) else { throw invalid }
      values.append(value)
    }
    guard values.count == count else { throw invalid }
    return values
  }

  /// The condition that rows behind `values` in `order` meet.
  ///
  /// `a ≥ v AND (a > v OR (a = v AND …))`, the first part so that an index range can be used; null
  /// first ascending and last descending.
  static func condition(
    after values: [Value],
    _ order: [BoundQuery.Order],
    _ collection: Collection
  ) throws(StorageError) -> BoundFilter {
    var condition = BoundFilter.none
    for (index, order) in order.enumerated().reversed() {
      let position = order.position
      let value = values[index]
      let equal = BoundFilter.compare(position, .equal, value)
      let isOptional = collection.fields[position].isOptional
      let isNull = BoundFilter.compare(position, .equal, .null)
      let beyond: BoundFilter
      switch (value.isNull, order.isDescending) {
      case (true, false): beyond = .compare(position, .notEqual, .null)
      case (true, true): beyond = .none
      case (false, false): beyond = .compare(position, .greater, value)
      case (false, true):
        beyond = BoundFilter.compare(position, .less, value).or(isOptional ? isNull : .none)
      }
      let exact = beyond.or(equal.and(condition))
      if case .none = condition {
        condition = exact
        continue
      }
      let range: BoundFilter
      switch (value.isNull, order.isDescending) {
      case (true, false): range = .all
      case (true, true): range = isNull
      case (false, false): range = .compare(position, .greaterOrEqual, value)
      case (false, true):
        range =
          isOptional
          ? BoundFilter.compare(position, .lessOrEqual, value).or(isNull)
          : .compare(position, .lessOrEqual, value)
      }
      condition = range.and(exact)
    }
    return condition
  }

  private static func fingerprint(_ query: Query, _ collection: Collection) -> UInt64 {
    var text = "\(collection.name)\u{0}"
    for field in collection.fields { text += "\(field.name)\u{0}\(field.type)\u{0}" }
    text += collection.definition.key.joined(separator: "\u{0}")
    for sort in query.sort { text += "\u{1}\(sort.isDescending ? "-" : "+")\(sort.field)" }
    text += "\u{2}"
    append(query.filter, to: &text)
    return FNV.hash(text)
  }

  private static func append(_ filter: Filter, to text: inout String) {
    switch filter {
    case .all: text += "all"
    case .compare(let field, let comparison, let value):
      text += "\(comparison)(\(field)\u{0}\(value))"
    case .isIn(let field, let values): text += "in(\(field)\u{0}\(values))"
    case .startsWith(let field, let value): text += "starts(\(field)\u{0}\(value))"
    case .contains(let field, let value): text += "contains(\(field)\u{0}\(value))"
    case .json(let field, let condition):
      text += "json(\(field)\u{0}\(condition.path)\u{0}"
      append(condition.test, to: &text)
      text += ")"
    case .and(let parts), .or(let parts):
      if case .and = filter { text += "and(" } else { text += "or(" }
      for part in parts {
        append(part, to: &text)
        text += ","
      }
      text += ")"
    case .not(let part):
      text += "not("
      append(part, to: &text)
      text += ")"
    }
  }

  private static func append(_ test: JSONCondition.Test, to text: inout String) {
    switch test {
    case .isIn(let values): text += "in(\(values.sorted()))"
    case .element(let test):
      text += "element("
      append(test, to: &text)
      text += ")"
    default: text += "\(test)"
    }
  }

  private static func bytes(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * UInt64($0))) }
  }

  private static func append(_ value: Value, to bytes: inout [UInt8]) {
    bytes.append(value.kind.rawValue)
    switch value {
    case .null: break
    case .integer(let value): bytes += Self.bytes(UInt64(bitPattern: value))
    case .real(let value): bytes += Self.bytes(value.bitPattern)
    case .text(let value):
      bytes += Self.bytes(UInt64(value.utf8.count))
      bytes += Array(value.utf8)
    case .blob(let value):
      bytes += Self.bytes(UInt64(value.count))
      bytes += value
    }
  }

  private static func value(from rest: inout ArraySlice<UInt8>) -> Value? {
    guard let tag = rest.popFirst(), let kind = ValueKind(rawValue: tag) else { return nil }
    if kind == .null { return .null }
    guard rest.count >= 8 else { return nil }
    let word = rest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    rest = rest.dropFirst(8)
    switch kind {
    case .null: return .null
    case .integer: return .integer(Int64(bitPattern: word))
    case .real: return .real(Double(bitPattern: word))
    case .text, .blob:
      guard word <= UInt64(rest.count) else { return nil }
      let bytes = Array(rest.prefix(Int(word)))
      rest = rest.dropFirst(Int(word))
      if kind == .blob { return .blob(bytes) }
      return bytes.withUnsafeBytes { Bytes.text($0) }.map { .text($0) }
    }
  }
}
