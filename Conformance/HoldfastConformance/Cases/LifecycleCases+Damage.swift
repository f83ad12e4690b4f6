import Holdfast

/// Files that are cut short, or vanish under an open store.
extension LifecycleCases {
  static let damage: [ConformanceCase] = [
    onFiles(
      "persistence.truncatedFile",
      "A store whose largest file was cut in half is corrupt when it is opened, and stays.",
      .halvedFile
    ) { context in
      let store = try await context.open(
        creating: Shapes.item(indexes: [IndexDefinition(["name"])])
      )
      try await store.write { try $0.insertItems(1...3000) }
      try store.close()
      try context.harness.place(.halvedFile, at: .main)
      context.expectError(.corrupt, "the first time") { _ = try context.open() }
      context.expectError(.corrupt, "not overwritten") { _ = try context.open() }
      context.expectError(.corrupt, "read-only") { _ = try context.open { $0.isReadOnly = true } }
    },
    onFiles(
      "lifecycle.removedWhileOpen",
      "A store whose file or folder was removed takes no writes, and its place takes a new store.",
      .nothing
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...10) }
      try context.harness.place(.nothing, at: .main)
      await context.expectError(.ioError, "a write") {
        try await store.write { try $0.insertItems([11]) }
      }
      await context.expectError(.ioError, "another one") {
        try await store.write { try $0.insertItems([12]) }
      }
      do throws(StorageError) {
        try store.close()
      } catch {
        context.note("closing throws \(error.code)")
      }
      try context.harness.destroy(.main)
      context.expect(context.harness.leftovers(), [], "files left")
      let again = try await context.open(creating: Shapes.item())
      context.expect(again.wasCreated, true, "wasCreated")
      context.expect(try await again.read { try $0.count("item") }, 0, "records")
    },
    onFiles(
      "lifecycle.replacedWhileOpen",
      "A store in whose place another was made takes no writes, and the other one does.",
      .nothing
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try context.harness.place(.nothing, at: .main)
      let other = try await context.open(creating: Shapes.item())
      try await other.write { try $0.insertItems([1]) }
      await context.expectError(.ioError, "a write to the old store") {
        try await store.write { try $0.insertItems([2]) }
      }
      try await other.write { try $0.insertItems([3]) }
      context.expect(try await other.read { try $0.ids(Query("item")) }, [1, 3], "ids")
      do throws(StorageError) {
        try store.close()
      } catch {
        context.note("closing the old store throws \(error.code)")
      }
      try await other.write { try $0.insertItems([4]) }
      let again = try context.reopen(other)
      context.expect(again.wasCreated, false, "wasCreated, reopened")
      context.expect(
        try await again.read { try $0.ids(Query("item")) },
        [1, 3, 4],
        "ids, reopened"
      )
      context.expect(try await again.verify().filter(\.isFault).map(\.message), [], "faults")
    },
  ]
}
