extension XMLPropertyListParser {
  /// Makes the token of the element whose text is in ``value``; of data and dates, decodes it there.
  mutating func scalar(_ name: String) throws(StorageError) -> PropertyListToken {
    switch name {
    case "string": return .string
    case "data":
      try decodeData()
      return .data
    case "date":
      guard let date = DateCoding.canonical(String(decoding: trimmed, as: UTF8.self)) else {
        throw malformed("<date> without a date as 2026-01-31T12:00:00Z")
      }
      value.truncate(to: 0)
      for byte in date.utf8 { value.append(byte) }
      return .date
    case "integer": return try integer()
    default: return .real(try real())
    }
  }

  private mutating func decodeData() throws(StorageError) {
    var count = 0
    for index in 0..<value.count where !Self.isSpace(value.base[index]) {
      value.base[count] = value.base[index]
      count += 1
    }
    value.truncate(to: count)
    guard let data = Base64.decode(value.bytes) else {
      throw malformed("<data> that is not base64 with padding")
    }
    value.truncate(to: 0)
    data.withUnsafeBytes { value.append($0) }
  }

  /// The text without white space around it.
  private var trimmed: UnsafeRawBufferPointer {
    let text = value.bytes
    guard let first = text.firstIndex(where: { !Self.isSpace($0) }),
      let last = text.lastIndex(where: { !Self.isSpace($0) })
    else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: text[first...last])
  }

  private func integer() throws(StorageError) -> PropertyListToken {
    let text = String(decoding: trimmed, as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    let isNegative = text.hasPrefix("-")
    let digits = text.drop { $0 == "-" || $0 == "+" }
    if digits.count + 1 >= text.count {
      let lowered = digits.lowercased()
      if lowered.hasPrefix("0x"), let magnitude = UInt64(lowered.dropFirst(2), radix: 16),
        !lowered.dropFirst(2).hasPrefix("+"), magnitude <= UInt64(Int64.max)
      {
        return .integer(isNegative ? -Int64(magnitude) : Int64(magnitude))
      }
      if !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
        return .bigInteger
      }
    }
    throw malformed("<integer> without an integer")
  }

  private func real() throws(StorageError) -> Double {
    let bytes = trimmed
    let first = bytes.first ?? 0
    if first == 0x2D || (first >= 0x30 && first <= 0x39), let value = plainReal(bytes) {
      return value == 0 ? 0 : value
    }
    let text = String(decoding: bytes, as: UTF8.self)
    switch text.lowercased() {
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: break
    }
    let isDecimal = bytes.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E || $0 == 0x45
        || $0 == 0x65
    }
    guard isDecimal, let value = Double(text), value.isFinite else {
      throw malformed("<real> without a number that a double can hold")
    }
    return value == 0 ? 0 : value
  }

  /// A number of a sign, digits, a point and digits, or nil.
  private func plainReal(_ text: UnsafeRawBufferPointer) -> Double? {
    var points = 0
    for byte in text.dropFirst() {
      if byte == 0x2E { points += 1 } else if byte < 0x30 || byte > 0x39 { return nil }
    }
    guard points == 1, text[text.count - 1] != 0x2E,
      let value = RealText.parse(text), value.isFinite
    else { return nil }
    return value
  }
}
