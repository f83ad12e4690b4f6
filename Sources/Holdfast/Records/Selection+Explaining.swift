/// How a selection runs.
extension Selection {
  /// What is walked, checked and sorted to read the records; none of them is decoded.
  ///
  /// Figures, updates and deletions walk the same range. With `native` the engine is asked for its own plan too.
  ///
  /// - Throws: ``StorageError/Code/unsupported`` for a native plan from a backend that has none;
  ///   ``StorageError/Code/unknownCollection`` if nothing was ever written; as ``fetch(in:)``.
  public func explain(native: Bool = false, in transaction: ReadTransaction) throws -> QueryPlan {
    let absent = try repository.collection(in: transaction)?.layout.absent
    return try transaction.explain(try absent?.resolved(query) ?? query, native: native)
  }

  /// What is walked, checked and sorted to read the records; see ``explain(native:in:)``.
  public func explain(native: Bool = false) async throws -> QueryPlan {
    try await repository.store.read { try self.explain(native: native, in: $0) }
  }

  /// What is walked, checked and sorted to read the records; see ``explain(native:in:)``.
  @available(*, noasync, message: "use the asynchronous version")
  public func explain(native: Bool = false) throws -> QueryPlan {
    try repository.store.read { try self.explain(native: native, in: $0) }
  }
}
