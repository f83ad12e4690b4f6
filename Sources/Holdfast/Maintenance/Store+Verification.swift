extension Store {
  /// Checks everything: the engine, the catalog, every record's values, every index against the
  /// records, every order, references and automatic keys.
  ///
  /// Changes nothing. O(n) in records times indexes, with constant memory.
  ///
  /// - Returns: one finding a fault, and notes of what is no fault; a sound store has no faults.
  /// - Throws: what keeps the store from being looked at at all: ``StorageError/Code/busy``,
  ///   ``StorageError/Code/closed``.
  @available(*, noasync, message: "use the asynchronous verify")
  public func verify() throws(StorageError) -> [Finding] {
    try maintain { storage, timeout throws(StorageError) in
      var findings: [Finding] = []
      do throws(StorageError) {
        findings = try storage.verify(timeout: timeout)
      } catch {
        guard error.code == .corrupt || error.code == .ioError else { throw error }
        findings.append(.fault(error.description))
      }
      let reader = try storage.beginReading(timeout: timeout)
      defer { reader.end() }
      for collection in reader.catalog.collections {
        findings += StoreVerification.check(collection, reader)
      }
      return findings
    }
  }

  /// Checks everything, on a thread of the store.
  public func verify() async throws -> [Finding] {
    try await onOwnThread { try $0.verify() }
  }
}

/// The checks that are the same on every backend: what a reader of the store must find.
enum StoreVerification {
  /// What is wrong with one collection.
  static func check(_ collection: Collection, _ reader: any StorageReader) -> [Finding] {
    var findings: [Finding] = []
    func attempt(_ what: String, _ body: () throws(StorageError) -> Void) {
      do throws(StorageError) {
        try body()
      } catch {
        findings.append(.fault("\(what) of \(collection.name) cannot be read: \(error)"))
      }
    }
    var count = 0
    var largestKey: Int64 = 0
    attempt("the records") { () throws(StorageError) in
      (count, largestKey) = try checkRecords(collection, reader, &findings)
    }
    if collection.automaticKeyPosition != nil {
      attempt("the automatic keys") { () throws(StorageError) in
        if try reader.lastAutomaticKey(of: collection) >= largestKey { return }
        findings.append(.fault("the automatic keys of \(collection.name) are behind its records"))
      }
    }
    for (position, index) in collection.indexes.enumerated() {
      attempt("index \(index.definition.name)") { () throws(StorageError) in
        try checkOrder(position, collection, reader, count, &findings)
      }
    }
    for reference in collection.references {
      attempt("reference \(reference.definition.name)") { () throws(StorageError) in
        let broken = try ReferenceCheck.brokenKeys(reference, of: collection, reader, limit: .max)
        if broken.isEmpty { return }
        findings.append(
          .fault(
            "\(broken.count) records of \(collection.name) refer by "
              + "\(reference.definition.name) to no record of \(reference.definition.target)"
          )
        )
      }
    }
    return findings
  }

  /// Checks values, keys and their order.
  ///
  /// - Returns: the number of records, and the largest automatic key among them, or 0.
  private static func checkRecords(
    _ collection: Collection,
    _ reader: any StorageReader,
    _ findings: inout [Finding]
  ) throws(StorageError) -> (count: Int, largestKey: Int64) {
    let cursor = try reader.scan(Scan(collection))
    defer { cursor.close() }
    let last = RowBuffer()
    var count = 0
    var unfit = 0
    var firstUnfit: StorageError?
    var unordered = 0
    var largest: Int64 = 0
    while let row = try cursor.next() {
      do throws(StorageError) {
        try FieldCheck.check(row, collection)
        for position in 0..<row.count where row.kind(position) == .text {
          _ = try row.text(position)
        }
      } catch {
        unfit += 1
        firstUnfit = firstUnfit ?? error
      }
      if count > 0, compare(last.view, row, collection.keyPositions) >= 0 { unordered += 1 }
      last.copy(row)
      if let position = collection.automaticKeyPosition {
        largest = max(largest, row.integer(position))
      }
      count += 1
    }
    if let firstUnfit {
      findings.append(
        .fault(
          "\(unfit) records of \(collection.name) do not fit its fields: \(firstUnfit.message)"
        )
      )
    }
    if unordered > 0 {
      findings.append(.fault("\(unordered) records of \(collection.name) are out of order"))
    }
    return (count, largest)
  }

  /// Checks that an index yields every record once, in its order.
  private static func checkOrder(
    _ position: Int,
    _ collection: Collection,
    _ reader: any StorageReader,
    _ expected: Int,
    _ findings: inout [Finding]
  ) throws(StorageError) {
    let index = collection.indexes[position]
    let order = index.positions + collection.keyPositions
    let cursor = try reader.scan(Scan(collection, index: position))
    defer { cursor.close() }
    let last = RowBuffer()
    var count = 0
    var unordered = 0
    while let row = try cursor.next() {
      if count > 0, compare(last.view, row, order) >= 0 { unordered += 1 }
      last.copy(row)
      count += 1
    }
    let name = "index \(index.definition.name) of \(collection.name)"
    if count != expected {
      findings.append(.fault("\(name) yields \(count) records where there are \(expected)"))
    }
    if unordered > 0 { findings.append(.fault("\(name) yields \(unordered) records out of order")) }
  }

  /// The order of two rows by some fields, as keys and indexes have it.
  private static func compare(_ left: RowView, _ right: RowView, _ positions: [Int]) -> Int {
    for position in positions {
      let order = left.compare(position, with: right)
      if order != 0 { return order }
    }
    return 0
  }
}
