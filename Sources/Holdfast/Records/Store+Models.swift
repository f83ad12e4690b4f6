extension Store {
  /// Brings a store to the shape that models declare: pending migrations, then collections that are
  /// missing, then what only adds to those that are there; all of it or none, in one transaction.
  ///
  /// ```swift
  /// try await store.prepare(User.self, Status.self, migrations: [
  ///   Migration("town is called city") { try $0.alterCollection("user", .renameField("town", to: "city")) },
  /// ])
  /// ```
  /// Added by itself is what changes no value that is there: a collection; a field that is optional or
  /// has a default, which old records take; an index; a unique index and a reference if the records
  /// allow them; a first default. Everything else has to be a migration, and the error shows the step
  /// to write. A plain index that no model declares is left alone.
  ///
  /// A store in which no migration was applied and that has none of the models' collections is new: it
  /// is made as the models are, and the migrations are noted as applied without running.
  ///
  /// Nothing is written and no lock is taken where there is nothing to do. Of two processes at once
  /// one does it and the other finds it done.
  ///
  /// - Parameters:
  ///   - models: the models; those that they refer to are created with them.
  ///   - migrations: all steps from the first on, those that were applied included.
  ///   - isRehearsal: does everything, and undoes it again: what the records do not allow is found,
  ///     and the report says what would happen.
  ///   - progress: called before each migration.
  /// - Returns: what was done.
  /// - Throws: ``StorageError/Code/schemaMismatch`` with the step to write;
  ///   ``StorageError/Code/uniqueViolation`` with the keys of some duplicates;
  ///   ``StorageError/Code/referenceViolation`` with the keys of some records that refer to none;
  ///   ``StorageError/Code/invalidSchema`` for a model that makes no sense;
  ///   ``StorageError/Code/migrationMismatch`` and ``StorageError/Code/newerSchema`` as
  ///   `migrate(_:isRehearsal:progress:)`; ``StorageError/Code/readOnly`` if something is to be
  ///   done in a store that only reads; what a migration throws.
  @available(*, noasync, message: "use the asynchronous prepare")
  @discardableResult
  public func prepare(
    _ models: any Model.Type...,
    migrations: [Migration] = [],
    isRehearsal: Bool = false,
    progress: (MigrationProgress) -> Void = { _ in }
  ) throws -> MigrationReport {
    let models = models.map { ModelSchema($0) }
    if try read({ try $0.isPrepared(models, migrations) }) {
      return MigrationReport(isRehearsal: isRehearsal)
    }
    do {
      return try write { transaction in
        try transaction.prepare(models, migrations, isRehearsal: isRehearsal, progress)
      }
    } catch let rehearsal as Rehearsed {
      return rehearsal.report
    }
  }

  /// Brings a store to the shape that models declare: pending migrations, then collections that are
  /// missing, then what only adds to those that are there; all of it or none, in one transaction.
  @discardableResult
  public func prepare(
    _ models: any Model.Type...,
    migrations: [Migration] = [],
    isRehearsal: Bool = false,
    progress: @escaping @Sendable (MigrationProgress) -> Void = { _ in }
  ) async throws -> MigrationReport {
    let models = models.map { ModelSchema($0) }
    if try await read({ try $0.isPrepared(models, migrations) }) {
      return MigrationReport(isRehearsal: isRehearsal)
    }
    do {
      return try await write { transaction in
        try transaction.prepare(models, migrations, isRehearsal: isRehearsal, progress)
      }
    } catch let rehearsal as Rehearsed {
      return rehearsal.report
    }
  }
}

/// Ends a rehearsal: thrown so that everything is rolled back.
private struct Rehearsed: Error {
  let report: MigrationReport
}

extension ReadTransaction {
  /// Whether a store is as models and migrations want it.
  fileprivate final func isPrepared(_ models: [ModelSchema], _ migrations: [Migration])
    throws(StorageError) -> Bool
  {
    let catalog = try catalog
    guard try Migration.pending(migrations, after: catalog.migrations).isEmpty else { return false }
    for model in models {
      let declared = try model.resolved().definition
      guard let stored = catalog.collection(named: declared.name),
        SchemaComparison(stored: stored.definition, declared: declared).isEqual
      else { return false }
    }
    return true
  }
}

extension WriteTransaction {
  fileprivate func prepare(
    _ models: [ModelSchema],
    _ migrations: [Migration],
    isRehearsal: Bool,
    _ progress: (MigrationProgress) -> Void
  ) throws -> MigrationReport {
    var report = MigrationReport(isRehearsal: isRehearsal)
    let log = SchemaLog()
    schemaLog = log
    defer { schemaLog = nil }
    let catalog = try catalog
    let applied = catalog.migrations
    let pending = try Migration.pending(migrations, after: applied)
    let isNew =
      applied.isEmpty && !models.isEmpty
      && models.allSatisfy { catalog.collection(named: $0.collectionName) == nil }
    for (position, migration) in pending.enumerated() {
      progress(MigrationProgress(name: migration.name, position: position, count: pending.count))
      changes.beginStep()
      if !isNew { try migration.body(self) }
      report.steps.append(
        MigrationReport.Step(
          name: migration.name,
          changes: log.take(),
          collections: changes.collectionsOfStep,
          isSkipped: isNew
        )
      )
    }
    if !pending.isEmpty { try setMigrations(applied + pending.map(\.name)) }
    for model in models { _ = try ensureCollection(of: model) }
    report.additions = log.take()
    if isRehearsal {
      try checkReferences(in: try self.catalog, mustExist: true)
      throw Rehearsed(report: report)
    }
    return report
  }
}
