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

  private func entries(_ name: String, _ native: LMDBNative) throws -> Int {
    var status = MDB_stat()
    let result = mdb_stat(try native.transaction, try native.database(name), &status)
    try #require(result == 0)
    return status.ms_entries
  }

  @Test func `reads every database of the snapshot by its name`() throws {
    let folder = try TemporaryFolder()
    let store = try filled(folder)
    #expect(store.capabilities.lendsNativeHandles)
    try store.read { transaction in
      let collection = try transaction.collection("item")
      try transaction.withNative(LMDBNative.self) { native in
        #expect(try entries(collection.physicalName, native) == 3)
        #expect(try entries(collection.indexes[0].physicalName, native) == 3)
        #expect(try entries("sequence", native) == 1)
        #expect(try entries("catalog", native) > 3)
        var information = MDB_envinfo()
        #expect(mdb_env_info(try native.environment, &information) == 0)
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
            #expect(mdb_drop(try native.transaction, try native.database(name), 0) == 0)
          }
          #expect(try entries(collection.physicalName, native) == 0)
          #expect(try entries(made.physicalName, native) == 0)
          throw Stop()
        }
      }
      #expect(try transaction.count("item") == 3)
      try transaction.withNative(LMDBNative.self) { native in
        for name in [collection.physicalName, collection.indexes[0].physicalName] {
          #expect(mdb_drop(try native.transaction, try native.database(name), 0) == 0)
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
                #expect(mdb_txn_commit(try native.transaction) == 0)
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
