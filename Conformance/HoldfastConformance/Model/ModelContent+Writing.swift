import Holdfast

extension ModelContent {
  /// Steps in a row, up to the first that fails.
  ///
  /// - Returns: how that one fails; nil if none does.
  mutating func run(_ steps: [ModelStep], chosen: [Int64?]) -> ModelExpectation? {
    for (index, step) in steps.enumerated() {
      let key = index < chosen.count ? chosen[index] : nil
      let expectation = step.isSchemaChange ? change(step) : write(step, chosen: key)
      if case .fails = expectation { return expectation }
    }
    return nil
  }

  /// A body of writes at whose end references are checked.
  mutating func deferring(_ steps: [ModelStep], chosen: [Int64?]) -> ModelExpectation {
    var changed = self
    changed.isDeferring = true
    if let failure = changed.run(steps, chosen: chosen) { return failure }
    changed.isDeferring = false
    let isBroken = changed.collections.contains { collection in
      collection.rows.contains { changed.broken($0, collection) != nil }
    }
    if isBroken { return .fails([.referenceViolation]) }
    self = changed
    return .done("done")
  }

  /// A write of records.
  mutating func write(_ step: ModelStep, chosen: Int64?) -> ModelExpectation {
    switch step {
    case .insert(let name, let fields): return write(name, fields, .insert, chosen)
    case .put(let name, let fields): return write(name, fields, .put, chosen)
    case .replace(let name, let fields): return write(name, fields, .replace, nil)
    case .update(let name, let key, let fields):
      return changing(name) { content, collection in
        let before = collection
        return collection.update(key, fields) { content.broken($0, before) }
      }
    case .delete(let name, let key):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      let codes = collection.faults(ofKey: key)
      if !codes.isEmpty { return .fails(codes) }
      guard let place = collection.find(collection.stored(key: key)) else { return .done("false") }
      return delete([collection.rows[place]], from: collection) ?? .done("true")
    case .clear(let name, let filter):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      let codes = ModelRules.faults(filter, collection)
      if !codes.isEmpty { return .fails(codes) }
      let found = collection.rows.filter { collection.matches(filter, $0) }
      return delete(found, from: collection) ?? .done("\(found.count)")
    case .fill(let name, let from, let count):
      guard let definition = self[name]?.definition else { return .fails([.unknownCollection]) }
      var outcome = ModelFill.Outcome()
      for number in from..<from + count {
        switch write(name, ModelFill.fields(definition, number), .put, nil) {
        case .done, .key: outcome.stored += 1
        case .fails(let codes, _): outcome.refused[codes[0].rawValue, default: 0] += 1
        }
      }
      return .done(outcome.text)
    default: return .done("done")
    }
  }

  private mutating func write(
    _ name: String,
    _ fields: [ModelField],
    _ mode: ModelCollection.Mode,
    _ chosen: Int64?
  ) -> ModelExpectation {
    changing(name) { content, collection in
      let before = collection
      return collection.write(fields, mode, chosen: chosen) { content.broken($0, before) }
    }
  }

  private mutating func changing(
    _ name: String,
    _ body: (ModelContent, inout ModelCollection) -> ModelExpectation
  ) -> ModelExpectation {
    guard var collection = self[name] else { return .fails([.unknownCollection]) }
    let expectation = body(self, &collection)
    if case .fails = expectation { return expectation }
    self[name] = collection
    return expectation
  }
}

extension ModelCollection {
  /// How a record is written.
  enum Mode {
    case insert, put, replace
  }

  /// The record of named fields, and all codes with which it may be refused.
  private func record(_ fields: [ModelField], _ mode: Mode)
    -> (row: [Value], codes: [StorageError.Code])
  {
    var codes: [StorageError.Code] = []
    var row = definition.fields.map { field in
      mode == .replace ? .null : field.defaultValue ?? .null
    }
    for entry in fields {
      guard let position = position(entry.name) else {
        codes.append(.unknownField)
        continue
      }
      row[position] = entry.value
    }
    for (position, field) in definition.fields.enumerated() {
      row[position] =
        mode == .replace
        ? ModelRules.withoutNegativeZero(row[position]) : ModelRules.stored(row[position], field)
    }
    return (row, codes + faults(row, allowsNullKey: mode != .replace))
  }

  /// All codes with which a row may be refused before the store looks at others.
  private func faults(_ row: [Value], allowsNullKey: Bool) -> [StorageError.Code] {
    var codes: [StorageError.Code] = []
    for (position, field) in definition.fields.enumerated() {
      let isKey = definition.key.contains(field.name)
      let allowsNull =
        isKey ? definition.hasAutomaticKey && allowsNullKey : field.isOptional
      if let code = ModelRules.fault(row[position], field, allowsNull: allowsNull) {
        codes.append(code)
      }
    }
    if ModelRules.encodedLength(key(row)) > ModelRules.longestKey { codes.append(.keyTooLong) }
    return codes
  }

