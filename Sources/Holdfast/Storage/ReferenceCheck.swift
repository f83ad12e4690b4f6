/// Checks of references as a whole: of their declaration, and of all records.
enum ReferenceCheck {
  /// Checks that a reference leads to the primary key of its target, type by type.
  ///
  /// - Throws: ``StorageError/Code/invalidSchema``.
  static func checkTarget(
    _ reference: Collection.Reference,
    _ collection: Collection,
    _ catalog: Catalog,
    mustExist: Bool
  ) throws(StorageError) {
    let definition = reference.definition
    guard let target = catalog.collection(named: definition.target) else {
      if !mustExist { return }
      throw StorageError(
        .invalidSchema,
        "reference \(definition.name) of \(collection.name) leads to collection "
          + "\(definition.target), which is not there; create it in the same transaction"
      )
    }
    let fields = reference.positions.map { collection.fields[$0].type }
    let key = target.keyPositions.map { target.fields[$0].type }
    guard fields == key else {
      throw StorageError(
        .invalidSchema,
        "reference \(definition.name) of \(collection.name) must have the types of the key of "
          + "\(target.name): \(key.map(\.rawValue).joined(separator: ", "))"
      )
    }
  }

  /// The keys of some records whose reference leads to no record.
  ///
  /// O(n), a get for each value.
  static func brokenKeys(
    _ reference: Collection.Reference,
    of collection: Collection,
    _ reader: any StorageReader,
    limit: Int
  ) throws(StorageError) -> [Key] {
    let target = reader.catalog.collection(named: reference.definition.target)
    let cursor = try reader.scan(Scan(collection, index: reference.index))
    defer { cursor.close() }
    let last = RowBuffer()
    var isLastBroken = false
    var keys: [Key] = []
    while keys.count < limit, let row = try cursor.next() {
      if reference.positions.contains(where: { row.isNull($0) }) { continue }
      let isSame =
        last.count == reference.positions.count
        && reference.positions.enumerated().allSatisfy {
          RowView.Slot.areEqual(last.view.slots[$0], row.slots[$1])
        }
      if !isSame {
        last.reset(count: reference.positions.count)
        for (part, position) in reference.positions.enumerated() {
          last.copyField(part, row.slots[position])
        }
      }
      let key = try isSame && !isLastBroken ? nil : collection.key(of: row)
      if !isSame {
        isLastBroken = true
        if let target, KeyCoding.encodedLength(last.view) <= KeyCoding.maximumKeyLength {
          isLastBroken = try reader.get(last.view, in: target) == nil
        }
      }
      if isLastBroken, let key { keys.append(key) }
    }
    return keys
  }
}
