import Holdfast

/// A right storage in memory with one thing wrong.
final class MutantStorage: Storage {
  private let base: KeyValueStorage<MemoryEngine>
  private let name: String
  private let mutation: Mutation?

  init(name: String, options: StorageOptions, _ mutation: Mutation?) throws(StorageError) {
    base = try KeyValueStorage(MemoryEngine.shared(name: name), options: options)
    self.name = name
    self.mutation = mutation
  }

  var capabilities: Capabilities { base.capabilities }
  var wasCreated: Bool { mutation == .alwaysCreated ? true : base.wasCreated }

  func beginReading(timeout: Duration) throws(StorageError) -> MutantReader {
    MutantReader(
      mutation,
      first: mutation == .snapshotAtFirstUse ? nil : try base.beginReading(timeout: timeout)
    ) { [base] () throws(StorageError) in try base.beginReading(timeout: timeout) }
  }

  func beginWriting(timeout: Duration) throws(StorageError) -> MutantWriter {
    MutantWriter(mutation, try base.beginWriting(timeout: timeout))
  }

  func close() throws(StorageError) {
    try base.close()
    if mutation == .lostOnReopen { _ = MemoryEngine.destroy(name: name) }
  }
}
