import Holdfast

/// References that are checked once, at the end of a body.
extension ReferenceCases {
  static let deferred: [ConformanceCase] = [
    ConformanceCase(
      "references.inBatchOrder",
      "A target must be there before; deferred, by the end."
    ) { context in
      let store = try await open(context, .restrict)
      try await store.write { transaction in
        context.expectError(.referenceViolation, "before its user") {
          try transaction.insert(["id": 40, "user": 4], into: "status")
        }
        try transaction.deferringReferences {
          try transaction.insert(["id": 40, "user": 4], into: "status")
          try transaction.insert(["id": 4, "name": "d"], into: "user")
        }
        context.expectError(.referenceViolation, "never comes") {
          try transaction.deferringReferences {
            _ = try transaction.insert(["id": 41, "user": 77], into: "status")
          }
        }
      }
      try await expect(context, store, users: [1, 2, 3, 4], statuses: [10, 11, 20, 30, 40])
    },
    ConformanceCase(
      "references.deferredThenRenamed",
      "A collection may be renamed or dropped before its references are checked."
    ) { context in
      let store = try await open(context, .restrict)
      try await store.write { transaction in
        try transaction.deferringReferences {
          try transaction.insert(["id": 100, "user": 99], into: "status")
          try transaction.renameCollection("status", to: "note")
          try transaction.insert(["id": 99, "name": "late"], into: "user")
        }
        context.expectError(.referenceViolation, "renamed") {
          try transaction.deferringReferences {
            try transaction.insert(["id": 101, "user": 500], into: "note")
            try transaction.renameCollection("note", to: "status")
          }
        }
        context.expect(try transaction.value("user", of: 100, in: "note"), 99, "what was kept")
        context.expect(try transaction.get(101, in: "note"), nil, "what was refused")
        try transaction.deferringReferences {
          try transaction.insert(["id": 102, "user": 500], into: "note")
          try transaction.dropCollection("note")
        }
      }
      let names = try await store.read { try $0.catalog.collections.map(\.name) }
      context.expect(names, ["user"], "collections")
    },
  ]
}
