import Holdfast

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
