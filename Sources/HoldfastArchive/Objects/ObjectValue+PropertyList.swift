import Holdfast

/// Property lists have no null, and strings of theirs cannot hold every text. So null is the string
/// `$null`; a text or name that begins with `$`, or that XML cannot hold, is `$=` and the text with
/// `\\` for a backslash and `\uXXXX` for what XML cannot hold.
extension ObjectValue {
  private static let nullText = "$null"
  private static let escapeMark = "$="

  /// Reads a property list in either format.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - budget: how much memory its texts may take.
  /// - Throws: `StorageError.Code.malformedInput` with the place.
  init(propertyList bytes: UnsafeRawBufferPointer, _ budget: ObjectBudget) throws(StorageError) {
    var reader = try PropertyListReader(bytes)
    var budget = budget
    self = try Self.read(try reader.next(), from: &reader, &budget, depth: 1)
    guard try reader.next() == .end else { throw reader.error(.malformedInput, "text follows") }
  }

  private static func read(
    _ token: PropertyListToken,
    from reader: inout PropertyListReader,
    _ budget: inout ObjectBudget,
    depth: Int
  ) throws(StorageError) -> ObjectValue {
    switch token {
    case .bool(let value): return .bool(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .date:
      try budget.take(reader.bytes.count)
      return .text(reader.text)
    case .string:
      try budget.take(reader.bytes.count)
      let text = reader.text
      return text == nullText ? .null : .text(try unescaped(text, reader))
    case .data:
      try budget.take(reader.bytes.count)
      return .data(Array(reader.bytes))
    case .bigInteger: throw reader.error(.malformedInput, "an integer has more than 64 bits")
    case .beginArray:
      try ObjectBudget.check(depth: depth)
      var elements: [ObjectValue] = []
      while true {
        let token = try reader.next()
        if token == .endArray { return .array(elements) }
        elements.append(try read(token, from: &reader, &budget, depth: depth + 1))
      }
    case .beginDictionary:
      try ObjectBudget.check(depth: depth)
      var members: [String: ObjectValue] = [:]
      while try reader.next() == .key {
        try budget.take(reader.bytes.count)
        let name = try unescaped(reader.text, reader)
        let value = try read(try reader.next(), from: &reader, &budget, depth: depth + 1)
        guard members.updateValue(value, forKey: name) == nil else {
          throw reader.error(.malformedInput, "two keys of one dictionary are canonically equal")
        }
      }
      return .object(members)
    case .endArray, .endDictionary, .key, .end:
      throw reader.error(.malformedInput, "expected a value, not \(token.name)")
    }
  }

  /// The value as a property list with sorted keys: the same value is the same file.
  func propertyList(_ format: PropertyListWriter.Format) -> [UInt8] {
    var writer = PropertyListWriter(format)
    write(to: &writer)
    writer.finish()
    return writer.bytes
  }

  private func write(to writer: inout PropertyListWriter) {
    switch self {
    case .null: writer.string(Self.nullText)
    case .bool(let value): writer.bool(value)
    case .integer(let value): writer.integer(value)
    case .real(let value): writer.real(value)
    case .text(let value): writer.string(Self.escaped(value))
    case .data(let bytes): bytes.withUnsafeBytes { writer.data($0) }
    case .array(let elements):
      writer.beginArray()
      for element in elements { element.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginDictionary()
      for name in Self.sorted(members) {
        writer.key(Self.escaped(name))
        members[name]?.write(to: &writer)
      }
      writer.endDictionary()
    }
  }

  // MARK: Text

  private static func escaped(_ text: String) -> String {
    var copy = text
    let isPlain = copy.withUTF8 {
      $0.first != 0x24 && PropertyListWriter.canHold(UnsafeRawBufferPointer($0))
    }
    if isPlain { return text }
    var result = escapeMark
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x5C: result += "\\\\"
      case 0x09, 0x0A: result.unicodeScalars.append(scalar)
      case 0..<0x20, 0xFFFE, 0xFFFF:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func unescaped(_ text: String, _ reader: PropertyListReader) throws(StorageError)
    -> String
  {
    guard text.utf8.first == 0x24 else { return text }
    var result = String.UnicodeScalarView()
    var rest = text.unicodeScalars.dropFirst(escapeMark.unicodeScalars.count)
    guard text.hasPrefix(escapeMark) else {
      throw reader.error(.malformedInput, "a text begins with an unknown mark")
    }
    while let scalar = rest.popFirst() {
      guard scalar == "\\" else {
        result.append(scalar)
        continue
      }
      let kind = rest.popFirst()
      if kind == "\\" {
        result.append("\\")
        continue
      }
      let digits = String(String.UnicodeScalarView(rest.prefix(4)))
      rest = rest.dropFirst(4)
      guard kind == "u", digits.utf8.count == 4, let value = UInt32(digits, radix: 16),
        let scalar = Unicode.Scalar(value)
      else { throw reader.error(.malformedInput, "a text has an unknown escape") }
      result.append(scalar)
    }
    return String(result)
  }
}
