/// How the rows of a collection change with its definition: where each field of the new row comes
/// from.
///
/// A backend applies it to every row of the collection, in any order. Not Sendable: it holds the
/// buffer of the row that it made last.
public final class RowChange {
  /// Where a field of the new row comes from.
  public enum Source: Sendable, Hashable, Codable {
    /// The field at a position of the old row, as it is.
    case field(Int)
    /// The field at a position of the old row, converted to another type.
    case converted(Int, FieldType)
    /// The same value in every row.
    case value(Value)
  }

  /// The sources, one for each field of the new row.
  public let sources: [Source]
  private let definition: CollectionDefinition
  private let buffer = RowBuffer()

  /// Creates a change to rows of `definition`, for backends that replay a journal.
  public init(_ sources: [Source], to definition: CollectionDefinition) {
    self.sources = sources
    self.definition = definition
  }

  /// Makes the new row of an old one.
  ///
  /// - Returns: the row, valid until the next call; it may borrow bytes of the old one.
  /// - Throws: ``StorageError/Code/invalidValue`` if a value cannot be converted without loss, or
  ///   null is left in a required field.
  public func apply(_ row: RowView) throws(StorageError) -> RowView {
    buffer.reset(count: sources.count)
    for (position, source) in sources.enumerated() {
      switch source {
      case .field(let old): buffer.setSlot(position, row.slots[old])
      case .value(let value): buffer.set(position, value)
      case .converted(let old, let type):
        let field = definition.fields[position]
        guard
          let value = ValueConversion.convert(try row.value(old), from: type, to: field.type)
        else {
          throw StorageError(
            .invalidValue,
            "field \(field.name) of \(definition.name) holds a value that is no \(field.type.rawValue)"
              + " without loss; change it first"
          )
        }
        buffer.set(position, value)
      }
    }
    for (position, field) in definition.fields.enumerated()
    where !field.isOptional && buffer.view.isNull(position) {
      throw StorageError(
        .invalidValue,
        "field \(field.name) of \(definition.name) is null in a record and cannot be required; "
          + "fill it first"
      )
    }
    return buffer.view
  }
}
