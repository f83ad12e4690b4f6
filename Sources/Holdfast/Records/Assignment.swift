/// What an update gives one property of each record that it meets.
///
/// ```swift
/// try await users.update(where: \.city == "York", set: .value(\.city, "London"), .increment(\.moves))
/// ```
public struct Assignment<M: Model>: Sendable {
  private let property: any PartialKeyPath<M> & Sendable
  private let value: any Encodable & Sendable
  /// What an increment may lead to; nil for a plain value.
  private let range: ClosedRange<Int64>?

  /// A value.
  public static func value<V: Encodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    _ value: V
  ) -> Assignment { Assignment(property: property, value: value, range: nil) }

  /// What the property holds plus a number, which may be negative.
  public static func increment<V: Numeric & Encodable & Sendable>(
    _ property: any KeyPath<M, V> & Sendable,
    by amount: V = 1
  ) -> Assignment { Assignment(property: property, value: amount, range: .values(of: V.self)) }

  /// What the property holds plus a number, which may be negative; null stays null.
  public static func increment<V: Numeric & Encodable & Sendable>(
    _ property: any KeyPath<M, V?> & Sendable,
    by amount: V = 1
  ) -> Assignment { Assignment(property: property, value: amount, range: .values(of: V.self)) }

  /// The assignment by stored names.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema`` for a key path that is no stored property;
  ///   ``StorageError/Code/invalidValue`` for a value that the field cannot hold.
  func stored(_ schema: ResolvedSchema<M>) throws -> FieldAssignment {
    let position = try schema.position(of: property)
    let name = schema.layout.names[position]
    let value = try schema.layout.value(of: value, position)
    guard let range else { return .value(name, value) }
    if type(of: property).valueType is any OfFloat.Type {
      throw StorageError(
        .typeMismatch,
        "\(schema.layout.describe(position)) is a Float, which cannot hold every sum; "
          + "update the models, or make it a Double"
      )
    }
    return .increment(name, by: value, within: range)
  }
}

extension ClosedRange<Int64> {
  /// The integers that a type and a field have room for; all for other types.
  static func values<V: Numeric>(of type: V.Type) -> ClosedRange<Int64> {
    guard let type = type as? any FixedWidthInteger.Type else { return .min ... .max }
    return Int64(clamping: type.min)...Int64(clamping: type.max)
  }
}

/// `Float`, or one that may be null.
private protocol OfFloat {}
extension Float: OfFloat {}
extension Optional: OfFloat where Wrapped == Float {}
