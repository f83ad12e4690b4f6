/// One figure over records, by field name.
public enum Aggregate: Sendable, Hashable {
  /// The number of records.
  case count
  /// The exact total of an integer or real field, rounded once.
  case sum(String)
  /// The exact mean of an integer or real field, rounded once.
  case average(String)
  /// The smallest value of a field.
  case minimum(String)
  /// The largest value of a field.
  case maximum(String)
}

extension BoundAggregate {
  /// Binds figures to a collection and checks their types.
  init(
    _ collection: Collection,
    _ figures: [Aggregate],
    groupBy: [String],
    filter: Filter
  ) throws(StorageError) {
    var functions: [Function] = []
    for figure in figures {
      switch figure {
      case .count: functions.append(.count)
      case .sum(let field): functions.append(.sum(try Self.number(field, collection)))
      case .average(let field): functions.append(.average(try Self.number(field, collection)))
      case .minimum(let field): functions.append(.minimum(try Self.ordered(field, collection)))
      case .maximum(let field): functions.append(.maximum(try Self.ordered(field, collection)))
      }
    }
    var groups: [Int] = []
    for field in groupBy { groups.append(try collection.position(of: field)) }
    self.init(
      collection: collection,
      filter: try FilterBinder.bind(filter, to: collection),
      functions: functions,
      groupBy: groups
    )
  }

  private static func number(_ field: String, _ collection: Collection) throws(StorageError) -> Int
  {
    let position = try collection.position(of: field)
    let type = collection.fields[position].type
    guard type == .integer || type == .real else {
      throw StorageError(
        .typeMismatch,
        "field \(field) of \(collection.name) is \(type); sums take integer or real"
      )
    }
    return position
  }

  private static func ordered(_ field: String, _ collection: Collection) throws(StorageError) -> Int
  {
    let position = try collection.position(of: field)
    guard collection.fields[position].type.isOrdered else {
      throw StorageError(
        .typeMismatch,
        "field \(field) of \(collection.name) is \(collection.fields[position].type), "
          + "which has no order"
      )
    }
    return position
  }
}
