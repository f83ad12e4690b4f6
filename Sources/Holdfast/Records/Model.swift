import Synchronization

/// A record type: a plain `Codable` struct that says in which collection it is kept.
///
/// ```swift
/// struct User: Model {
///   var id: Int64?
///   var name: String
///   var city: String?
/// }
/// ```
///
/// This is enough: the collection is called `user`, and its key is `id`, which the store assigns
/// where it is nil. Other keys, indexes and names take one ``Schema``:
///
/// ```swift
///   static let schema = Schema<User>("user", key: \.id) { Index(\.city) }
/// ```
///
/// The fields are those of the type's own `Codable` conformance, in its order and under its
/// `CodingKeys`; nothing is listed twice. A property of optional type may be null. Integers are
/// `integer` fields, `Double` and `Float` `real`, `Bool` `bool`, `String`, `URL` and `Duration`
/// `text`, `Date` `date`, `Data` and `[UInt8]` `blob`, `UUID` `uuid`, `Decimal` `decimal`; an enum
/// or wrapper that encodes as one of these is kept as it, and everything else (nested types, arrays,
/// dictionaries) as `json`.
///
/// A `Duration` is the text of its seconds, and is sorted as text: keep an integer of milliseconds
/// instead to sort or compare. A `Decimal` is found by equality only, and is not sorted by.
///
/// To find this out, the model is decoded from made-up values. One that refuses them, because its
/// own `init(from:)` checks what it reads, gives samples to its schema.
public protocol Model: Codable, Sendable {
  /// The collection's name, key and indexes.
  static var schema: Schema<Self> { get }
}

extension Model {
  /// A collection named after the type, with the key `id` and no indexes.
  public static var schema: Schema<Self> { DefaultSchemas.schema(of: Self.self) }
}

/// The schemas of models that declare none: each made once, since resolving one takes time.
private enum DefaultSchemas {
  private static let known = Mutex<[ObjectIdentifier: any Sendable]>([:])

  static func schema<M: Model>(of type: M.Type) -> Schema<M> {
    known.withLock { known in
      if let schema = known[ObjectIdentifier(type)] as? Schema<M> { return schema }
      let schema = Schema<M>()
      known[ObjectIdentifier(type)] = schema
      return schema
    }
  }
}
