extension BoundQuery {
  /// Binds a query to its collection, its token turned into a condition.
  ///
  /// - Throws: ``StorageError/Code/invalidQuery`` for a negative limit or offset;
  ///   ``StorageError/Code/invalidCursor``; what binding the filter throws.
  init(_ query: Query, _ collection: Collection) throws(StorageError) {
    try query.checkPart()
    var order: [Order] = []
    for sort in query.sort {
      let position = try collection.position(of: sort.field)
      guard collection.fields[position].type.isOrdered else {
        throw StorageError(
          .typeMismatch,
          "field \(sort.field) of \(collection.name) is \(collection.fields[position].type), "
            + "which has no order to sort by"
        )
      }
      if !order.contains(where: { $0.position == position }) {
        order.append(Order(position, descending: sort.isDescending))
      }
    }
    for position in collection.keyPositions
    where !order.contains(where: { $0.position == position }) {
      order.append(Order(position))
    }
    var filter = try FilterBinder.bind(query.filter, to: collection)
    if let token = query.after {
      let values = try token.values(for: query, collection, count: order.count)
      filter = filter.and(try PageToken.condition(after: values, order, collection))
    }
    self.init(
      collection: collection,
      filter: filter,
      order: order,
      limit: query.limit,
      offset: query.offset
    )
  }
}

extension Query {
  /// Throws for a negative limit or offset.
  func checkPart() throws(StorageError) {
    if let limit, limit < 0 {
      throw StorageError(.invalidQuery, "the limit is \(limit); it cannot be negative")
    }
    if offset < 0 {
      throw StorageError(.invalidQuery, "the offset is \(offset); it cannot be negative")
    }
  }
}
