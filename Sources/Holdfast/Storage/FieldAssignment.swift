/// What an update by query gives one field of each record.
public enum FieldAssignment: Sendable, Hashable {
  /// A value, or null.
  case value(String, Value)
  /// What the field holds plus a number, which may be negative; null stays null.
  ///
  /// An integer outside `within` is ``StorageError/Code/overflow``.
  case increment(String, by: Value, within: ClosedRange<Int64> = .min ... .max)
}

/// An assignment bound to a collection.
struct BoundAssignment {
  private let position: Int
  private let value: Value
  private let isIncrement: Bool
  private let range: ClosedRange<Int64>
  private let collection: Collection

  /// Binds an assignment and checks its types.
  ///
  /// - Throws: ``StorageError/Code/unknownField``, ``StorageError/Code/typeMismatch``,
  ///   ``StorageError/Code/invalidValue``.
  init(_ assignment: FieldAssignment, _ collection: Collection) throws(StorageError) {
    self.collection = collection
    switch assignment {
    case .value(let name, let value):
      position = try collection.position(of: name)
      self.value = try collection.fields[position].stored(value, in: collection.name)
      isIncrement = false
      range = .min ... .max
    case .increment(let name, let amount, let range):
      position = try collection.position(of: name)
      let field = collection.fields[position]
      value = try field.stored(amount, in: collection.name)
      guard field.type == .integer || field.type == .real, value.kind == field.type.storedKind
      else {
        throw StorageError(
          .typeMismatch,
          "field \(name) of \(collection.name) is \(field.type); "
            + "an increment adds a number to integer or real"
        )
      }
      isIncrement = true
      self.range = range
      if collection.keyPositions.contains(position) { throw changesKey() }
    }
  }

  /// Gives a record's field its new value.
  ///
  /// - Throws: ``StorageError/Code/overflow``; ``StorageError/Code/invalidValue`` for a change of the
  ///   key.
  func apply(to row: RowBuffer) throws(StorageError) {
    guard isIncrement else {
      if collection.keyPositions.contains(position), try row.view.value(position) != value {
        throw changesKey()
      }
      return row.set(position, value)
    }
    switch (row.view.kind(position), value) {
    case (.integer, .integer(let amount)):
      let (sum, overflow) = row.view.integer(position).addingReportingOverflow(amount)
      if overflow || !range.contains(sum) {
        throw StorageError(
          .overflow,
          "field \(collection.fields[position].name) of \(collection.name) has no room for "
            + "the sum; nothing was changed"
        )
      }
      row.setInteger(position, sum)
    case (.real, .real(let amount)): row.setReal(position, row.view.real(position) + amount)
    default: break
    }
  }

  /// The field's value in a row.
  func value(in row: RowView) throws(StorageError) -> Value { try row.value(position) }

  private func changesKey() -> StorageError {
    StorageError(
      .invalidValue,
      "field \(collection.fields[position].name) is in the key of \(collection.name), which an "
        + "update cannot change; insert a new record and delete the old one"
    )
  }
}
