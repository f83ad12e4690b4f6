import Holdfast
import Synchronization

/// A right storage with one thing wrong.
final class MutantStorage: Storage {
  private let base: any Storage
  private let mutation: Mutation?
  private let destroy: @Sendable () -> Void
  private let readers = Atomic<Int>(0)

  /// Wraps a storage; `destroy` loses what it holds, once it is closed.
  init(_ base: any Storage, _ mutation: Mutation?, destroy: @escaping @Sendable () -> Void) {
    self.base = base
    self.mutation = mutation
    self.destroy = destroy
  }

  var capabilities: Capabilities {
    var capabilities = base.capabilities
    if mutation == .sharingPretended { capabilities.sharesBetweenProcesses = true }
    return capabilities
  }
  var wasCreated: Bool {
    switch mutation {
    case .alwaysCreated: true
    case .neverCreated: false
    default: base.wasCreated
    }
  }

  func beginReading(timeout: Duration) throws(StorageError) -> MutantReader {
    let reader = MutantReader(
      mutation,
      first: mutation == .snapshotAtFirstUse ? nil : try base.beginReading(timeout: timeout)
    ) { [base] () throws(StorageError) in try base.beginReading(timeout: timeout) }
    readers.add(1, ordering: .relaxed)
    reader.onEnd = { [self] in readers.subtract(1, ordering: .relaxed) }
    return reader
  }

  func beginWriting(timeout: Duration) throws(StorageError) -> MutantWriter {
    if mutation == .readerBlocksWriter, readers.load(ordering: .relaxed) > 0 {
      throw StorageError(.busy, "a reader is open; end it first")
    }
    return MutantWriter(mutation, try base.beginWriting(timeout: timeout))
  }

  func takeExternalChange() throws(StorageError) -> Bool { try base.takeExternalChange() }
  func backup(to path: String, timeout: Duration) throws(StorageError) {
    try base.backup(to: path, timeout: timeout)
  }
  func compact(timeout: Duration) throws(StorageError) {
    try base.compact(timeout: timeout)
    if mutation == .compactLoses { try clearFirst() }
  }
  func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    try base.verify(timeout: timeout)
  }
  func suspend() throws(StorageError) { try base.suspend() }
  func resume() throws(StorageError) { try base.resume() }

  private func loseLastRecord() throws(StorageError) {
    let writer = try base.beginWriting(timeout: .seconds(5))
    defer { writer.end() }
    guard let collection = writer.catalog.collections.first else { return }
    let rows = try writer.scan(Scan(collection, reversed: true))
    let key = RowBuffer(count: collection.keyPositions.count)
    guard let last = try rows.next() else { return rows.close() }
    for (index, position) in collection.keyPositions.enumerated() {
      key.copyField(index, last.slots[position])
    }
    rows.close()
    _ = try writer.delete(key.view, from: collection)
    try writer.commit()
  }

  private func clearFirst() throws(StorageError) {
    let writer = try base.beginWriting(timeout: .seconds(5))
    defer { writer.end() }
    guard let collection = writer.catalog.collections.first else { return }
    _ = try writer.deleteAll(in: collection)
    try writer.commit()
  }

  func close() throws(StorageError) {
    if mutation == .lastRecordLostOnReopen { try loseLastRecord() }
    try base.close()
    if mutation == .lostOnReopen { destroy() }
  }
}
