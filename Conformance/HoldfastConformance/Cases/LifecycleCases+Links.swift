import Holdfast

/// Symbolic links, folders that cannot be written, and what destroying leaves.
extension LifecycleCases {
  static let links: [ConformanceCase] = [
    onFiles(
      "lifecycle.openTwiceViaSymlink",
      "A symbolic link to an open store shares it.",
      .symbolicLink
    ) { context in
      let first = try await context.open(creating: Shapes.item())
      try context.harness.place(.symbolicLink, at: .second)
      let second = try context.open(.second)
      try await second.write { try $0.insertItems([1]) }
      try await first.write { try $0.insertItems([2]) }
      for store in [first, second] {
        context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 2], "ids")
      }
      context.expectError(.alreadyOpen, "with other options") {
        _ = try context.open(.second) { $0.isReadOnly = true }
      }
    },
    onFiles(
      "lifecycle.symlinkedTarget",
      "A store opened through a symbolic link is the store that it points to.",
      .symbolicLink
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try store.close()
      try context.harness.place(.symbolicLink, at: .second)
      let linked = try context.open(.second)
      context.expect(linked.wasCreated, false, "wasCreated")
      try await linked.write { try $0.insertItems([1]) }
      try linked.close()
      let again = try context.open()
      context.expect(try await again.read { try $0.ids(Query("item")) }, [1], "ids")
    },
    onFiles(
      "lifecycle.readOnlyFolder",
      "In a folder that cannot be written a new store is permissionDenied.",
      .lockedFolder
    ) { context in
      try context.harness.place(.lockedFolder, at: .missingFolder)
      // Some users, root among them, write where no one may; for them the store must simply work.
      do {
        let store = try context.open(.missingFolder)
        try await store.write { try $0.createCollection(Shapes.item()) }
        context.expect(store.wasCreated, true, "wasCreated")
      } catch let error as StorageError {
        context.expect(error.code.rawValue, "permissionDenied", "the code")
      }
    },
    ConformanceCase(
      "persistence.leftoversSwept",
      "Destroying a store leaves no file of it, and a new one begins empty.",
      needs: [.persistence]
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems(1...100) }
      context.expect(that: !context.harness.leftovers().isEmpty, "a store in files has some")
      try store.close()
      try context.harness.destroy(.main)
      context.expect(context.harness.leftovers(), [], "files left")
      let again = try await context.open(creating: Shapes.item())
      context.expect(try await again.read { try $0.count("item") }, 0, "records")
    } otherwise: { context in
      context.expect(context.harness.leftovers(), [], "files of a store without files")
    },
  ]

  /// A case about files that needs something put in place.
  static func onFiles(
    _ id: String,
    _ statement: String,
    _ obstacle: HarnessObstacle,
    _ body: @escaping ConformanceCase.Body
  ) -> ConformanceCase {
    ConformanceCase(id, statement, needs: [.persistence], body: body) { context in
      context.expectError(.unsupported) { try context.harness.place(obstacle, at: .second) }
    }
  }
}
