import Holdfast

/// What has to be done to a store so that it has the collections of a schema file.
///
/// Only what takes nothing away and fails no record that fits: new collections, fields, indexes,
/// references and defaults, and fields that become optional.
struct SchemaPlan {
  /// The collections to create.
  private(set) var created: [CollectionDefinition] = []
  /// The changes of collections that exist.
  private(set) var changed: [(name: String, changes: [SchemaChange])] = []

  /// Compares the definitions with what is there.
  ///
  /// - Throws: `StorageError` with code `invalidSchema` naming every step that a migration has to
  ///   make first.
  init(_ definitions: [CollectionDefinition], _ catalog: Catalog) throws(StorageError) {
    var missing: [String] = []
    for definition in definitions {
      guard let existing = catalog.collection(named: definition.name) else {
        created.append(definition)
        continue
      }
      var comparison = DefinitionComparison(existing.definition, definition.completed())
      comparison.run()
      if !comparison.missing.isEmpty {
        missing.append("\(definition.name): \(comparison.missing.joined(separator: ", "))")
      }
      if !comparison.changes.isEmpty { changed.append((definition.name, comparison.changes)) }
    }
    if missing.isEmpty { return }
    throw StorageError(
      .invalidSchema,
      "nothing was changed, since these steps may lose records; make them by a migration first: "
        + missing.joined(separator: "; ")
    )
  }

  /// Makes the changes.
  ///
  /// - Throws: as creating and altering collections do.
  func apply(in transaction: WriteTransaction) throws(StorageError) {
    for definition in created { try transaction.createCollection(definition) }
    for (name, changes) in changed { try transaction.alterCollection(name, changes) }
  }

  /// What is done, one line each.
  var lines: [String] {
    created.map { "created \($0.name)" }
      + changed.map { name, changes in
        "changed \(name): \(changes.map(\.description).joined(separator: ", "))"
      }
  }
}

/// How one definition differs from another.
private struct DefinitionComparison {
  let old: CollectionDefinition
  let new: CollectionDefinition
  private(set) var changes: [SchemaChange] = []
  /// What cannot be done without a migration.
  private(set) var missing: [String] = []

  init(_ old: CollectionDefinition, _ new: CollectionDefinition) {
    self.old = old
    self.new = new
  }

  mutating func run() {
    if old.key != new.key {
      missing.append("change the key to \(new.key.joined(separator: ", "))")
    }
    if old.hasAutomaticKey != new.hasAutomaticKey {
      missing.append("make the key \(new.hasAutomaticKey ? "automatic" : "not automatic")")
    }
    compareFields()
    compareIndexes()
    compareReferences()
  }

  private mutating func compareFields() {
    for field in old.fields where !new.fields.contains(where: { $0.name == field.name }) {
      missing.append("drop field \(field.name)")
    }
    for field in new.fields {
      guard let before = old.fields.first(where: { $0.name == field.name }) else {
        changes.append(.addField(field))
        continue
      }
      if before.type != field.type {
        missing.append("change field \(field.name) from \(before.type) to \(field.type)")
        continue
      }
      if field.isOptional, !before.isOptional { changes.append(.setOptional(field.name, true)) }
      if !field.isOptional, before.isOptional {
        missing.append("make field \(field.name) required")
      }
      if field.defaultValue != before.defaultValue {
        changes.append(.setDefault(field.name, field.defaultValue))
      }
    }
  }

  private mutating func compareIndexes() {
    for index in old.indexes where !new.indexes.contains(where: { $0.name == index.name }) {
      missing.append("drop index \(index.name)")
    }
    for index in new.indexes {
      guard let before = old.indexes.first(where: { $0.name == index.name }) else {
        changes.append(.addIndex(index))
        continue
      }
      if before != index { missing.append("define index \(index.name) anew") }
    }
  }

  private mutating func compareReferences() {
    for reference in old.references
    where !new.references.contains(where: { $0.fields == reference.fields }) {
      missing.append("drop reference \(reference.name)")
    }
    for reference in new.references {
      guard let before = old.references.first(where: { $0.fields == reference.fields }) else {
        changes.append(.addReference(reference))
        continue
      }
      if before != reference { missing.append("define reference \(reference.name) anew") }
    }
  }
}
