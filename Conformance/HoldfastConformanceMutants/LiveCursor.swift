import Holdfast

/// A cursor over a collection that begins a fresh snapshot at every step.
final class LiveCursor: StorageCursor {
  private var scan: Scan
  private let begin: () throws(StorageError) -> any StorageReader
  private let buffer = RowBuffer()

  init(_ scan: Scan, begin: @escaping () throws(StorageError) -> any StorageReader) {
    self.scan = scan
    self.begin = begin
  }

  func next() throws(StorageError) -> RowView? {
    let reader = try begin()
    defer { reader.end() }
    let cursor = try reader.scan(scan)
    defer { cursor.close() }
    guard let row = try cursor.next() else { return nil }
    buffer.copy(row)
    var last: [Value] = []
    for position in scan.collection.keyPositions { last.append(try row.value(position)) }
    let bound = Scan.Bound(last, inclusive: false)
    if scan.isReversed { scan.upper = bound } else { scan.lower = bound }
    return buffer.view
  }

  func close() {}
}
