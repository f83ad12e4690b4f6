import Holdfast

extension ModelContent {
  /// Whether a reference leads to a collection that is not there.
  var lacksTarget: Bool {
    collections.contains { collection in
      collection.definition.references.contains { self[$0.target] == nil }
    }
  }

  /// The first reference of a row that leads to no record, not even to the row itself.
  func broken(_ row: [Value], _ collection: ModelCollection) -> String? {
    if isDeferring { return nil }
    return collection.definition.references.first { reference in
      let values = collection.positions(reference.fields).map { row[$0] }
      if values.contains(where: ModelRules.isNull) { return false }
      if reference.target == collection.definition.name,
        Oracle.order(values, collection.key(row)) == 0
      {
        return false
      }
      return self[reference.target]?.find(values) == nil
    }?.name
  }

  /// Where records refer to a key.
  private func referring(to key: [Value], of target: String)
    -> [(collection: Int, reference: ReferenceDefinition, row: [Value])]
  {
    collections.enumerated().flatMap { index, collection in
      collection.definition.references.filter { $0.target == target }.flatMap { reference in
        let positions = collection.positions(reference.fields)
        return collection.rows.filter { row in Oracle.order(positions.map { row[$0] }, key) == 0 }
          .map { (index, reference, $0) }
      }
    }
  }

  /// Deletes records and does with those that refer to them what their references say.
  ///
  /// - Returns: how it fails, with nothing deleted; nil if it does not.
  mutating func delete(_ rows: [[Value]], from collection: ModelCollection) -> ModelExpectation? {
    let before = self
    var work = rows.map { (name: collection.definition.name, key: collection.key($0)) }
    var gone: [(name: String, key: [Value])] = []
    while !work.isEmpty {
      let (name, key) = work.removeFirst()
      guard let place = self[name]?.find(key) else { continue }
      self[name]?.rows.remove(at: place)
      self[name]?.touched.insert(ModelText.list(key))
      gone.append((name, key))
      for (index, reference, row) in referring(to: key, of: name) {
        let child = collections[index]
        switch reference.onDelete {
        case .restrict: break
        case .cascade: work.append((child.definition.name, child.key(row)))
        case .setNull:
          guard let place = child.find(child.key(row)) else { continue }
          collections[index].touched.insert(ModelText.list(child.key(row)))
          for position in child.positions(reference.fields) {
            collections[index].rows[place][position] = .null
          }
        }
      }
    }
    // A record that went too does not count.
    for (name, key) in gone {
      for (_, reference, _) in referring(to: key, of: name) where reference.onDelete == .restrict {
        self = before
        // Where several stand in the way, any may be named.
        return .fails([.referenceViolation])
      }
    }
    return nil
  }
}
