import Synchronization

/// A model's collection: its name, its primary key, its indexes, defaults and
/// references, by key path.
///
/// ```swift
/// static let schema = Schema<User>("user", key: \.id) {
///   Index(\.city, \.age)
///   Unique(\.name)
///   Default(\.stars, 0)
///   Reference(\.team, to: Team.self, onDelete: .setNull)
/// }
/// ```
///
/// Everything may be left out: the name is then the type's, its first letter in lower case, and the
/// key the property `id`. Making one never fails and never traps. It is resolved when it is first used, and a mistake in it
/// (a key path that is no stored field, a name that no store takes) is an error there, with the code
/// ``StorageError/Code/invalidSchema`` and the key path in its message.
public struct Schema<M: Model>: Sendable {
  let content: SchemaContent<M>

  /// How records become models, and models records.
  public enum Coding: Sendable {
    /// Through the model's own `init(from:)` and `encode(to:)`, whatever they do.
    case own
    /// Property by property, in memory, which is about twice as fast: for a struct whose `Codable`
    /// conformance the compiler wrote in full.
    ///
    /// The result is the same then, and only then: an `init(from:)` written by hand is not called.
    /// That it copies properties to fields is checked with the made-up values, or the samples, from
    /// which the fields are derived, and ``StorageError/Code/invalidSchema`` if it does not.
    case synthesized
  }

  /// Creates a schema.
  ///
  /// - Parameters:
  ///   - name: the collection's name.
  ///   - key: the primary key's properties, most significant first; without any the property `id`. A
  ///     single property of optional integer type makes the key automatic: the store assigns it
  ///     where it is nil.
  ///   - samples: models from which the fields are derived, where decoding made-up values is refused:
  ///     one, or several that differ in every property that queries and indexes name.
  ///   - coding: whether the model's own coding is called for each record.
  ///   - parts: ``Index``, ``Unique``, ``Default`` and ``Reference`` entries.
  public init(
    _ name: String = Schema.defaultName,
    key: (any PartialKeyPath<M> & Sendable)...,
    samples: [M] = [],
    coding: Coding = .own,
    @SchemaBuilder<M> parts: () -> [SchemaPart<M>] = { [] }
  ) {
    var indexes: [SchemaIndex<M>] = []
    var defaults: [SchemaDefault<M>] = []
    var references: [SchemaReference<M>] = []
    for part in parts() {
      switch part.content {
      case .index(let index): indexes.append(index)
      case .fallback(let entry): defaults.append(entry)
      case .reference(let reference): references.append(reference)
      }
    }
    content = SchemaContent(
      name: name,
      key: key,
      samples: samples,
      coding: coding,
      indexes: indexes,
      defaults: defaults,
      references: references
    )
  }

  /// The collection's name.
  public var name: String { content.name }

  /// The type's name, its first letter in lower case.
  public static var defaultName: String {
    let name = String(describing: M.self)
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  /// The definition of the collection, as the store keeps it.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema``.
  public var definition: CollectionDefinition {
    get throws(StorageError) { try resolved().definition }
  }

  /// The schema with all names and types found out; worked out once.
  func resolved() throws(StorageError) -> ResolvedSchema<M> {
    if let known = try content.resolution.known() {
      return unsafeDowncast(known, to: ResolvedSchema<M>.self)
    }
    // Outside the lock, since the model's own decoding may use its schema.
    do throws(StorageError) {
      let fresh = try ResolvedSchema(content)
      content.resolution.note(.success(fresh))
      return fresh
    } catch {
      content.resolution.note(.failure(error))
      throw error
    }
  }
}

/// What a ``Schema`` says.
///
/// Every query asks for its model's schema, and counts one reference for it.
final class SchemaContent<M: Model>: Sendable {
  let name: String
  let key: [any PartialKeyPath<M> & Sendable]
  let samples: [M]
  let coding: Schema<M>.Coding
  let indexes: [SchemaIndex<M>]
  let defaults: [SchemaDefault<M>]
  let references: [SchemaReference<M>]
  let resolution = SchemaResolution()

