import Holdfast

/// What errors keep of where they came from.
extension ErrorCases {
  static let engine: [ConformanceCase] = [
    ConformanceCase(
      "errors.engineCode",
      "An error that the engine or the system reported keeps its number, and names the backend.",
      needs: [.persistence]
    ) { context in
      do {
        _ = try context.open(.missingFolder)
        context.fail("a store opens in a folder that is not there")
      } catch let error as StorageError {
        context.expect(error.code.rawValue, "cannotOpen", "the code")
        let backend = error.backend ?? "no backend"
        context.expect(that: error.backend != nil, "the backend is lost: \(error)")
        context.expect(that: error.engineCode != nil, "the engine's number is lost: \(error)")
        let text = "[\(backend) \(error.engineCode ?? 0)]"
        context.expect(
          that: error.description.hasSuffix(text),
          "the text does not end with \(text)"
        )
      }
    } otherwise: { context in
      context.expect(try context.open(.missingFolder).wasCreated, true, "wasCreated")
    }
  ]
}
