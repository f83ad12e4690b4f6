import Holdfast

/// What the rules say about conditions on parts of `json` fields, over a tree of the whole value.
enum JSONOracle {
  private indirect enum Node {
    case scalar(Value)
    case array([Node])
    case object([String: Node])
  }

  /// Whether a stored value meets a condition.
  static func matches(_ stored: Value, _ condition: JSONCondition) -> Bool {
    var node = Node.scalar(.null)
    if case .text(let text) = stored { node = tree(text) }
    for name in condition.path {
      guard case .object(let members) = node, let member = members[name] else {
        node = .scalar(.null)
        continue
      }
      node = member
    }
    return matches(node, condition.test)
  }

  private static func matches(_ node: Node, _ test: JSONCondition.Test) -> Bool {
    switch (test, node) {
    case (.compare(let comparison, let literal), .scalar(let value)):
      let record: [String: Value] = ["part": value]
      let isMixed = rank(value) != rank(literal) && rank(value) != 0 && rank(literal) != 0
      if isMixed { return comparison == .notEqual }
      return Oracle.matches(.compare("part", comparison, literal), record)
    case (.compare(let comparison, _), _): return comparison == .notEqual
    case (.isIn(let values), .scalar(let value)):
      return values.contains { rank($0) == rank(value) && Oracle.order($0, value) == 0 }
    case (.startsWith(let text), .scalar(let value)):
      return Oracle.matches(.startsWith("part", .text(text)), ["part": value])
    case (.contains(let text), .scalar(let value)):
      return Oracle.matches(.contains("part", .text(text)), ["part": value])
    case (.equals(let json), _): return same(node, tree(json))
    case (.count(let comparison, let count), _):
      var value = Value.null
      if case .array(let elements) = node { value = .integer(Int64(elements.count)) }
      if case .object(let members) = node { value = .integer(Int64(members.count)) }
      let literal = Value.integer(Int64(count))
      return Oracle.matches(.compare("part", comparison, literal), ["part": value])
    case (.element(let test), .array(let elements)):
      return elements.contains { matches($0, test) }
    case (.isIn, _), (.startsWith, _), (.contains, _), (.element, _): return false
    }
  }

  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func same(_ left: Node, _ right: Node) -> Bool {
    switch (left, right) {
    case (.scalar(let a), .scalar(let b)): rank(a) == rank(b) && Oracle.order(a, b) == 0
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count && a.allSatisfy { name, node in b[name].map { same(node, $0) } ?? false }
    default: false
    }
  }

  private static func tree(_ text: String) -> Node {
    Array(text.utf8).withUnsafeBytes { bytes in
      var reader = JSONReader(ByteSource(bytes))
      do {
        return try node(try reader.next(), &reader)
      } catch {
        return .scalar(.null)
      }
    }
  }

  private static func node(_ token: JSONToken, _ reader: inout JSONReader) throws -> Node {
    switch token {
    case .bool(let value): return .scalar(.integer(value ? 1 : 0))
    case .integer(let value): return .scalar(.integer(value))
    case .real(let value): return .scalar(.real(value))
    case .bigInteger: return .scalar(.real(try reader.nearestReal()))
    case .string: return .scalar(.text(reader.text))
    case .beginArray:
      var elements: [Node] = []
      while true {
        let token = try reader.next()
        if token == .endArray { return .array(elements) }
        elements.append(try node(token, &reader))
      }
    case .beginObject:
      var members: [String: Node] = [:]
      while try reader.next() == .key {
        let name = reader.text
        members[name] = try node(try reader.next(), &reader)
      }
      return .object(members)
    case .null, .key, .endArray, .endObject, .end: return .scalar(.null)
    }
  }
}