  init(
    name: String,
    key: [any PartialKeyPath<M> & Sendable],
    samples: [M],
    coding: Schema<M>.Coding,
    indexes: [SchemaIndex<M>],
    defaults: [SchemaDefault<M>],
    references: [SchemaReference<M>]
  ) {
    self.name = name
    self.key = key
    self.samples = samples
    self.coding = coding
    self.indexes = indexes
    self.defaults = defaults
    self.references = references
  }
}

/// The outcome of resolving a schema, once it is known.
///
/// It knows nothing of the model, whose type would be looked up at each use.
final class SchemaResolution: Sendable {
  private let outcome = Mutex<Result<any AnyObject & Sendable, StorageError>?>(nil)

  /// The resolved schema; nil if none was noted.
  func known() throws(StorageError) -> (any AnyObject & Sendable)? {
    try outcome.withLock { $0 }?.get()
  }

  /// Notes the first outcome.
  func note(_ fresh: Result<any AnyObject & Sendable, StorageError>) {
    outcome.withLock { $0 = $0 ?? fresh }
  }
}

/// One entry of a schema, as ``SchemaBuilder`` collects them.
public struct SchemaPart<M: Model>: Sendable {
  enum Content {
    case index(SchemaIndex<M>)
    case fallback(SchemaDefault<M>)
    case reference(SchemaReference<M>)
  }
  let content: Content
}

/// One index of a schema.
struct SchemaIndex<M: Model>: Sendable {
  let fields: [any PartialKeyPath<M> & Sendable]
  let isUnique: Bool
  let name: String?
}

/// One default of a schema.
struct SchemaDefault<M: Model>: Sendable {
  let field: any PartialKeyPath<M> & Sendable
  let value: any Encodable & Sendable
}

/// A plain index over one or several properties, most significant first.
public struct Index<M: Model>: Sendable {
  let part: SchemaPart<M>

  /// Creates an index; without a name it is called after its stored fields.
  public init(_ fields: (any PartialKeyPath<M> & Sendable)..., name: String? = nil) {
    part = SchemaPart(content: .index(SchemaIndex(fields: fields, isUnique: false, name: name)))
  }
}

/// A unique index: no two records hold equal non-null values.
public struct Unique<M: Model>: Sendable {
  let part: SchemaPart<M>

  /// Creates a unique index; without a name it is called after its stored fields.
  public init(_ fields: (any PartialKeyPath<M> & Sendable)..., name: String? = nil) {
    part = SchemaPart(content: .index(SchemaIndex(fields: fields, isUnique: true, name: name)))
  }
}

/// The value that a record takes where a property is not given: by tools, by untyped writes, and in
/// records that were there before the property.
public struct Default<M: Model>: Sendable {
  let part: SchemaPart<M>

  /// Creates a default.
  public init<V: Encodable & Sendable>(_ field: any KeyPath<M, V> & Sendable, _ value: V) {
    part = SchemaPart(content: .fallback(SchemaDefault(field: field, value: value)))
  }
}

/// Collects the entries of a ``Schema``.
@resultBuilder
public enum SchemaBuilder<M: Model> {
  /// Takes a plain index.
  public static func buildExpression(_ index: Index<M>) -> [SchemaPart<M>] { [index.part] }
  /// Takes a unique index.
  public static func buildExpression(_ index: Unique<M>) -> [SchemaPart<M>] { [index.part] }
  /// Takes a default.
  public static func buildExpression(_ entry: Default<M>) -> [SchemaPart<M>] { [entry.part] }
  /// Takes a reference.
  public static func buildExpression(_ reference: Reference<M>) -> [SchemaPart<M>] {
    [reference.part]
  }
  /// Joins the entries.
  public static func buildBlock(_ parts: [SchemaPart<M>]...) -> [SchemaPart<M>] {
    parts.flatMap { $0 }
  }
}
