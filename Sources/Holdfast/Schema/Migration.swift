/// One named step from a schema to the next: schema changes and work on records, in any order.
///
/// ```swift
/// try await store.migrate([
///   Migration("create users") { transaction in
///     try transaction.createCollection(CollectionDefinition("user",
///       fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text)],
///       key: ["id"], automaticKey: true))
///   },
///   Migration("cities") { transaction in
///     try transaction.alterCollection("user", .addField(FieldDefinition("city", .text, default: "?")))
///   },
/// ])
/// ```
public struct Migration: Sendable {
  /// The step's name, by which the store remembers it.
  ///
  /// Never rename a step that was released.
  public let name: String
  /// What the step does.
  public let body: @Sendable (WriteTransaction) throws -> Void

  /// Creates a step.
  public init(_ name: String, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) {
    self.name = name
    self.body = body
  }
}

extension Migration {
  /// The steps of a list that a store has not had yet.
  ///
  /// - Throws: ``StorageError/Code/migrationMismatch`` if those that it had are not the beginning of
  ///   the list, or a name comes twice; ``StorageError/Code/newerSchema`` if it had more.
  static func pending(_ migrations: [Migration], after applied: [String]) throws(StorageError)
    -> ArraySlice<Migration>
  {
    var names = Set<String>()
    for migration in migrations {
      try Name.validate(migration.name, of: "migration")
      if !names.insert(migration.name).inserted {
        throw StorageError(
          .migrationMismatch,
          "migration \(migration.name) is in the list twice; every step needs a name of its own"
        )
      }
    }
    for (position, name) in applied.enumerated() {
      guard position < migrations.count else {
        throw StorageError(
          .newerSchema,
          "the store had migration \(name), which this list does not know; use a newer version of "
            + "the application"
        )
      }
      if migrations[position].name == name { continue }
      let reason = names.contains(name) ? "is at another place in" : "is no longer in"
      throw StorageError(
        .migrationMismatch,
        "migration \(name), which the store had as number \(position + 1), \(reason) the list; "
          + "put it back: only append to a list of migrations"
      )
    }
    return migrations[applied.count...]
  }
}

extension Store {
  /// Applies the steps that the store has not had yet, in order, in one transaction: all or none.
  ///
  /// Two processes that do so at once do it one after the other; the second finds nothing to do.
  /// - Parameters:
  ///   - migrations: all steps from the first on, those that were applied included.
  ///   - isRehearsal: runs the pending steps, and undoes them again.
  ///   - progress: called before each step, with its position among the pending ones and their number.
  /// - Returns: the names of the steps that were applied, or would be.
  /// - Throws: ``StorageError/Code/migrationMismatch`` if steps that were applied are not the
  ///   beginning of the list; ``StorageError/Code/newerSchema`` if the store had steps beyond it; what
  ///   a step throws, naming nothing as applied.
  @available(*, noasync, message: "use the asynchronous migrate")
  @discardableResult
  public func migrate(
    _ migrations: [Migration],
    isRehearsal: Bool = false,
    progress: (MigrationProgress) -> Void = { _ in }
  ) throws -> [String] {
    let pending = try read { transaction in
      try Migration.pending(migrations, after: try transaction.catalog.migrations)
    }
    // Nothing is written, and no lock taken, where nothing is to be done.
    if pending.isEmpty { return [] }
    do {
      return try write { transaction in
        try transaction.migrate(migrations, isRehearsal: isRehearsal, progress: progress)
      }
    } catch let rehearsal as Rehearsal {
      return rehearsal.names
    }
  }

  /// Applies the steps that the store has not had yet, in order, in one transaction: all or none.
  @discardableResult
  public func migrate(
    _ migrations: [Migration],
    isRehearsal: Bool = false,
    progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
  ) async throws -> [String] {
    let pending = try await read { transaction in
      try Migration.pending(migrations, after: try transaction.catalog.migrations).count
    }
    if pending == 0 { return [] }
    do {
      return try await write { transaction in
        try transaction.migrate(migrations, isRehearsal: isRehearsal, progress: progress)
      }
    } catch let rehearsal as Rehearsal {
      return rehearsal.names
    }
  }
}

/// How far a list of migrations has come.
public struct MigrationProgress: Sendable {
  /// The name of the step that begins.
  public let name: String
  /// Its position among the pending ones, from 0.
  public let position: Int
  /// The number of pending steps.
  public let count: Int
}

/// Ends a rehearsal: thrown so that everything is rolled back.
private struct Rehearsal: Error {
  let names: [String]
}

extension WriteTransaction {
  fileprivate func migrate(
    _ migrations: [Migration],
    isRehearsal: Bool,
    progress: (MigrationProgress) -> Void
  ) throws -> [String] {
    // Another process may have been faster.
    let applied = try catalog.migrations
    let pending = try Migration.pending(migrations, after: applied)
    for (position, migration) in pending.enumerated() {
      progress(MigrationProgress(name: migration.name, position: position, count: pending.count))
      try migration.body(self)
    }
    let names = pending.map(\.name)
    if !names.isEmpty { try setMigrations(applied + names) }
    if isRehearsal {
      try checkReferences(in: try catalog, mustExist: true)
      throw Rehearsal(names: names)
    }
    return names
  }
}
