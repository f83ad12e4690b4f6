import Holdfast

/// Opening, closing, sharing and destroying.
enum LifecycleCases {
  static let all: [ConformanceCase] =
    [
      ConformanceCase(
        "lifecycle.openCreates",
        "Opening where there is nothing makes an empty store."
      ) { context in
        let store = try context.open()
        context.expect(store.wasCreated, true, "wasCreated")
        let count = try await store.read { try $0.catalog.collections.count }
        context.expect(count, 0, "collections of a new store")
      },
      ConformanceCase("lifecycle.openExisting", "Opening what exists says that it was not created.")
      { context in
        var store = try await context.open(creating: Shapes.item())
        store = try context.reopen(store)
        context.expect(store.wasCreated, false, "wasCreated")
      },
      ConformanceCase(
        "lifecycle.openMissingNoCreate",
        "Without createsIfMissing a missing store is cannotOpen."
      ) { context in
        context.expectError(.cannotOpen) {
          _ = try context.open { $0.createsIfMissing = false }
        }
        let store = try context.open()
        context.expect(store.wasCreated, true, "the refused open left nothing: wasCreated")
      },
      ConformanceCase(
        "lifecycle.openExistingNoCreate",
        "Without createsIfMissing an existing store opens."
      ) { context in
        let store = try await context.open(creating: Shapes.item())
        try store.close()
        let again = try context.open { $0.createsIfMissing = false }
        let count = try await again.read { try $0.catalog.collections.count }
        context.expect(count, 1, "collections")
      },
      ConformanceCase(
        "lifecycle.openReadOnly",
        "A store opened read-only is read, and every write is readOnly."
      ) { context in
        let store = try await context.open(creating: Shapes.item())
        try await store.write { try $0.insertItems(1...3) }
        try store.close()
        let reader = try context.open { $0.isReadOnly = true }
        let ids = try await reader.read { try $0.ids(Query("item")) }
        context.expect(ids, [1, 2, 3], "ids")
        await context.expectError(.readOnly) {
          try await reader.write { try $0.insertItems([4]) }
        }
        try reader.close()
        let writer = try context.open()
        let after = try await writer.read { try $0.count("item") }
        context.expect(after, 3, "records after the refused write")
      },
      ConformanceCase(
        "lifecycle.openReadOnlyMissing",
        "Opening read-only where there is nothing is cannotOpen."
      ) { context in
        context.expectError(.cannotOpen) { _ = try context.open { $0.isReadOnly = true } }
        let store = try context.open()
        context.expect(store.wasCreated, true, "the refused open left nothing: wasCreated")
      },
      ConformanceCase("lifecycle.closeIdempotent", "Closing twice is fine.") { context in
        let store = try await context.open(creating: Shapes.item())
        try store.close()
        try store.close()
      },
      ConformanceCase("lifecycle.useAfterClose", "Reading and writing after close is closed.") {
        context in
        let store = try await context.open(creating: Shapes.item())
        try store.close()
        await context.expectError(.closed, "read") {
          _ = try await store.read { try $0.count("item") }
        }
        await context.expectError(.closed, "write") {
          try await store.write { try $0.insertItems([1]) }
        }
        context.expectError(.closed, "synchronous read") {
          try Blocking.read(store) { _ in }
        }
      },
      ConformanceCase(
        "lifecycle.openTwiceSamePath",
        "Opening an open path again shares the store."
      ) { context in
        let first = try await context.open(creating: Shapes.item())
        let second = try context.open()
        try await first.write { try $0.insertItems([1]) }
        let seen = try await second.read { try $0.count("item") }
        context.expect(seen, 1, "what the other handle wrote")
        try await second.write { try $0.insertItems([2]) }
        try first.close()
        let ids = try await second.read { try $0.ids(Query("item")) }
        context.expect(ids, [1, 2], "after the first handle closed")
        await context.expectError(.closed, "the closed handle") {
          _ = try await first.read { try $0.count("item") }
        }
      },
      ConformanceCase(
        "lifecycle.openTwiceOtherOptions",
        "Opening an open path with other options is alreadyOpen."
      ) { context in
        let first = try await context.open(creating: Shapes.item())
        context.expectError(.alreadyOpen) {
          _ = try context.open { $0.isReadOnly = true }
        }
        try await first.write { try $0.insertItems([1]) }
        try first.close()
        let reader = try context.open { $0.isReadOnly = true }
        let count = try await reader.read { try $0.count("item") }
        context.expect(count, 1, "after the first closed, other options are fine")
      },
      ConformanceCase("lifecycle.placesAreSeparate", "Two places hold two stores.") { context in
        let main = try await context.open(creating: Shapes.item())
        let second = try context.open(.second)
        context.expect(second.wasCreated, true, "wasCreated of the second")
        try await main.write { try $0.insertItems([1]) }
        let names = try await second.read { try $0.catalog.collections.map(\.name) }
        context.expect(names, [], "collections of the second")
        let identities = [
          try await main.read { try $0.catalog.storeID },
          try await second.read { try $0.catalog.storeID },
        ]
        context.expect(
          that: identities[0] != identities[1] && !identities[0].isEmpty,
          "two stores must have two store ids"
        )
      },
      ConformanceCase(
        "lifecycle.destroyThenCreate",
        "After destroying, the same place takes a new store."
      ) { context in
        let store = try await context.open(creating: Shapes.item())
        try await store.write { try $0.insertItems(1...5) }
        try store.close()
        try context.harness.destroy(.main)
        let again = try context.open()
        context.expect(again.wasCreated, true, "wasCreated")
        let count = try await again.read { try $0.catalog.collections.count }
        context.expect(count, 0, "collections")
      },
      ConformanceCase(
        "lifecycle.capabilities",
        "A backend names itself, its engine and its largest value."
      ) { context in
        let declared = try context.open().capabilities
        context.expect(that: !declared.backend.isEmpty, "the backend has no name")
        context.expect(that: !declared.engine.isEmpty, "the engine has no name")
        context.expect(
          that: declared.maximumValueSize >= 1 << 24,
          "values of 16 MiB must fit, the backend declares \(declared.maximumValueSize) bytes"
        )
      },
    ] + files + links + damage + native
}
