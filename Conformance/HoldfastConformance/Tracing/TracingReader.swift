import Holdfast

/// A reader, or the reading half of a writer, that writes down its calls; its cursors are those of
/// the one beneath it.
class TracingReader<Base: StorageReader>: StorageReader {
  let base: Base
  let log: TraceLog
  private let source: String
  private var hasEnded = false

  init(_ base: Base, _ log: TraceLog, _ source: String) {
    self.base = base
    self.log = log
    self.source = source
  }

  // Writes down a call after it was made, with what came of it where that is not plain success, and
  // what it was about; details of the latter are for the first of many calls only.
  final func traced<T>(
    _ verb: String,
    _ collection: String = "",
    outcome: (T) -> String = { _ in "" },
    subject: (_ isFull: Bool) -> String = { _ in "" },
    _ body: () throws(StorageError) -> T
  ) throws(StorageError) -> T {
    var call = StorageCall(source: source, verb: verb, collection: collection, outcome: "")
    do throws(StorageError) {
      let result = try body()
      call.outcome = outcome(result)
      log.add(call, subject)
      return result
    } catch {
      call.outcome = error.code.rawValue
      log.add(call, subject)
      throw error
    }
  }

  /// Writes down the end, once.
  final func noteEnd(_ verb: String) {
    if hasEnded { return }
    hasEnded = true
    log.add(StorageCall(source: source, verb: verb, collection: "", outcome: "")) { _ in "" }
  }

  var catalog: Catalog { base.catalog }

  func get(_ key: RowView, in collection: Collection) throws(StorageError) -> RowView? {
    try traced(
      "get from",
      collection.name,
      outcome: { $0 == nil ? "nothing" : "" },
      subject: { _ in TraceText.key(key) }
    ) { () throws(StorageError) in
      try base.get(key, in: collection)
    }
  }

  func scan(_ scan: Scan) throws(StorageError) -> Base.Cursor {
    try traced("scan", scan.collection.name, subject: { _ in TraceText.scan(scan) }) {
      () throws(StorageError) in
      try base.scan(scan)
    }
  }

  func lastAutomaticKey(of collection: Collection) throws(StorageError) -> Int64 {
    try traced("last automatic key of", collection.name, outcome: { "\($0)" }) {
      () throws(StorageError) in
      try base.lastAutomaticKey(of: collection)
    }
  }

  func query(_ query: BoundQuery) throws(StorageError) -> PushedQuery<Base.Cursor>? {
    try traced(
      "query",
      query.collection.name,
      outcome: { $0 == nil ? "left to the core" : "" },
      subject: { _ in TraceText.query(query) }
    ) { () throws(StorageError) in
      try base.query(query)
    }
  }

  func aggregate(_ aggregate: BoundAggregate) throws(StorageError) -> [[Value]]? {
    try traced(
      "figures of",
      aggregate.collection.name,
      outcome: { $0 == nil ? "left to the core" : "" },
      subject: { _ in TraceText.aggregate(aggregate) }
    ) { () throws(StorageError) in
      try base.aggregate(aggregate)
    }
  }

  func nativePlan(of query: BoundQuery) throws(StorageError) -> [String] {
    try traced("explain", query.collection.name, subject: { _ in TraceText.query(query) }) {
      () throws(StorageError) in
      try base.nativePlan(of: query)
    }
  }

  var interruption: (@Sendable () -> Void)? { base.interruption }

  func lendNative() throws(StorageError) -> Any { try base.lendNative() }
  func takeBackNative() throws(StorageError) { try base.takeBackNative() }

  func end() {
    base.end()
    noteEnd("end")
  }
}
