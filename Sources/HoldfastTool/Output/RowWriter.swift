import Holdfast

/// Prints rows in one of the formats.
struct RowWriter {
  private let format: RowFormat
  private let columns: [FieldDefinition]
  private let positions: [Int]
  private let source: String
  private let output: Output
  private let quotedKeys: [[UInt8]]
  private var table: TableWriter
  private var json = JSONWriter()
  private var csv = CSVWriter()
  private var count = 0

  /// Prepares to print columns of rows.
  ///
  /// The columns have names and types; `positions` says where each is in the rows, nil for rows of
  /// just the columns. Errors say that the rows are of `source`.
  init(
    _ format: RowFormat,
    columns: [FieldDefinition],
    positions: [Int]? = nil,
    source: String,
    to output: Output
  ) throws {
    self.format = format
    self.columns = columns
    self.positions = positions ?? Array(columns.indices)
    self.source = source
    self.output = output
    quotedKeys = columns.map { JSONWriter.quotedKey($0.name) }
    table = TableWriter(columns.map(\.name), to: output)
    guard format == .csv else { return }
    for column in columns { csv.field(column.name) }
    try endCSVRecord()
  }

  /// Prints a row.
  mutating func add(_ row: RowView) throws {
    switch format {
    case .table:
      var cells: [TableWriter.Cell] = []
      cells.reserveCapacity(columns.count)
      for (column, position) in zip(columns, positions) {
        cells.append(try CellText.cell(row, position, column))
      }
      try table.add(cells)
    case .json:
      try output.write(count == 0 ? "[\n" : ",\n")
      try writeObject(row)
    case .jsonl:
      try writeObject(row)
      try output.write("\n")
    case .csv:
      for (column, position) in zip(columns, positions) {
        try ValueCSV.write(row, position, column, in: source, &json, to: &csv)
      }
      try endCSVRecord()
    }
    count += 1
  }

  /// Prints values as a row.
  mutating func add(_ values: [Value]) throws {
    let row = RowBuffer(count: values.count)
    for (index, value) in values.enumerated() { row.set(index, value) }
    try add(row.view)
  }

  /// Prints what is left.
  mutating func finish() throws {
    switch format {
    case .table: try table.finish()
    case .json: try output.write(count == 0 ? "[]\n" : "\n]\n")
    case .jsonl, .csv: break
    }
  }

  private mutating func endCSVRecord() throws {
    csv.endRecord()
    try output.write(csv.bytes)
    csv.bytes.removeAll(keepingCapacity: true)
  }

  private mutating func writeObject(_ row: RowView) throws {
    json.bytes.removeAll(keepingCapacity: true)
    json.beginText()
    json.beginObject()
    for (index, position) in positions.enumerated() {
      json.key(quoted: quotedKeys[index])
      try ValueJSON.write(row, position, columns[index], in: source, to: &json)
    }
    json.endObject()
    try output.write(json.bytes)
  }
}

extension RowWriter {
  /// Prepares to print rows of a collection: all fields, or those at `positions`.
  init(
    _ format: RowFormat,
    rowsOf collection: Collection,
    positions: [Int]? = nil,
    to output: Output
  ) throws {
    let positions = positions ?? Array(collection.fields.indices)
    try self.init(
      format,
      columns: positions.map { collection.fields[$0] },
      positions: positions,
      source: collection.name,
      to: output
    )
  }
}
