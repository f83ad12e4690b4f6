/// The name of a preference, its type, and its value where none was set.
///
/// ```swift
/// extension PreferenceKey<Int> {
///   static let fontSize = PreferenceKey("fontSize", default: 12)
/// }
/// ```
public struct PreferenceKey<Value: Codable & Sendable>: Sendable {
  /// The name, unique among the store's preferences.
  public let name: String
  /// The value where none was set.
  public let defaultValue: Value

  /// Creates a key.
  public init(_ name: String, default defaultValue: Value) {
    self.name = name
    self.defaultValue = defaultValue
  }
}
