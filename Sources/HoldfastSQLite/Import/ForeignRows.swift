import Foundation
package import Holdfast

/// The rows of a table, as rows of the collection that it becomes.
package final class ForeignRows {
  private enum Conversion {
    case none
    case real
    case date
  }

  private let statement: SQLiteStatement
  private let table: ForeignTable
  private let buffer = RowBuffer()
  private let conversions: [Conversion]
  /// How many fields come before the columns: a key that is added.
  private let first: Int
  private let readsRowid: Bool
  private var number = 0

  /// Begins to read.
  package init(
    _ entry: ForeignPlan.Entry,
    in database: ForeignDatabase
  ) throws(StorageError) {
    table = entry.table
    first = entry.hasAddedKey ? 1 : 0
    readsRowid = entry.hasAddedKey && table.rowidName != nil
    conversions = entry.definition.fields.map { field in
      switch field.type {
      case .real: .real
      case .date: .date
      default: .none
      }
    }
    var text = SQLText("SELECT ")
    if let rowid = table.rowidName, readsRowid { text.append("\(rowid), ") }
    text.appendNames(table.columns.map(\.name))
    text.append(" FROM ")
    text.appendName(table.name)
    statement = try database.connection.prepare(text, "read table \(table.name)")
  }

  /// The next row, valid until the next call; nil at the end.
  ///
  /// - Throws: `StorageError.Code.invalidValue` for text that is not UTF-8;
  ///   `StorageError.Code.corrupt`.
  package func next() throws(StorageError) -> RowView? {
    guard try statement.step() else { return nil }
    number += 1
    let row = try statement.row()
    let shift = readsRowid ? 0 : first
    buffer.reset(count: conversions.count)
    for index in 0..<row.count {
      let slot = row.slots[index]
      let target = index + shift
      switch (conversions[target], slot.kind) {
      case (.real, .real): buffer.setReal(target, row.real(index))
      case (.real, .integer): buffer.setReal(target, Double(row.integer(index)))
      case (.date, .text):
        guard let date = ForeignDate.canonical(row.bytes(index)) else {
          throw failure(index, "is no date")
        }
        buffer.setText(target, date)
      case (_, .text):
        if !isASCII(row.bytes(index)) {
          do throws(StorageError) {
            _ = try row.text(index)
          } catch {
            throw failure(index, "is not UTF-8")
          }
        }
        buffer.setSlot(target, slot)
      default: buffer.setSlot(target, slot)
      }
    }
    return buffer.view
  }

  private func isASCII(_ bytes: UnsafeRawBufferPointer) -> Bool {
    bytes.allSatisfy { $0 < 0x80 }
  }

  private func failure(_ index: Int, _ reason: String) -> StorageError {
    let position = index - (readsRowid ? 1 : 0)
    return StorageError.sqlite(
      .invalidValue,
      "row \(number) of table \(table.name) cannot be imported: the text of column "
        + "\(table.columns[position].name) \(reason); correct it, or leave the table out"
    )
  }
}

/// Dates as SQLite's own functions write and read them, in UTC where they do not say otherwise.
enum ForeignDate {
  /// The stored text of a date; nil if it is none.
  static func canonical(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count >= 10, bytes.count <= 40, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
    var text = String(decoding: bytes, as: UTF8.self)
    if bytes.count == 10 { return DateCoding.canonical(text) }
    if bytes.count == 16 { text += ":00" }
    let hasZone = text.utf8.dropFirst(11).contains { [0x5A, 0x7A, 0x2B, 0x2D].contains($0) }
    return DateCoding.canonical(hasZone ? text : text + "Z")
  }
}

/// Values as they are written in SQL.
enum SQLLiteral {
  /// The value of a literal; nil for any other expression.
  static func value(of sql: String) -> Value? {
    var text = sql.trimmingCharacters(in: .whitespacesAndNewlines)
    while text.hasPrefix("("), text.hasSuffix(")") {
      text = text.dropFirst().dropLast().trimmingCharacters(in: .whitespacesAndNewlines)
    }
    switch text.uppercased() {
    case "NULL": return .null
    case "TRUE": return .integer(1)
    case "FALSE": return .integer(0)
    default: break
    }
    if let quote = text.first, quote == "'" || quote == "\"" {
      return unquoted(text, quote).map { .text($0) }
    }
    if text.hasPrefix("x'") || text.hasPrefix("X'") {
      return unquoted(String(text.dropFirst()), "'").flatMap(bytes).map { .blob($0) }
    }
    let digits = text.hasPrefix("+") ? String(text.dropFirst()) : text
    if let integer = Int64(digits) { return .integer(integer) }
    let isNumber = digits.allSatisfy { $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }
    guard isNumber, let real = Double(digits), real.isFinite else { return nil }
    return .real(real == 0 ? 0 : real)
  }

  private static func unquoted(_ text: String, _ quote: Character) -> String? {
    guard text.count >= 2, text.last == quote else { return nil }
    let inner = String(text.dropFirst().dropLast())
    let doubled = String([quote, quote])
    // A single quote inside would have ended it.
    guard !inner.replacing(doubled, with: "").contains(quote) else { return nil }
    return inner.replacing(doubled, with: String(quote))
  }

  private static func bytes(_ hex: String) -> [UInt8]? {
    guard hex.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var rest = hex[...]
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
