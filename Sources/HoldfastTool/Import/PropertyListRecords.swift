import Holdfast

/// The records of a property list: an array of dictionaries, or the one such array in a dictionary.
final class PropertyListRecords: RecordSource {
  private var reader: PropertyListReader
  /// Keeps the bytes in memory.
  private let input: ImportInput
  private var mapping: RowPropertyList?

  /// Opens the file and moves to its records.
  ///
  /// - Parameters:
  ///   - input: the file.
  ///   - pointer: the keys of the dictionaries on the way; nil to look for them.
  /// - Throws: `StorageError` with code `malformedInput` if there is no array.
  init(_ input: ImportInput, at pointer: JSONPointer?) throws(StorageError) {
    self.input = input
    let bytes = try input.bytes()
    let pointer = if let pointer { pointer } else { try Self.pointerToRecords(bytes, input.name) }
    reader = try PropertyListReader(bytes)
    var token = try reader.next()
    for part in pointer.parts {
      guard token == .beginDictionary, try Self.find(part, &reader) else {
        throw StorageError(
          .malformedInput,
          "\(input.name) has nothing at \(pointer.shown); check --records"
        )
      }
      token = try reader.next()
    }
    guard token == .beginArray else {
      throw reader.error(
        .malformedInput,
        "\(input.name) has no array at \(pointer.shown), but \(token.name),"
      )
    }
  }

  private static func find(
    _ part: String,
    _ reader: inout PropertyListReader
  ) throws(StorageError) -> Bool {
    while try reader.next() == .key {
      if reader.bytes.elementsEqual(part.utf8) { return true }
      try reader.skipValue(after: try reader.next())
    }
    return false
  }

  private static func pointerToRecords(
    _ bytes: UnsafeRawBufferPointer,
    _ name: String
  ) throws(StorageError) -> JSONPointer {
    var reader = try PropertyListReader(bytes)
    guard try reader.next() == .beginDictionary else { return .root }
    var candidates: [JSONPointer] = []
    while try reader.next() == .key {
      let key = reader.text
      let token = try reader.next()
      try reader.skipValue(after: token)
      if token == .beginArray { candidates.append(JSONPointer(parts: [key])) }
    }
    if candidates.count == 1 { return candidates[0] }
    let found = candidates.isEmpty ? "no array" : "several arrays"
    throw StorageError(
      .malformedInput,
      "\(name) holds a dictionary with \(found); say where the records are with --records /a"
        + (candidates.isEmpty ? "" : ": " + candidates.map(\.shown).joined(separator: ", "))
    )
  }

  func next() throws(StorageError) -> Bool {
    let token = try reader.next()
    switch token {
    case .beginDictionary: return true
    case .endArray:
      while try reader.next() != .end {}
      return false
    default: throw reader.error(.typeMismatch, "a record is a dictionary, not \(token.name),")
    }
  }

  func observe(_ inference: inout FieldInference) throws(StorageError) {
    while try reader.next() == .key {
      let position = try inference.position(of: reader.bytes)
      let token = try reader.next()
      switch token {
      case .bool: inference.note(.bool, at: position)
      case .integer(let value): inference.note(value, at: position)
      case .bigInteger: inference.note(.bigInteger, at: position)
      case .real: inference.note(.real, at: position)
      case .string: inference.note(.text, at: position)
      case .data: inference.note(.blob, at: position)
      case .date: inference.note(.date, at: position)
      default:
        inference.note(.nested, at: position)
        try reader.skipValue(after: token)
      }
    }
  }

  /// The type for a field's values; `any` cannot hold nested ones beside others.
  static func type(_ kinds: FieldInference.Kinds) -> FieldType {
    kinds == .nested ? .json : FieldInference.flatType(kinds)
  }

  func prepare(_ collection: Collection) { mapping = RowPropertyList(collection) }

  func read(into row: RowBuffer) throws(StorageError) {
    try mapping?.readMembers(from: &reader, into: row)
  }
}
