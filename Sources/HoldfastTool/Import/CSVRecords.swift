import Holdfast

/// The records of a CSV file.
final class CSVRecords: RecordSource {
  private var reader: CSVReader
  /// The names of the columns.
  private let header: [String]
  /// Keeps the file open.
  private let input: ImportInput
  private var mapping: RowCSV?
  /// For each column its position in the inference.
  private var positions: [Int] = []

  /// Opens the file and reads its header, which must be there.
  init(_ input: ImportInput) throws(StorageError) {
    self.input = input
    reader = CSVReader(try input.source())
    guard try reader.next() else {
      throw StorageError(
        .malformedInput,
        "\(input.name) is empty; a CSV file begins with the names of its fields"
      )
    }
    var header: [String] = []
    for column in 0..<reader.count { header.append(reader.text(column)) }
    self.header = header
    var met = Set<[UInt8]>()
    for name in header where !met.insert(Array(name.utf8)).inserted {
      throw reader.error(.malformedInput, "the header names \(name.debugDescription) twice")
    }
  }

  func next() throws(StorageError) -> Bool { try reader.next() }

  /// Notes the columns, for a file of no records too.
  func observeHeader(_ inference: inout FieldInference) throws(StorageError) {
    for name in header { positions.append(try inference.position(of: Array(name.utf8))) }
  }

  func observe(_ inference: inout FieldInference) throws(StorageError) {
    if positions.isEmpty { try observeHeader(&inference) }
    guard reader.count == positions.count else {
      throw reader.error(
        .malformedInput,
        "a record has \(reader.count) fields where the header has \(positions.count)"
      )
    }
    for (column, position) in positions.enumerated() where !reader.isNull(column) {
      let text = reader.text(column)
      if let integer = Int64(text), String(integer) == text {
        inference.note(integer, at: position)
      } else if let real = Double(text), real.isFinite, real.description == text,
        !text.hasPrefix("-0.0") || real != 0
      {
        inference.note(.real, at: position)
      } else {
        inference.note(.text, at: position)
      }
    }
  }

  /// The type of a column: a number only if all of it are canonical numbers.
  static func type(_ kinds: FieldInference.Kinds) -> FieldType {
    let type = FieldInference.flatType(kinds)
    return type == .any ? .text : type
  }

  func prepare(_ collection: Collection) throws(StorageError) {
    var columns: [Int] = []
    for name in header {
      let position = collection.fields.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }
      guard let position else {
        throw StorageError(
          .unknownField,
          "collection \(collection.name) has no field \(name.debugDescription), which the header "
            + "names; it has \(collection.fields.map(\.name).joined(separator: ", "))"
        )
      }
      columns.append(position)
    }
    mapping = RowCSV(collection, columns: columns)
  }

  func read(into row: RowBuffer) throws(StorageError) {
    try mapping?.read(from: reader, into: row)
  }
}
