import Holdfast

/// A right storage with one thing wrong.
final class MutantStorage: Storage {
  private let base: any Storage
  private let mutation: Mutation?
  private let destroy: @Sendable () -> Void

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

  func takeExternalChange() throws(StorageError) -> Bool { try base.takeExternalChange() }
  func backup(to path: String, timeout: Duration) throws(StorageError) {
    try base.backup(to: path, timeout: timeout)
  }
  func compact(timeout: Duration) throws(StorageError) { try base.compact(timeout: timeout) }
  func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    try base.verify(timeout: timeout)
  }
  func suspend() throws(StorageError) { try base.suspend() }
  func resume() throws(StorageError) { try base.resume() }

  func close() throws(StorageError) {
    try base.close()
    if mutation == .lostOnReopen { destroy() }
  }
}
