/// What a modification does to one field: leaves it alone, or sets it (to nil as well).
public enum Change<Value: Sendable>: Sendable {
  /// Leave the field as it is.
  case keep
  /// Give the field this value.
  case set(Value)

  /// Carries the change out.
  func apply(to value: inout Value) {
    if case .set(let new) = self { value = new }
  }
}
