import Foundation
import Holdfast

/// Restoring, damaged sources, permissions of copies.
extension CopyCases {
  /// A store in memory of which one record in the middle is cut off.
  private static func damaged() async throws -> Store {
    let engine = MemoryEngine()
    let store = Store(try KeyValueStorage(engine))
    try await fill(store)
    let id = try await store.read { try $0.collection("status").id }
    guard let table = try engine.openTable("c\(id)") else {
      throw StorageError(.notFound, "the rows of the store in memory are in no table c\(id)")
    }
    let writer = try engine.beginWriting(timeout: .seconds(1))
    let cursor = try writer.openCursor(in: table)
    _ = try cursor.first()
    for _ in 0..<10 { _ = try cursor.next() }
    let (key, value) = (Array(cursor.key), Array(cursor.value.dropLast()))
    cursor.close()
    try key.withUnsafeBytes { key in
      try value.withUnsafeBytes { value in try writer.put(key, value, in: table) }
    }
    try writer.commit()
    return store
  }

  /// A store with other content than ``fill(_:)`` gives, partly under the same names.
  private static func fillOtherwise(_ store: Store) async throws {
    try await store.migrate([
      Migration("before") { transaction in
        try transaction.createCollection(Shapes.item("user"))
        try transaction.createCollection(Shapes.automatic("old"))
        try transaction.insertItems([1, 2, 3], into: "user")
        try transaction.insert(["id": 900], into: "old")
      }
    ])
  }

  static let restoring: [ConformanceCase] = [
    ConformanceCase(
      "copies.restoreReplaces",
      "A restore replaces records, schema, counters and migrations by another store's."
    ) { context in
      let backup = try context.open(.second)
      try await fill(backup)
      var store = try context.open()
      try await fillOtherwise(store)
      var changes = store.changes().makeAsyncIterator()
      context.expect(try await store.restore(from: backup), 100, "records")
      let names = try await changes.next()?.collections.keys.sorted() ?? []
      context.expect(
        names,
        ["a/b \"quoted\"", "node", "old", "status", "user"],
        "collections that observers hear of"
      )
      context.expect(try await differences(backup, store), [], "differences")
      store = try context.reopen(store)
      context.expect(try await differences(backup, store), [], "differences after reopening")
      context.expect(try await store.verify().filter(\.isFault).map(\.message), [], "faults")
      try await store.write { transaction in
        context.expect(try transaction.insert(["name": "n"], into: "user").values, [31], "next key")
        try transaction.delete(1, from: "user")
        context.expect(try transaction.get(1, in: "status"), nil, "the cascade works")
      }
      context.expect(try await backup.read { try $0.count("user") }, 25, "the source")
    },
    ConformanceCase(
      "copies.restoreFromAnotherBackend",
      "A restore takes a store of any backend, an empty one too."
    ) { context in
      let store = try context.open()
      try await fillOtherwise(store)
      let memory = Store(try KeyValueStorage(MemoryEngine()))
      try await fill(memory)
      try await store.restore(from: memory)
      context.expect(try await differences(memory, store), [], "differences")
      let empty = Store(try KeyValueStorage(MemoryEngine()))
      context.expect(try await store.restore(from: empty), 0, "records of an empty store")
      let catalog = try await store.read { try $0.catalog }
      context.expect(catalog.collections.map(\.name), [], "collections")
      context.expect(catalog.migrations, [], "migrations")
      try memory.close()
      try empty.close()
    },
    ConformanceCase(
      "copies.truncatedImportLeavesOld",
      "A source that is damaged half way leaves the destination as it was."
    ) { context in
      let source = try await damaged()
      let copy = try context.open(.second)
      await context.expectError(.corrupt, "a copy") { try await source.copy(into: copy) }
      let catalog = try await copy.read { try $0.catalog }
      context.expect(catalog.collections.map(\.name), [], "collections of the copy")
      let store = try context.open()
      try await fillOtherwise(store)
      let before = Store(try KeyValueStorage(MemoryEngine()))
      try await store.copy(into: before)
      await context.expectError(.corrupt, "a restore") { try await store.restore(from: source) }
      context.expect(try await differences(before, store), [], "what became of the old content")
      context.expect(try await store.verify().filter(\.isFault).map(\.message), [], "faults")
      try source.close()
      try before.close()
    },
    ConformanceCase(
      "copies.restoreRefusals",
      "A store is not restored from itself, read-only, or inside a transaction."
    ) { context in
      var store = try context.open()
      try await fillOtherwise(store)
      let backup = Store(try KeyValueStorage(MemoryEngine()))
      let open = store
      await context.expectError(.alreadyExists, "from itself") {
        try await open.restore(from: open)
      }
      try await store.write { _ in
        context.expectError(.nestedTransaction, "inside a body") {
          try open.restore(from: backup)
        }
      }
      if store.capabilities.isPersistent {
        try store.close()
        store = try context.open { $0.isReadOnly = true }
        let readOnly = store
        await context.expectError(.readOnly) { try await readOnly.restore(from: backup) }
      }
      context.expect(try await store.read { try $0.count("user") }, 3, "records")
      try backup.close()
    },
    ConformanceCase(
      "copies.permissionsKept",
      "A backup may be read by no more people than the store."
    ) { context in
      let store = try context.open()
      try await fill(store)
      guard store.capabilities.backsUpOnline, let original = try context.harness.path(of: .main),
        let path = try context.harness.path(of: .second)
      else {
        context.expect(store.capabilities.backsUpOnline, false, "a store in files has a path")
        return
      }
      for file in try files(at: original) { try allow(file.isFolder ? 0o700 : 0o600, file.path) }
      try await store.backup(to: path)
      let open = try files(at: path).filter { $0.mode & 0o077 != 0 }
      context.expect(open.map(\.path), [], "what others may read of the copy")
      let copy = try context.open(.second)
      context.expect(try await differences(store, copy), [], "differences")
    },
  ]

  // MARK: Files

  private struct File {
    var path: String
    var isFolder: Bool
    var mode: Int
  }

  /// A store's file, or its folder with the files in it.
  private static func files(at path: String) throws -> [File] {
    let manager = FileManager.default
    let names = manager.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return try ([path] + names.map { "\(path)/\($0)" }).map { path in
      let attributes = try manager.attributesOfItem(atPath: path)
      return File(
        path: path,
        isFolder: attributes[.type] as? FileAttributeType == .typeDirectory,
        mode: (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
      )
    }
  }

  private static func allow(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }
}
