import Holdfast

/// Reads the records of an XML property list: an array of dictionaries of scalars.
final class XMLRecordReader: RecordReading {
  private var scanner: XMLScanner
  private let fields: PropertyListFields
  private let scratch = OutputBuffer()
  private let decoded = OutputBuffer()
  private var isPresent: [Bool]
  private var state = State.start

  private enum State {
    case start
    case records
    case end
  }

  init(_ bytes: UnsafeRawBufferPointer, _ collection: Collection) {
    scanner = XMLScanner(bytes)
    fields = PropertyListFields(collection)
    isPresent = Array(repeating: false, count: collection.fields.count)
  }

  func next(into row: RowBuffer) throws(StorageError) -> Bool {
    if state == .start { try begin() }
    if state == .end { return false }
    let tag = try scanner.tag()
    if tag == .close, scanner.isNamed("array") {
      try finish()
      return false
    }
    guard tag != .close, scanner.isNamed("dict") else {
      throw scanner.malformed("expected a record as <dict>")
    }
    row.reset(count: isPresent.count)
    for position in isPresent.indices { isPresent[position] = false }
    if tag == .open { try members(into: row) }
    return true
  }

  private func begin() throws(StorageError) {
    try scanner.prologue()
    guard try scanner.tag() == .open, scanner.isNamed("plist") else {
      throw scanner.malformed("expected <plist>")
    }
    let tag = try scanner.tag()
    guard tag != .close, scanner.isNamed("array") else {
      throw scanner.malformed("expected the records as <array>")
    }
    state = .records
    if tag == .empty { try finish() }
  }

  private func finish() throws(StorageError) {
    try scanner.close("plist")
    try scanner.end()
    state = .end
  }

  private func members(into row: RowBuffer) throws(StorageError) {
    var expected = 0
    while true {
      let tag = try scanner.tag()
      if tag == .close, scanner.isNamed("dict") { return }
      guard tag == .open, scanner.isNamed("key") else { throw scanner.malformed("expected <key>") }
      let key = try scanner.text(closing: "key", scratch: scratch)
      guard let position = fields.position(of: key, expected: expected) else {
        throw StorageError(
          .unknownField,
          "there is no field \(String(decoding: key, as: UTF8.self).debugDescription)"
        )
      }
      guard !isPresent[position] else {
        throw StorageError(
          .malformedInput,
          "field \(fields.collection.fields[position].name) occurs twice (line \(scanner.line))"
        )
      }
      isPresent[position] = true
      expected = position + 1
      let scalar = try value(of: position)
      try fields.set(scalar, position, into: row)
    }
  }

  private func value(of position: Int) throws(StorageError) -> PropertyListScalar {
    let tag = try scanner.tag()
    guard tag != .close else { throw scanner.malformed("expected a value") }
    if tag == .open, scanner.isNamed("dict") { return try wrappedText(of: position) }
    return try scalar(tag)
  }

  private func scalar(_ tag: XMLScanner.Tag) throws(StorageError) -> PropertyListScalar {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    if scanner.isNamed("string") {
      return .string(
        tag == .empty ? nothing : try scanner.text(closing: "string", scratch: scratch)
      )
    }
    if scanner.isNamed("integer") {
      return try integer(try scanner.text(closing: "integer", scratch: scratch))
    }
    if scanner.isNamed("real") {
      let text = String(
        decoding: try scanner.text(closing: "real", scratch: scratch),
        as: UTF8.self
      )
      guard let value = Double(text) else { throw scanner.malformed("a real that is no number") }
      return .real(value)
    }
    if scanner.isNamed("true") || scanner.isNamed("false") {
      let value = scanner.isNamed("true")
      if tag == .open { try value ? scanner.close("true") : scanner.close("false") }
      return .bool(value)
    }
    if scanner.isNamed("data") {
      decoded.truncate(to: 0)
      if tag == .open {
        let text = try scanner.text(closing: "data", scratch: scratch)
        guard Base64.decode(text, into: decoded) else {
          throw scanner.malformed("data that is not base64")
        }
      }
      return .data(decoded.bytes)
    }
    if scanner.isNamed("date"), tag == .open {
      return .dateText(try scanner.text(closing: "date", scratch: scratch))
    }
    throw scanner.malformed("expected a string, number, truth value, date or data")
  }

  private func integer(
    _ bytes: UnsafeRawBufferPointer
  ) throws(StorageError) -> PropertyListScalar {
    let text = String(decoding: bytes, as: UTF8.self)
    if let value = Int64(text) { return .integer(value) }
    let digits = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      throw scanner.malformed("an integer that is no decimal number")
    }
    return .bigInteger
  }

  private func wrappedText(of position: Int) throws(StorageError) -> PropertyListScalar {
    guard fields.collection.fields[position].type == .any, try scanner.tag() == .open,
      scanner.isNamed("key"),
      try scanner.text(closing: "key", scratch: scratch).elementsEqual("text".utf8)
    else { throw scanner.malformed("a dictionary where a single value belongs") }
    guard case .data(let text) = try scalar(try scanner.tag()) else {
      throw scanner.malformed("expected data as the text of a field of type any")
    }
    try scanner.close("dict")
    return .wrappedText(text)
  }
}
