import Synchronization

/// A model's collection: its name, its primary key and its indexes, by key path.
///
/// Making one never fails and never traps. It is resolved when it is first used, and a mistake in it
/// (a key path that is no stored field, a name that no store takes) is an error there, with the code
/// ``StorageError/Code/invalidSchema`` and the key path in its message.
public struct Schema<M: Model>: Sendable {
  /// The collection's name.
  public let name: String
  let key: [any PartialKeyPath<M> & Sendable]
  let indexes: [SchemaIndex<M>]
  private let resolution = SchemaResolution<M>()

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - name: the collection's name.
  ///   - key: the primary key's properties, most significant first. A single property of optional
  ///     integer type makes the key automatic: the store assigns it where it is nil.
  ///   - indexes: ``Index`` and ``Unique`` entries.
  public init(
    _ name: String,
    key: (any PartialKeyPath<M> & Sendable)...,
    @SchemaBuilder<M> indexes: () -> [SchemaIndex<M>] = { [] }
  ) {
    self.name = name
    self.key = key
    self.indexes = indexes()
  }

  /// The definition of the collection, as the store keeps it.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema``.
  public var definition: CollectionDefinition {
    get throws(StorageError) { try resolved().definition }
  }

  /// The schema with all names and types found out; worked out once.
  func resolved() throws(StorageError) -> ResolvedSchema<M> {
    if let known = resolution.result.withLock({ $0 }) { return try known.get() }
    // Outside the lock, since the model's own decoding may use its schema.
    let fresh: Result<ResolvedSchema<M>, StorageError>
    do throws(StorageError) {
      fresh = .success(try ResolvedSchema(self))
    } catch {
      fresh = .failure(error)
    }
    resolution.result.withLock { $0 = $0 ?? fresh }
    return try fresh.get()
  }
}

/// The outcome of resolving a schema, once it is known.
private final class SchemaResolution<M: Model>: Sendable {
  let result = Mutex<Result<ResolvedSchema<M>, StorageError>?>(nil)
}

/// One index of a schema.
public struct SchemaIndex<M: Model>: Sendable {
  let fields: [any PartialKeyPath<M> & Sendable]
  let isUnique: Bool
  let name: String?
}

/// A plain index over one or several properties, most significant first.
public struct Index<M: Model>: Sendable {
  let part: SchemaIndex<M>

  /// Creates an index; without a name it is called after its stored fields.
  public init(_ fields: (any PartialKeyPath<M> & Sendable)..., name: String? = nil) {
    part = SchemaIndex(fields: fields, isUnique: false, name: name)
  }
}

/// A unique index: no two records hold equal non-null values.
public struct Unique<M: Model>: Sendable {
  let part: SchemaIndex<M>

  /// Creates a unique index; without a name it is called after its stored fields.
  public init(_ fields: (any PartialKeyPath<M> & Sendable)..., name: String? = nil) {
    part = SchemaIndex(fields: fields, isUnique: true, name: name)
  }
}

/// Collects the indexes of a ``Schema``.
@resultBuilder
public enum SchemaBuilder<M: Model> {
  /// Takes a plain index.
  public static func buildExpression(_ index: Index<M>) -> [SchemaIndex<M>] { [index.part] }
  /// Takes a unique index.
  public static func buildExpression(_ index: Unique<M>) -> [SchemaIndex<M>] { [index.part] }
  /// Joins the entries.
  public static func buildBlock(_ parts: [SchemaIndex<M>]...) -> [SchemaIndex<M>] {
    parts.flatMap { $0 }
  }
}
