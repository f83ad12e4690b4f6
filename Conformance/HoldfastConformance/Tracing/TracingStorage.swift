import Holdfast

/// A storage that writes down its calls and otherwise is the one beneath it.
final class TracingStorage<Base: Storage>: Storage {
  private let base: Base
  private let log: TraceLog
  private let store: String

  /// Parameter `store`: the store's name in the trace; empty for the main one.
  init(_ base: Base, _ log: TraceLog, store: String) {
    self.base = base
    self.log = log
    self.store = store
  }

  var capabilities: Capabilities { base.capabilities }
  var wasCreated: Bool { base.wasCreated }

  private func traced<T>(
    _ verb: String,
    as source: String? = nil,
    _ body: () throws(StorageError) -> T
  ) throws(StorageError) -> T {
    var call = StorageCall(
      source: source ?? (store.isEmpty ? "store" : store),
      verb: verb,
      collection: "",
      outcome: ""
    )
    do throws(StorageError) {
      let result = try body()
      log.add(call) { _ in "" }
      return result
    } catch {
      call.outcome = error.code.rawValue
      log.add(call) { _ in "" }
      throw error
    }
  }

  func beginReading(timeout: Duration) throws(StorageError) -> TracingReader<Base.Reader> {
    let source = log.nextTransaction("read", of: store)
    let reader = try traced("begin", as: source) { () throws(StorageError) in
      try base.beginReading(timeout: timeout)
    }
    return TracingReader(reader, log, source)
  }

  func beginWriting(timeout: Duration) throws(StorageError) -> TracingWriter<Base.Writer> {
    let source = log.nextTransaction("write", of: store)
    let writer = try traced("begin", as: source) { () throws(StorageError) in
      try base.beginWriting(timeout: timeout)
    }
    return TracingWriter(writer, log, source)
  }

  func takeExternalChange() throws(StorageError) -> Bool { try base.takeExternalChange() }

  func backup(to path: String, timeout: Duration) throws(StorageError) {
    try traced("back up") { () throws(StorageError) in
      try base.backup(to: path, timeout: timeout)
    }
  }
  func compact(timeout: Duration) throws(StorageError) {
    try traced("compact") { () throws(StorageError) in try base.compact(timeout: timeout) }
  }
  func verify(timeout: Duration) throws(StorageError) -> [Finding] {
    try traced("verify") { () throws(StorageError) in try base.verify(timeout: timeout) }
  }
  func suspend() throws(StorageError) {
    try traced("suspend") { () throws(StorageError) in try base.suspend() }
  }
  func resume() throws(StorageError) {
    try traced("resume") { () throws(StorageError) in try base.resume() }
  }
  func close() throws(StorageError) {
    try traced("close") { () throws(StorageError) in try base.close() }
  }
}
