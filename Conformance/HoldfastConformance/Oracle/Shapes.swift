import Holdfast

/// The collections that cases are made of.
enum Shapes {
  /// `id` integer key, `name` text, `rank` integer, `score` real, all but the key optional.
  static func item(_ name: String = "item", indexes: [IndexDefinition] = [])
    -> CollectionDefinition
  {
    CollectionDefinition(
      name,
      fields: [
        FieldDefinition("id", .integer), FieldDefinition("name", .text, optional: true),
        FieldDefinition("rank", .integer, optional: true),
        FieldDefinition("score", .real, optional: true),
      ],
      key: ["id"],
      indexes: indexes
    )
  }

  /// `id` integer key and one optional `value` of a type.
  static func single(_ type: FieldType, _ name: String = "single", indexes: [IndexDefinition] = [])
    -> CollectionDefinition
  {
    CollectionDefinition(
      name,
      fields: [FieldDefinition("id", .integer), FieldDefinition("value", type, optional: true)],
      key: ["id"],
      indexes: indexes
    )
  }

  /// Key fields `k0`, `k1` … of the given types, and an optional integer `label`.
  static func keyed(_ types: FieldType..., name: String = "keyed") -> CollectionDefinition {
    let keys = types.enumerated().map { FieldDefinition("k\($0.offset)", $0.element) }
    return CollectionDefinition(
      name,
      fields: keys + [FieldDefinition("label", .integer, optional: true)],
      key: keys.map(\.name)
    )
  }

  /// An automatic integer key `id` and an optional text `name`.
  static func automatic(_ name: String = "automatic") -> CollectionDefinition {
    CollectionDefinition(
      name,
      fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text, optional: true)],
      key: ["id"],
      automaticKey: true
    )
  }
}

extension ReadTransaction {
  /// One field of every record of a query, in its order.
  func column(_ field: String, _ query: Query) throws -> [Value] {
    try fetch(query).map { $0[field] ?? .null }
  }

  /// The integer keys of the records of a query, in its order.
  func ids(_ query: Query) throws -> [Value] { try column("id", query) }

  /// One field of one record, or nil.
  func value(_ field: String, of key: Key, in collection: String) throws -> Value? {
    try get(key, in: collection)?[field]
  }
}

extension WriteTransaction {
  /// Inserts `ids` into a collection of ``Shapes/item(_:indexes:)``, names and ranks after the id.
  func insertItems(_ ids: some Sequence<Int>, into collection: String = "item") throws {
    for id in ids {
      try insert(
        [
          "id": .integer(Int64(id)), "name": .text("name \(id)"), "rank": .integer(Int64(id % 10)),
        ],
        into: collection
      )
    }
  }
}

/// A transaction or cursor kept beyond its scope, to check that it refuses.
///
/// Sound because the case that keeps it uses it from one thread at a time, after its scope ended.
final class Escaped<Handle>: @unchecked Sendable {
  var handle: Handle?
}
