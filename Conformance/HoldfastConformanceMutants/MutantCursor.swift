import Foundation
import Holdfast

/// A cursor whose rows may be changed, filtered or cut.
final class MutantCursor: StorageCursor {
  private let base: any StorageCursor
  private let mutation: Mutation?
  private let filter: BoundFilter
  private var left: Int?
  private let buffer = RowBuffer()

  init(
    _ base: any StorageCursor,
    _ mutation: Mutation?,
    filter: BoundFilter = .all,
    limit: Int? = nil
  ) {
    self.base = base
    self.mutation = mutation
    self.filter = filter
    left = limit
  }

  func next() throws(StorageError) -> RowView? {
    if left == 0 { return nil }
    while let row = try base.next() {
      let row = try Self.changed(row, mutation, buffer)
      guard try filter.matches(row) else { continue }
      left = left.map { $0 - 1 }
      return row
    }
    return nil
  }

  func close() { base.close() }

  /// The row as the mutation hands it out.
  static func changed(
    _ row: RowView,
    _ mutation: Mutation?,
    _ buffer: RowBuffer
  ) throws(StorageError) -> RowView {
    switch mutation {
    case .negativeZeroKept, .textCutAtNUL, .textCaseFolded, .textNormalized, .emptyTextIsNull,
      .integerThroughDouble, .infinityClamped:
      break
    default: return row
    }
    buffer.reset(count: row.count)
    for (index, value) in try row.values().enumerated() {
      switch (mutation, value) {
      case (.negativeZeroKept, .real(0)): buffer.setSlot(index, .real(-0.0))
      case (.textCutAtNUL, .text(let text)):
        let scalars = text.unicodeScalars.prefix { $0.value != 0 }
        buffer.setText(index, String(String.UnicodeScalarView(scalars)))
      case (.textCaseFolded, .text(let text)): buffer.setText(index, text.lowercased())
      case (.textNormalized, .text(let text)):
        buffer.setText(index, text.precomposedStringWithCanonicalMapping)
      case (.emptyTextIsNull, .text(let text)) where text.isEmpty: buffer.setNull(index)
      case (.integerThroughDouble, .integer(let integer)):
        buffer.setInteger(index, Int64(exactly: Double(integer)) ?? .max)
      case (.infinityClamped, .real(let real)):
        let greatest = Double.greatestFiniteMagnitude
        buffer.setReal(index, min(max(real, -greatest), greatest))
      default: buffer.set(index, value)
      }
    }
    return buffer.view
  }
}
