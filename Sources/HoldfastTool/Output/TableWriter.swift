/// Prints rows as an aligned table: a header, a rule, then a line for each row.
///
/// Columns are as wide as their widest cell. Past ``memoryLimit`` bytes of cells the widths are
/// settled, what was gathered is printed, and further rows stream.
package struct TableWriter {
  /// One cell: its text, and how it is shown.
  package struct Cell {
    /// What is shown, in one line.
    package let text: String
    /// Whether it stands at the column's right edge, as numbers do.
    package let isNumber: Bool
    /// Whether it stands for a null.
    package let isNull: Bool
    fileprivate let width: Int

    /// Creates a cell; control characters become escapes.
    package init(_ text: String, isNumber: Bool = false, isNull: Bool = false) {
      self.text = Printable.escape(text)
      self.isNumber = isNumber
      self.isNull = isNull
      width = DisplayWidth.of(self.text)
    }
  }

  /// How many bytes of cells are gathered before their widths are settled.
  static let memoryLimit = 16 << 20
  private static let gap = "  "

  private let output: Output
  private let header: [Cell]
  private var pending: [[Cell]] = []
  private var pendingBytes = 0
  private var widths: [Int]
  private var isSettled = false

  /// Prepares a table with these column names.
  package init(_ columns: [String], to output: Output) {
    self.output = output
    header = columns.map { Cell($0) }
    widths = header.map(\.width)
  }

  /// Adds a row: one cell for each column.
  package mutating func add(_ row: [Cell]) throws {
    if isSettled { return try print(row) }
    for (column, cell) in row.enumerated() {
      widths[column] = max(widths[column], cell.width)
      pendingBytes += cell.text.utf8.count + 32
    }
    pending.append(row)
    if pendingBytes > Self.memoryLimit { try settle() }
  }

  /// Prints what is left.
  package mutating func finish() throws {
    if !isSettled { try settle() }
  }

  private mutating func settle() throws {
    isSettled = true
    let rightAligned = header.indices.map { column in
      pending.contains { $0[column].isNumber }
    }
    try print(zip(header, rightAligned).map { Cell($0.text, isNumber: $1) }, style: "1")
    try output.line(widths.map { String(repeating: "-", count: $0) }.joined(separator: Self.gap))
    for row in pending { try print(row) }
    pending = []
  }

  private func print(_ row: [Cell], style: String? = nil) throws {
    var line = ""
    for (column, cell) in row.enumerated() {
      let padding = String(repeating: " ", count: max(0, widths[column] - cell.width))
      let isLast = column == row.count - 1
      var text = cell.text
      if output.allowsColor, let style = style ?? (cell.isNull ? "2" : nil), !text.isEmpty {
        text = "\u{1B}[\(style)m\(text)\u{1B}[0m"
      }
      if cell.isNumber {
        line += padding + text
      } else {
        line += isLast ? text : text + padding
      }
      if !isLast { line += Self.gap }
    }
    try output.line(line)
  }
}
