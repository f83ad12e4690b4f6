import Holdfast

extension ModelContent {
  /// A change of the schema.
  mutating func change(_ step: ModelStep) -> ModelExpectation {
    switch step {
    case .create(let definition): return create(definition)
    case .drop(let name):
      guard self[name] != nil else { return .fails([.unknownCollection]) }
      let isReferredTo = collections.contains { other in
        other.definition.name != name
          && other.definition.references.contains { $0.target == name }
      }
      if isReferredTo { return .fails([.referenceViolation]) }
      collections.removeAll { $0.definition.name == name }
    case .rename(let name, let new):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      if name == new { return .done("done") }
      if !ModelRules.isName(new) { return .fails([.invalidName]) }
      if isTaken(new, except: collection.definition.name) { return .fails([.nameConflict]) }
      for index in collections.indices {
        if collections[index].definition.name == name { collections[index].definition.name = new }
        for place in collections[index].definition.references.indices
        where collections[index].definition.references[place].target == name {
          collections[index].definition.references[place].target = new
        }
      }
    case .alter(let name, let changes):
      guard let collection = self[name] else { return .fails([.unknownCollection]) }
      return alter(collection, changes)
    default: break
    }
    schemaChanges += 1
    return .done("done")
  }

  private func isTaken(_ name: String, except kept: String?) -> Bool {
    collections.contains {
      $0.definition.name != kept && ModelRules.areAlike($0.definition.name, name)
    }
  }

  private mutating func create(_ definition: CollectionDefinition) -> ModelExpectation {
    var codes: [StorageError.Code] = []
    if isTaken(definition.name, except: nil) { codes.append(.nameConflict) }
    let completed = Self.completed(definition)
    codes += Self.faults(completed)
    if codes.isEmpty {
      var changed = self
      changed.collections.append(ModelCollection(definition: completed))
      if changed.hasWrongTarget { codes.append(.invalidSchema) } else { self = changed }
    }
    if !codes.isEmpty { return .fails(codes) }
    schemaChanges += 1
    return .done("done")
  }

  /// With the indexes that references bring.
  static func completed(_ definition: CollectionDefinition) -> CollectionDefinition {
    var completed = definition
    for reference in definition.references {
      let lists = [completed.key] + completed.indexes.map(\.fields)
      if lists.contains(where: { Array($0.prefix(reference.fields.count)) == reference.fields }) {
        continue
      }
      var name = reference.fields.joined(separator: "_")
      while completed.indexes.contains(where: { ModelRules.areAlike($0.name, name) }) {
        name += "_reference"
      }
      completed.indexes.append(IndexDefinition(reference.fields, name: name))
    }
    return completed
  }

  /// Whether a reference leads to a collection whose key is of other types.
  private var hasWrongTarget: Bool {
    collections.contains { collection in
      collection.definition.references.contains { reference in
        guard let target = self[reference.target] else { return false }
        let types = collection.positions(reference.fields).map {
          collection.definition.fields[$0].type
        }
        return types != target.keyPositions.map { target.definition.fields[$0].type }
      }
    }
  }

  private mutating func alter(_ collection: ModelCollection, _ changes: [SchemaChange])
    -> ModelExpectation
  {
    var edit = ModelEdit(collection)
    for change in changes {
      if let code = edit.apply(change) { return .fails([code]) }
    }
    let definition = Self.completed(edit.definition)
    let codes = Self.faults(definition)
    if !codes.isEmpty { return .fails(codes) }
    var altered = ModelCollection(definition: definition)
    altered.rows = edit.rows
    altered.lastKey = collection.lastKey
    var changed = self
    changed[collection.definition.name] = altered
    if changed.hasWrongTarget { return .fails([.invalidSchema]) }
    let rowCodes = altered.rowFaults(edit, changed)
    if !rowCodes.isEmpty { return .fails(rowCodes) }
    if ModelStep.text(definition) != ModelStep.text(collection.definition)
      || ModelText.rows(altered.rows) != ModelText.rows(collection.rows)
    {
      changed.schemaChanges += 1
    }
    self = changed
    return .done("done")
  }
}

extension ModelCollection {
  /// All codes with which rows may stand in the way of their new definition.
  fileprivate func rowFaults(_ edit: ModelEdit, _ content: ModelContent) -> [StorageError.Code] {
    var codes: [StorageError.Code] = edit.lossy.isEmpty ? [] : [.invalidValue]
    for (position, field) in definition.fields.enumerated()
    where !field.isOptional && rows.contains(where: { ModelRules.isNull($0[position]) }) {
      codes.append(.invalidValue)
    }
    for index in definition.indexes where index.isUnique {
      let positions = positions(index.fields)
      let values = rows.map { row in positions.map { row[$0] } }
        .filter { !$0.contains(where: ModelRules.isNull) }
      let sorted = values.sorted { Oracle.order($0, $1) < 0 }
      if zip(sorted, sorted.dropFirst()).contains(where: { Oracle.order($0, $1) == 0 }) {
        codes.append(.uniqueViolation)
      }
    }
    if rows.contains(where: { content.broken($0, self) != nil }) {
      codes.append(.referenceViolation)
    }
    return codes
  }
}

/// A collection under change.
struct ModelEdit {
  private(set) var definition: CollectionDefinition
  private(set) var rows: [[Value]]
  /// The fields in which a value had no counterpart of another type.
  private(set) var lossy: Set<String> = []

  init(_ collection: ModelCollection) {
    definition = collection.definition
    rows = collection.rows
  }

  private func position(_ name: String) -> Int? {
    definition.fields.firstIndex { $0.name == name }
  }

