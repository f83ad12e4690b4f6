import CLMDB
public import Holdfast

extension LMDBWriter {
  /// Lends the environment and the nested transaction that the core has begun for it.
  ///
  /// - Throws: `StorageError.Code.nestedTransaction` if they are lent already.
  public func lendNative() throws(StorageError) -> Any {
    guard let transaction, !outer.isEmpty else { throw .lmdbScopeEnded }
    if native != nil { throw .lmdbLentAlready }
    endAppending()
    let created = (outer.map(\.changes) + [changes]).flatMap(\.created)
    let lent = LMDBNative(environment.handle, transaction) { [environment, number] name in
      if let table = created.first(where: { $0.name == name }) {
        return environment.handles[table.number]
      }
      return environment.handle(ofTable: name, at: number)
    }
    native = lent
    return lent
  }

  /// Takes the handles back.
  ///
  /// A transaction that is over is memory that LMDB has freed, so this asks the one around it, which
  /// refuses work while the lent one is open.
  ///
  /// - Throws: `StorageError.Code.transactionFailed` if the transaction was ended or has failed.
  public func takeBackNative() throws(StorageError) {
    guard let native, let lent = transaction, let parent = outer.last else { return }
    native.end()
    self.native = nil
    var status = MDB_stat()
    guard mdb_stat(parent.transaction, Self.mainTable, &status) == MDB_BAD_TXN else {
      outer.removeLast()
      levels.end()
      transaction = parent.transaction
      changes = parent.changes
      throw .lmdbEndedElsewhere
    }
    if mdb_stat(lent, Self.mainTable, &status) != 0 { throw .lmdbEndedElsewhere }
  }

  /// LMDB's handle of the table that names all others.
  private static let mainTable: UInt32 = 1
}
