/// Whether opening made the thing or found it.
public enum Opening: String, Sendable {
  /// It was not there and was created.
  case created
  /// It was there.
  case existed
}
