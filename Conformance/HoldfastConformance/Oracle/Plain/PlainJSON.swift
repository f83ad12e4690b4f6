/// A JSON value as a tree, read by the oracle's own parser.
indirect enum PlainJSON: Sendable {
  case scalar(Plain)
  case truth(Bool)
  case array([PlainJSON])
  case object([(name: [UInt8], value: PlainJSON)])

  /// Reads text that is known to be JSON; anything else is null.
  init(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    self = reader.value()
  }

  /// The part that a path of member names leads to; null where there is none.
  func part(_ path: [[UInt8]]) -> PlainJSON {
    path.reduce(self) { node, name in
      guard case .object(let members) = node else { return .scalar(.nothing) }
      return members.first { $0.name == name }?.value ?? .scalar(.nothing)
    }
  }

  /// The value to compare with literals, where `true` and `false` count as 1 and 0; nil for arrays
  /// and objects.
  var literal: Plain? {
    switch self {
    case .scalar(let value): value
    case .truth(let isTrue): .integer(isTrue ? 1 : 0)
    case .array, .object: nil
    }
  }

  /// The number of elements or members, if it has any.
  var count: Int64? {
    switch self {
    case .scalar, .truth: nil
    case .array(let elements): Int64(elements.count)
    case .object(let members): Int64(members.count)
    }
  }

  static func same(_ left: PlainJSON, _ right: PlainJSON) -> Bool {
    switch (left, right) {
    case (.scalar(let a), .scalar(let b)): Plain.order(a, b) == 0
    case (.truth(let a), .truth(let b)): a == b
    case (.array(let a), .array(let b)):
      a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.object(let a), .object(let b)):
      a.count == b.count
        && a.allSatisfy { member in
          b.contains { $0.name == member.name && same($0.value, member.value) }
        }
    default: false
    }
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    private mutating func skipSpace() {
      while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
    }

    /// Steps over a character if it comes next.
    private mutating func take(_ character: Unicode.Scalar) -> Bool {
      skipSpace()
      guard place < bytes.count, bytes[place] == UInt8(character.value) else { return false }
      place += 1
      return true
    }

    mutating func value() -> PlainJSON {
      if take("[") {
        var elements: [PlainJSON] = []
        while !take("]"), place < bytes.count {
          elements.append(value())
          _ = take(",")
        }
        return .array(elements)
      }
      if take("{") {
        var members: [(name: [UInt8], value: PlainJSON)] = []
        while !take("}"), place < bytes.count {
          let name = string()
          _ = take(":")
          members.append((name, value()))
          _ = take(",")
        }
        return .object(members)
      }
      if place < bytes.count, bytes[place] == 0x22 { return .scalar(.text(string())) }
      return word()
    }

    private mutating func word() -> PlainJSON {
      let start = place
      let ends = Array("]},: \n\r\t".utf8)
      while place < bytes.count, !ends.contains(bytes[place]) { place += 1 }
      // At least one character, so that the loops above end on any input.
      place = max(place, start + 1)
      let word = String(decoding: bytes[start..<min(place, bytes.count)], as: UTF8.self)
      if word == "true" || word == "false" { return .truth(word == "true") }
      if let integer = Int64(word) { return .scalar(.integer(integer)) }
      return .scalar(Double(word).map { .real($0) } ?? .nothing)
    }

    private mutating func string() -> [UInt8] {
      guard take("\"") else { return [] }
      var text: [UInt8] = []
      while place < bytes.count, bytes[place] != 0x22 {
        if bytes[place] == 0x5C {
          text += escape()
        } else {
          text.append(bytes[place])
          place += 1
        }
      }
      place += 1
      return text
    }

    private mutating func escape() -> [UInt8] {
      place += 2
      switch place <= bytes.count ? bytes[place - 1] : 0 {
      case UInt8(ascii: "n"): return [0x0A]
      case UInt8(ascii: "r"): return [0x0D]
      case UInt8(ascii: "t"): return [0x09]
      case UInt8(ascii: "b"): return [0x08]
      case UInt8(ascii: "f"): return [0x0C]
      case UInt8(ascii: "u"):
        var code = digits()
        if code >= 0xD800, code < 0xDC00, place + 1 < bytes.count {
          place += 2
          code = 0x10000 + (code - 0xD800) << 10 + (digits() - 0xDC00)
        }
        return Unicode.Scalar(code).map { Array(String(Character($0)).utf8) } ?? []
      case let other: return [other]
      }
    }

    private mutating func digits() -> UInt32 {
      let end = min(place + 4, bytes.count)
      defer { place = end }
      return UInt32(String(decoding: bytes[place..<end], as: UTF8.self), radix: 16) ?? 0
    }
  }
}