  /// Makes one change.
  ///
  /// - Returns: the code with which it is refused; nil if it is not.
  mutating func apply(_ change: SchemaChange) -> StorageError.Code? {
    switch change {
    case .addField(var field):
      field.defaultValue = field.defaultValue.map { ModelRules.stored($0, field) }
      let value = field.defaultValue ?? .null
      if !field.isOptional, ModelRules.isNull(value) { return .invalidSchema }
      definition.fields.append(field)
      for index in rows.indices { rows[index].append(value) }
    case .dropField(let name):
      guard let position = position(name) else { return .unknownField }
      let lists =
        [definition.key] + definition.indexes.map(\.fields) + definition.references.map(\.fields)
      if lists.contains(where: { $0.contains(name) }) { return .invalidSchema }
      definition.fields.remove(at: position)
      // What is gone need not have been converted.
      lossy.remove(name)
      for index in rows.indices { rows[index].remove(at: position) }
    case .renameField(let name, let new):
      guard let position = position(name) else { return .unknownField }
      rename(position, name, new)
    case .setOptional(let name, let isOptional):
      guard let position = position(name) else { return .unknownField }
      definition.fields[position].isOptional = isOptional
    case .changeType(let name, let type): return changeType(name, to: type)
    case .setDefault(let name, let value):
      guard let position = position(name) else { return .unknownField }
      definition.fields[position].defaultValue = value.map {
        ModelRules.stored($0, definition.fields[position])
      }
    case .addIndex(let index): definition.indexes.append(index)
    case .dropIndex(let name):
      guard let place = definition.indexes.firstIndex(where: { $0.name == name }) else {
        return .invalidSchema
      }
      definition.indexes.remove(at: place)
      if ModelContent.completed(definition).indexes.count > definition.indexes.count {
        return .invalidSchema
      }
    case .addReference(let reference): definition.references.append(reference)
    case .dropReference(let fields):
      guard let place = definition.references.firstIndex(where: { $0.fields == fields }) else {
        return .invalidSchema
      }
      definition.references.remove(at: place)
    }
    return nil
  }

  private mutating func rename(_ position: Int, _ name: String, _ new: String) {
    func renamed(_ fields: [String]) -> [String] { fields.map { $0 == name ? new : $0 } }
    definition.fields[position].name = new
    if lossy.remove(name) != nil { lossy.insert(new) }
    definition.key = renamed(definition.key)
    for place in definition.indexes.indices {
      let old = definition.indexes[place]
      definition.indexes[place].fields = renamed(old.fields)
      // An index that is called after its fields goes on being so.
      if old.name == old.fields.joined(separator: "_") {
        definition.indexes[place].name = renamed(old.fields).joined(separator: "_")
      }
    }
    for place in definition.references.indices {
      definition.references[place].fields = renamed(definition.references[place].fields)
    }
  }

  private mutating func changeType(_ name: String, to type: FieldType) -> StorageError.Code? {
    guard let position = position(name) else { return .unknownField }
    let old = definition.fields[position].type
    if old == type { return nil }
    let lists = [definition.key] + definition.references.map(\.fields)
    if lists.contains(where: { $0.contains(name) }) { return .invalidSchema }
    definition.fields[position].type = type
    if let value = definition.fields[position].defaultValue {
      guard let converted = ModelConversion.convert(value, old, type) else { return .invalidSchema }
      definition.fields[position].defaultValue = converted
    }
    for index in rows.indices {
      if let converted = ModelConversion.convert(rows[index][position], old, type) {
        rows[index][position] = converted
      } else {
        lossy.insert(name)
      }
    }
    return nil
  }
}

/// Values as another type holds them, for the changes of type that histories make.
enum ModelConversion {
  /// The types that a field of a type may be changed to in histories.
  static func targets(of type: FieldType) -> [FieldType] {
    switch type {
    case .integer: [.real, .text, .bool, .any]
    case .real: [.integer, .text, .any]
    case .bool: [.integer, .text, .any]
    case .text: [.integer, .any, .bool, .blob]
    case .blob: [.uuid, .any]
    case .uuid: [.blob, .any]
    case .date: [.text, .any]
    case .decimal: [.text, .any]
    case .json, .any: [.any]
    }
  }

  /// The value, or nil if it has no exact counterpart.
  static func convert(_ value: Value, _ old: FieldType, _ new: FieldType) -> Value? {
    if ModelRules.isNull(value) || new == .any { return value }
    switch (old, new, value) {
    case (.integer, .real, .integer(let integer)):
      let real = Value.real(Double(integer))
      // A plain nil beside a value would be null.
      return Oracle.order(value, real) == 0 ? .some(real) : nil
    case (.integer, .text, .integer(let integer)): return .text("\(integer)")
    case (.integer, .bool, .integer(let integer)):
      return integer == 0 || integer == 1 ? .some(value) : nil
    case (.real, .integer, .real(let real)):
      return Int64(exactly: real).map { .integer($0) }
    case (.real, .text, .real(let real)):
      return .text(real == .infinity ? "Infinity" : real == -.infinity ? "-Infinity" : "\(real)")
    case (.bool, .integer, _): return value
    case (.bool, .text, .integer(let integer)): return .text(integer == 0 ? "false" : "true")
    case (.text, .integer, .text(let text)): return Int64(text).map { .integer($0) }
    case (.text, .bool, .text(let text)):
      return ["true": .integer(1), "false": .integer(0)][text]
    case (.blob, .uuid, .blob(let bytes)): return bytes.count == 16 ? .some(value) : nil
    case (.uuid, .blob, _), (.date, .text, _), (.decimal, .text, _): return value
    default: return nil
    }
  }
}
