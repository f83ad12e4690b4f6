import Holdfast

/// The records of a JSON array, or of JSON lines.
final class JSONRecords: RecordSource {
  private var reader: JSONReader
  private let isSequence: Bool
  /// Keeps the file open.
  private let input: ImportInput
  private var mapping: RowJSON?

  /// The lines of a file.
  init(lines input: ImportInput) throws(StorageError) {
    reader = JSONReader(try input.source(), isSequence: true)
    isSequence = true
    self.input = input
  }

  /// The array at `pointer` in a file; nil for the root, or the one array of objects of the root.
  init(array input: ImportInput, at pointer: JSONPointer?) throws(StorageError) {
    let pointer = if let pointer { pointer } else { try JSONPointer.toRecords(of: input) }
    reader = JSONReader(try input.source())
    isSequence = false
    self.input = input
    let token = try pointer.move(&reader, in: input.name)
    guard token == .beginArray else {
      throw reader.error(
        .malformedInput,
        "\(input.name) has no array at \(pointer.shown), but \(token.name),"
      )
    }
  }

  func next() throws(StorageError) -> Bool {
    let token = try reader.next()
    switch token {
    case .beginObject: return true
    case .endArray where !isSequence:
      // What follows the records must be well formed too.
      while try reader.next() != .end {}
      return false
    case .end: return false
    default: throw reader.error(.typeMismatch, "a record is an object, not \(token.name),")
    }
  }

  func observe(_ inference: inout FieldInference) throws(StorageError) {
    while try reader.next() == .key {
      let position = try inference.position(of: reader.bytes)
      let token = try reader.next()
      switch token {
      case .bool: inference.note(.bool, at: position)
      case .integer(let value): inference.note(value, at: position)
      case .bigInteger:
        // Decimals hold 38 digits.
        inference.note(reader.bytes.count > 38 ? .nested : .bigInteger, at: position)
      case .real: inference.note(.real, at: position)
      case .string: inference.note(.text, at: position)
      case .beginArray, .beginObject:
        inference.note(.nested, at: position)
        try reader.skipValue(after: token)
      default: break
      }
    }
  }

  func prepare(_ collection: Collection) { mapping = RowJSON(collection) }

  func read(into row: RowBuffer) throws(StorageError) {
    try mapping?.readMembers(from: &reader, into: row)
  }
}
