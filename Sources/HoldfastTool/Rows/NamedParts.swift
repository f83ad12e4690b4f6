import Holdfast

extension ReadTransaction {
  /// The collection that an argument names.
  ///
  /// - Throws: `StorageError` with code `unknownCollection`, with the nearest name.
  func collection(argument name: String) throws(StorageError) -> Collection {
    do throws(StorageError) {
      return try collection(name)
    } catch {
      guard error.code == .unknownCollection else { throw error }
      let names = try catalog.collections.map(\.name)
      throw StorageError(
        .unknownCollection,
        "the store has no collection \(name); \(Self.hint(name, names, none: "create it first"))"
      )
    }
  }

  private static func hint(_ name: String, _ known: [String], none: String) -> String {
    Spelling.nearest(to: name, among: known).map { "did you mean \($0)?" } ?? none
  }
}

extension Collection {
  /// The position of a field that an option names.
  ///
  /// - Throws: `StorageError` with code `unknownField`, with the nearest name.
  func position(of field: String, option: String) throws(StorageError) -> Int {
    if let position = positions[field] { return position }
    throw unknownField(field, at: option)
  }

  /// The error about a name at a place on the command line that is no field, with the nearest one.
  func unknownField(_ field: String, at place: String) -> StorageError {
    let names = fields.map(\.name)
    let hint =
      Spelling.nearest(to: field, among: names).map { "did you mean \($0)?" }
      ?? "it has \(names.joined(separator: ", "))"
    return StorageError(.unknownField, "\(place): \(name) has no field \(field); \(hint)")
  }
}
