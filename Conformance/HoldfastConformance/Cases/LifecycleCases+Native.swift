import Holdfast
import Synchronization

extension LifecycleCases {
  /// The engine's own handles, and the log of operations.
  static let native: [ConformanceCase] = [
    ConformanceCase(
      "lifecycle.nativeHandles",
      "A transaction lends the engine's handles where that is declared, and goes on after."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      guard store.capabilities.lendsNativeHandles else {
        await context.expectError(.unsupported, "reading") {
          try await store.read { try $0.withNative(Any.self) { _ in } }
        }
        try await store.write { transaction in
          try transaction.insertItems([1])
          context.expectError(.unsupported, "writing") {
            try transaction.withNative(Any.self) { _ in }
          }
        }
        context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
        return
      }
      struct Stop: Error {}
      struct NoHandle {}
      try await store.write { transaction in
        try transaction.insertItems([1])
        try transaction.withNative(Any.self) { _ in
          context.expectError(.nestedTransaction, "lent already") {
            try transaction.withNative(Any.self) { _ in }
          }
          try transaction.insertItems([2])
        }
        let result = Result {
          try transaction.withNative(Any.self) { _ in
            try transaction.insertItems([3])
            throw Stop()
          }
        }
        if case .failure(let error) = result, error is Stop {
        } else {
          context.fail("expected the body's error, got \(result)")
        }
        context.expectError(.unsupported, "another type") {
          try transaction.withNative(NoHandle.self) { _ in }
        }
        try transaction.insertItems([4])
      }
      try await store.read { transaction in
        try transaction.withNative(Any.self) { _ in }
        context.expect(try transaction.ids(Query("item")), [1, 2, 4], "ids")
      }
    },
    ConformanceCase(
      "lifecycle.operationLog",
      "A log hears of each operation with its collection and rows, never with values."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      let seen = Mutex<[StoreOperation]>([])
      store.logOperations { operation in seen.withLock { $0.append(operation) } }
      try await store.write { transaction in
        try transaction.insertItems([1, 2, 3])
        try transaction.update(2, set: ["name": "secret"], in: "item")
        _ = try transaction.fetch(Query("item", where: .equal("name", "secret")))
        _ = try transaction.count("item", where: .startsWith("name", "secret"))
        try transaction.delete(3, from: "item")
      }
      store.stopLogging()
      _ = try await store.read { try $0.count("item") }
      let operations = seen.withLock { $0 }
      let kinds = operations.map(\.kind.rawValue).joined(separator: " ")
      context.expect(
        kinds,
        "wait begin insert insert insert get update query aggregate delete commit",
        "operations"
      )
      for operation in operations {
        context.expect(that: !"\(operation)".contains("secret"), "a log tells a value")
        context.expect(that: operation.failure == nil, "\(operation.kind) failed")
        if ![.wait, .begin, .commit].contains(operation.kind) {
          context.expect(operation.collection ?? "", "item", "collection of \(operation.kind)")
        }
      }
      store.logOperations(slowerThan: .seconds(3600)) { _ in context.fail("nothing is that slow")
      }
      _ = try await store.read { try $0.ids(Query("item")) }
    },
  ]
}
