import Holdfast

/// Writes the changes of rows as lines of the journal.
///
/// Holds memory and what is prepared for collections: it goes from one write transaction to the next,
/// so that short ones prepare nothing.
final class ChangeLines {
  /// The lines so far.
  @exclusivity(unchecked) var writer = JSONWriter()
  private var prepared: [Int: Prepared] = [:]
  /// What was used last.
  @exclusivity(unchecked) private var last: Prepared?
  private let keyed = RowBuffer()

  /// What the lines of one collection need.
  private final class Prepared {
    let collection: Collection
    let rows: RowJSON
    let put: [UInt8]

    init(_ collection: Collection) {
      self.collection = collection
      rows = RowJSON(collection, omitsNulls: true, usesDefaults: false)
      put = Array("{\"put\":\(collection.id),\"row\":".utf8)
    }
  }

  /// Empties the lines, and keeps their memory unless there is much of it.
  func removeAll() {
    writer.bytes.removeAll(keepingCapacity: writer.bytes.count < 1 << 20)
  }

  /// Adds that a collection has a row, with the automatic key that a null in it asked for.
  func appendPut(
    _ row: RowView,
    _ automaticKey: Int64?,
    _ collection: Collection
  ) throws(StorageError) {
    let prepared = prepare(collection)
    writer.bytes.append(contentsOf: prepared.put)
    writer.beginText()
    if let automaticKey, let position = collection.automaticKeyPosition, row.isNull(position) {
      keyed.reset(count: row.count)
      for index in 0..<row.count { keyed.setSlot(index, row.slots[index]) }
      keyed.setInteger(position, automaticKey)
      try prepared.rows.write(keyed.view, to: &writer)
    } else {
      try prepared.rows.write(row, to: &writer)
    }
    endLine()
  }

  /// Adds that a collection has no row of a key any more.
  func appendDelete(_ key: RowView, _ collection: Collection) throws(StorageError) {
    writer.bytes.append(contentsOf: "{\"delete\":".utf8)
    writer.beginText()
    writer.integer(Int64(collection.id))
    writer.bytes.append(contentsOf: ",\"key\":".utf8)
    writer.beginText()
    writer.beginArray()
    for (part, position) in collection.keyPositions.enumerated() {
      try ValueJSON.write(
        key,
        part,
        collection.fields[position],
        in: collection.name,
        to: &writer
      )
    }
    writer.endArray()
    endLine()
  }

  /// Adds any other change.
  func append(_ line: String) {
    writer.bytes.append(contentsOf: line.utf8)
    writer.bytes.append(0x0A)
  }

  private func endLine() {
    writer.bytes.append(0x7D)
    writer.bytes.append(0x0A)
  }

  @inline(__always)
  private func prepare(_ collection: Collection) -> Prepared {
    if let last, last.collection === collection { return last }
    return lookUp(collection)
  }

  private func lookUp(_ collection: Collection) -> Prepared {
    let found: Prepared
    if let known = prepared[collection.id], known.collection === collection {
      found = known
    } else {
      found = Prepared(collection)
      prepared[collection.id] = found
    }
    last = found
    return found
  }
}
