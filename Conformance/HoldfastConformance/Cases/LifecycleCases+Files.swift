import Holdfast

/// Cases about files, with what applies to a store that has none.
extension LifecycleCases {
  static let files: [ConformanceCase] = [
    ConformanceCase(
      "lifecycle.openDirectoryMissing",
      "A path in a folder that does not exist is cannotOpen.",
      needs: [.persistence]
    ) { context in
      context.expectError(.cannotOpen) { _ = try context.open(.missingFolder) }
    } otherwise: { context in
      let store = try context.open(.missingFolder)
      context.expect(store.wasCreated, true, "without files no folder can be missing: wasCreated")
    },
    ConformanceCase(
      "lifecycle.pathIsAnotherKind",
      "A file that is no store is wrongKind, and stays as it is.",
      needs: [.persistence]
    ) { context in
      try context.harness.place(.foreignFile, at: .main)
      context.expectError(.wrongKind, "the first time") { _ = try context.open() }
      context.expectError(.wrongKind, "not overwritten") { _ = try context.open() }
    } otherwise: { context in
      context.expectError(.unsupported) {
        try context.harness.place(.foreignFile, at: .main)
      }
    },
    ConformanceCase(
      "lifecycle.newerFormatRefused",
      "A store of a newer format is newerFormat, and stays.",
      needs: [.persistence]
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try store.close()
      try context.harness.place(.newerFormat, at: .main)
      context.expectError(.newerFormat, "the first time") { _ = try context.open() }
      context.expectError(.newerFormat, "not overwritten") { _ = try context.open() }
      context.expectError(.newerFormat, "read-only") {
        _ = try context.open { $0.isReadOnly = true }
      }
    } otherwise: { context in
      context.expectError(.unsupported) {
        try context.harness.place(.newerFormat, at: .main)
      }
    },
  ]
}