  /// The first unique index, in declared order, in which a row collides with another record than
  /// the one at `place`.
  private func violation(_ row: [Value], except place: Int?) -> String? {
    for index in definition.indexes where index.isUnique {
      let positions = positions(index.fields)
      let values = positions.map { row[$0] }
      if values.contains(where: ModelRules.isNull) { continue }
      for (other, candidate) in rows.enumerated()
      where other != place && Oracle.order(positions.map { candidate[$0] }, values) == 0 {
        return index.name
      }
    }
    return nil
  }

  /// Writes a record; `chosen` is the automatic key that the store gave it, `broken` names a
  /// reference of a row that leads nowhere.
  mutating func write(
    _ fields: [ModelField],
    _ mode: Mode,
    chosen: Int64?,
    broken: ([Value]) -> String?
  ) -> ModelExpectation {
    var (row, codes) = record(fields, mode)
    if !codes.isEmpty { return .fails(codes) }
    let automatic = definition.hasAutomaticKey ? keyPositions[0] : nil
    if let automatic, ModelRules.isNull(row[automatic]) {
      if lastKey == .max { return .fails([.overflow]) }
      if let name = violation(row, except: nil) { return .fails([.uniqueViolation], naming: name) }
      if let name = broken(row) { return .fails([.referenceViolation], naming: name) }
      let floor = lastKey
      let key = chosen.map { max($0, floor + 1) } ?? floor + 1
      row[automatic] = .integer(key)
      rows.append(row)
      touched.insert(ModelText.list(self.key(row)))
      lastKey = key
      return .key(above: floor)
    }
    let place = find(key(row))
    if mode == .insert, place != nil { return .fails([.duplicateKey]) }
    if mode == .replace, place == nil { return .fails([.notFound]) }
    if let name = violation(row, except: place) { return .fails([.uniqueViolation], naming: name) }
    if let name = broken(row) { return .fails([.referenceViolation], naming: name) }
    if let place { rows[place] = row } else { rows.append(row) }
    touched.insert(ModelText.list(key(row)))
    if let automatic, case .integer(let key) = row[automatic] { lastKey = max(lastKey, key) }
    return .done(mode == .replace ? "done" : ModelText.list(key(row)))
  }

  /// Changes fields of the record with a key.
  mutating func update(
    _ key: [Value],
    _ changes: [ModelField],
    broken: ([Value]) -> String?
  ) -> ModelExpectation {
    var codes = faults(ofKey: key)
    let place = codes.isEmpty ? find(stored(key: key)) : nil
    if codes.isEmpty, place == nil { codes.append(.notFound) }
    var row = place.map { rows[$0] } ?? definition.fields.map { $0.defaultValue ?? .null }
    for entry in changes {
      guard let position = position(entry.name) else {
        codes.append(.unknownField)
        continue
      }
      let field = definition.fields[position]
      let value = ModelRules.stored(entry.value, field)
      if let code = ModelRules.fault(value, field, allowsNull: field.isOptional) {
        codes.append(code)
        if definition.key.contains(entry.name) { codes.append(.invalidValue) }
      } else if definition.key.contains(entry.name), Oracle.order(row[position], value) != 0 {
        codes.append(.invalidValue)
      }
      row[position] = value
    }
    guard codes.isEmpty, let place else { return .fails(codes) }
    if let name = violation(row, except: place) { return .fails([.uniqueViolation], naming: name) }
    if let name = broken(row) { return .fails([.referenceViolation], naming: name) }
    rows[place] = row
    touched.insert(ModelText.list(self.key(row)))
    return .done("done")
  }
}

/// Records made of numbers, many at a time.
enum ModelFill {
  /// What came of putting many records.
  struct Outcome {
    var stored = 0
    var refused: [String: Int] = [:]

    var text: String {
      (["\(stored) stored"] + refused.keys.sorted().map { "\(refused[$0] ?? 0) \($0)" })
        .joined(separator: ", ")
    }
  }

  /// The record of a number: its key tells the number, other fields repeat now and then.
  static func fields(_ definition: CollectionDefinition, _ number: Int) -> [ModelField] {
    definition.fields.enumerated().map { position, field in
      let isKey = definition.key.contains(field.name)
      let mixed = isKey ? number : number * 7919 % 1009 / (position + 1)
      if !isKey, field.isOptional, mixed % 5 == 0 {
        return ModelField(name: field.name, value: .null)
      }
      return ModelField(name: field.name, value: value(field.type, mixed))
    }
  }

  private static func value(_ type: FieldType, _ number: Int) -> Value {
    switch type {
    case .integer, .any: .integer(Int64(number))
    case .real: .real(Double(number) / 8)
    case .text: .text("t\(number)" + String(repeating: "-", count: abs(number) % 40))
    case .blob: .blob(Array("b\(number)".utf8))
    case .bool: .integer(Int64(abs(number) % 2))
    case .date: .text("2026-01-31T12:00:00.\(digits(number, 9))Z")
    case .uuid: .blob(Array(digits(number, 16).utf8))
    case .decimal: .text("\(number)")
    case .json: Pools.values(of: .json)[abs(number) % 6]
    }
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = "\(abs(number) % 1_000_000_000)"
    return String(repeating: "0", count: width - text.utf8.count) + text
  }
}
