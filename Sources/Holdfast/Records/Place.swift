/// Where a property of a model is kept: in a field, or in a part of a `json` field.
struct Place: Sendable, Hashable {
  /// The field's position.
  var position: Int
  /// The member names that lead from the field's value to the part; empty for the field itself.
  var path: [String] = []

  /// Whether this is `other` or a part of it.
  func isWithin(_ other: Place) -> Bool {
    position == other.position && path.starts(with: other.path)
  }
}
