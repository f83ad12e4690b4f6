/// No rows.
final class EmptyCursor: StorageCursor {
  func next() throws(StorageError) -> RowView? { nil }
  func close() {}
}

/// The rows of several scans, one after the other.
final class ScanCursor: StorageCursor {
  private let open: (Scan) throws(StorageError) -> any StorageCursor
  private let scans: [Scan]
  private var position = 0
  private var current: (any StorageCursor)?

  init(_ scans: [Scan], open: @escaping (Scan) throws(StorageError) -> any StorageCursor) {
    self.open = open
    self.scans = scans
  }

  func next() throws(StorageError) -> RowView? {
    while true {
      if let current {
        if let row = try current.next() { return row }
        close()
      }
      if position == scans.count { return nil }
      current = try open(scans[position])
      position += 1
    }
  }

  func close() {
    current?.close()
    current = nil
  }
}

/// The rows that match a filter.
final class FilterCursor: StorageCursor {
  private let source: any StorageCursor
  private let filter: BoundFilter
  private let cancellation: Cancellation?

  init(_ source: any StorageCursor, _ filter: BoundFilter, _ cancellation: Cancellation?) {
    self.source = source
    self.filter = filter
    self.cancellation = cancellation
  }

  func next() throws(StorageError) -> RowView? {
    while let row = try source.next() {
      if try filter.matches(row) { return row }
      try cancellation?.check()
    }
    return nil
  }

  func close() { source.close() }
}

/// Rows `offset` to `offset + limit`.
final class LimitCursor: StorageCursor {
  private let source: any StorageCursor
  private var skip: Int
  private var left: Int?

  init(_ source: any StorageCursor, offset: Int, limit: Int?) {
    self.source = source
    skip = offset
    left = limit
  }

  func next() throws(StorageError) -> RowView? {
    if left == 0 { return nil }
    while skip > 0 {
      guard try source.next() != nil else { return nil }
      skip -= 1
    }
    guard let row = try source.next() else { return nil }
    if let count = left { left = count - 1 }
    return row
  }

  func close() { source.close() }
}

/// All rows in an order, or the first `keep` of them.
///
/// Holds owned copies of what it keeps: memory grows with the smaller of the two counts.
final class SortCursor: StorageCursor {
  private let source: any StorageCursor
  private let order: [BoundQuery.Order]
  private let keep: Int?
  private let cancellation: Cancellation?
  private var rows: [RowBuffer]?
  private var position = 0

  init(
    _ source: any StorageCursor,
    _ order: [BoundQuery.Order],
    keep: Int?,
    _ cancellation: Cancellation?
  ) {
    self.cancellation = cancellation
    self.source = source
    self.order = order
    self.keep = keep
  }

  func next() throws(StorageError) -> RowView? {
    if rows == nil { rows = try collect() }
    guard let rows, position < rows.count else { return nil }
    defer { position += 1 }
    return rows[position].view
  }

  private func collect() throws(StorageError) -> [RowBuffer] {
    var collected: [RowBuffer] = []
    // Kept up to twice over before it is cut, so that the cost stays O(n log keep).
    let limit = keep.flatMap { $0 < 1 << 40 ? max($0 * 2, 64) : nil }
    while let row = try source.next() {
      try cancellation?.check()
      let copy = RowBuffer(count: 0)
      copy.copy(row)
      collected.append(copy)
      if let limit, let keep, collected.count >= limit {
        collected.sort(by: precedes)
        collected.removeSubrange(keep...)
      }
    }
    source.close()
    collected.sort(by: precedes)
    if let keep, collected.count > keep { collected.removeSubrange(keep...) }
    return collected
  }

  private func precedes(_ left: RowBuffer, _ right: RowBuffer) -> Bool {
    for order in order {
      let result = left.view.compare(order.position, with: right.view)
      if result != 0 { return order.isDescending ? result > 0 : result < 0 }
    }
    return false
  }

  func close() { source.close() }
}
