import CLMDB
import Holdfast
import HoldfastLMDB
import Testing

/// LMDB's own handles inside a transaction.
@Suite("Native handles") struct NativeTests {
  private static let item = CollectionDefinition(
    "item",
    fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text)],
    key: ["id"],
    automaticKey: true,
    indexes: [IndexDefinition(["name"])]
  )
  private struct Stop: Error {}

  private func filled(_ folder: TemporaryFolder) throws -> Store {
    let store = Store(try LMDBStorage.open(path: folder.path("store")))
    try store.write { transaction in
      try transaction.createCollection(Self.item)
      for name in ["a", "b", "c"] { try transaction.insert(["name": .text(name)], into: "item") }
    }
    return store
  }

  private func expectEntries(_ count: Int, _ name: String, _ native: LMDBNative) throws {
    var status = MDB_stat()
    let result = mdb_stat(try native.transaction, try native.database(name), &status)
    #expect(result == 0)
    #expect(status.ms_entries == count, "\(name)")
  }

  private func clear(_ name: String, _ native: LMDBNative) throws {
    let result = mdb_drop(try native.transaction, try native.database(name), 0)
    #expect(result == 0, "\(name)")
  }

  @Test func `reads every database of the snapshot by its name`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    #expect(store.capabilities.lendsNativeHandles)
    try store.read { transaction in
      let collection = try transaction.collection("item")
      try transaction.withNative(LMDBNative.self) { native in
        try expectEntries(3, collection.physicalName, native)
        try expectEntries(3, collection.indexes[0].physicalName, native)
        try expectEntries(1, "sequence", native)
        _ = try native.database("catalog")
        var information = MDB_envinfo()
        let result = mdb_env_info(try native.environment, &information)
        #expect(result == 0)
        let unknown = #expect(throws: StorageError.self) { try native.database("c99") }
        #expect(unknown?.code == .unknownCollection)
      }
      #expect(try transaction.count("item") == 3)
    }
    try store.close()
  }

  @Test func `writes are the transaction's, and an error undoes them`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    try store.write { transaction in
      let made = try transaction.createCollection(
        CollectionDefinition("new", fields: Self.item.fields, key: ["id"])
      )
      let collection = try transaction.collection("item")
      #expect(throws: Stop.self) {
        try transaction.withNative(LMDBNative.self) { native in
          for name in [collection.physicalName, collection.indexes[0].physicalName] {
            try clear(name, native)
          }
          try expectEntries(0, collection.physicalName, native)
          try expectEntries(0, made.physicalName, native)
          throw Stop()
        }
      }
      #expect(try transaction.count("item") == 3)
      try transaction.withNative(LMDBNative.self) { native in
        for name in [collection.physicalName, collection.indexes[0].physicalName] {
          try clear(name, native)
        }
      }
      try transaction.noteChange(of: "item")
      #expect(try transaction.insert(["name": "d"], into: "item").values == [4])
    }
    #expect(try store.read { try $0.count("item") } == 1)
    #expect(try store.read { try $0.count("item", where: .equal("name", "d")) } == 1)
    #expect(try store.verify().filter(\.isFault).isEmpty)
    try store.close()
  }

  @Test(arguments: [true, false])
  func `a transaction that was ended natively is a typed error, and nothing is kept`(commits: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    for isNested in [false, true] {
      let error = #expect(throws: StorageError.self) {
        try store.write { transaction in
          try transaction.insert(["name": "d"], into: "item")
          func misuse() throws {
            try transaction.withNative(LMDBNative.self) { native in
              if commits {
                let result = mdb_txn_commit(try native.transaction)
                #expect(result == 0)
              } else {
                mdb_txn_abort(try native.transaction)
              }
            }
          }
          if isNested { try transaction.savepoint(misuse) } else { try misuse() }
        }
      }
      #expect(error?.code == .transactionFailed)
      #expect(try store.read { try $0.count("item") } == 3)
    }
    try store.write { try $0.insert(["name": "e"], into: "item") }
    #expect(try store.read { try $0.count("item") } == 4)
    try store.close()
  }

  @Test func `handles are refused after their body, and are lent once at a time`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    var escaped: LMDBNative?
    try store.read { transaction in
      try transaction.withNative(LMDBNative.self) { native in
        escaped = native
        let error = #expect(throws: StorageError.self) {
          try transaction.withNative(LMDBNative.self) { _ in }
        }
        #expect(error?.code == .nestedTransaction)
      }
      let late = #expect(throws: StorageError.self) { try escaped?.transaction }
      #expect(late?.code == .transactionClosed)
    }
    try store.write { transaction in
      try transaction.withNative(LMDBNative.self) { native in
        escaped = native
        let error = #expect(throws: StorageError.self) {
          try transaction.withNative(LMDBNative.self) { _ in }
        }
        #expect(error?.code == .nestedTransaction)
        try transaction.insert(["name": "inner"], into: "item")
      }
      let late = #expect(throws: StorageError.self) { try escaped?.database("catalog") }
      #expect(late?.code == .transactionClosed)
    }
    #expect(try store.read { try $0.count("item") } == 4)
    try store.close()
  }
}
