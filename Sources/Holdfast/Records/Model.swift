/// A record type: a plain `Codable` struct that says in which collection it is kept.
///
/// ```swift
/// struct User: Model {
///   var id: Int64?
///   var name: String
///   var city: String?
///   static let schema = Schema<User>("user", key: \.id) {
///     Index(\.city)
///   }
/// }
/// ```
///
/// The fields are those of the type's own `Codable` conformance, in its order and under its
/// `CodingKeys`; nothing is listed twice. A property of optional type may be null. Integers are
/// `integer` fields, `Double` and `Float` `real`, `Bool` `bool`, `String`, `URL` and `Duration`
/// `text`, `Date` `date`, `Data` and `[UInt8]` `blob`, `UUID` `uuid`, `Decimal` `decimal`; an enum
/// or wrapper that encodes as one of these is kept as it, and everything else (nested types, arrays,
/// dictionaries) as `json`.
public protocol Model: Codable, Sendable {
  /// The collection's name, key and indexes.
  static var schema: Schema<Self> { get }
}
