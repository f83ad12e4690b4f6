/// One change to a collection's definition, the same on every backend.
///
/// See `WriteTransaction.alterCollection(_:_:)`.
public enum SchemaChange: Sendable, Hashable, Codable {
  /// Adds a field at the end; records take its default, else null. A required one needs a default.
  case addField(FieldDefinition)
  /// Drops a field with its values; not one of the key, of an index or of a reference.
  case dropField(String)
  /// Gives a field another name, in the key, indexes and references too.
  case renameField(String, to: String)
  /// Lets a field be null, or not any more; there must be no null in it then.
  case setOptional(String, Bool)
  /// Gives a field another type; every value must convert without loss. Not for fields of the key or
  /// of references.
  case changeType(String, to: FieldType)
  /// Sets the default, or removes it; records that are there stay as they are.
  case setDefault(String, Value?)
  /// Adds an index; a unique one must find no two equal values.
  case addIndex(IndexDefinition)
  /// Drops the index of that name; not the only one that a reference has.
  case dropIndex(String)
  /// Adds a reference, with an index if there is none; every record must refer to one that is there.
  case addReference(ReferenceDefinition)
  /// Drops the reference over these fields; an index that it brought stays.
  case dropReference([String])
}

/// A definition under change: what it becomes, and where the fields of its rows come from.
struct SchemaEditor {
  private(set) var definition: CollectionDefinition
  private let original: CollectionDefinition
  private var sources: [RowChange.Source]
  /// Fields that must hold no null when all changes are made, by their new names.
  private(set) var required: Set<String> = []
  /// References whose records must be checked when all changes are made.
  private(set) var added: [ReferenceDefinition] = []

  init(_ definition: CollectionDefinition) {
    self.definition = definition
    original = definition
    sources = definition.fields.indices.map { .field($0) }
  }

  /// How rows change; nil if they keep their shape.
  var rowChange: RowChange? {
    let isSame = sources == original.fields.indices.map { .field($0) }
    return isSame ? nil : newRows
  }

  /// How every new row is made, even where it is the old one.
  var newRows: RowChange { RowChange(sources, to: definition) }

  /// The editors that make changes in their order: one after the other, since a row that was
  /// converted is converted again only from what it became.
  ///
  /// - Throws: as ``apply(_:)``, and as ``CollectionDefinition/validate()``.
  static func editors(_ changes: [SchemaChange], of definition: CollectionDefinition)
    throws(StorageError) -> [SchemaEditor]
  {
    var editors = [SchemaEditor(definition)]
    for change in changes {
      let last = editors[editors.count - 1]
      if last.convertsAgain(change) { editors.append(SchemaEditor(last.definition)) }
      try editors[editors.count - 1].apply(change)
    }
    for editor in editors { try editor.definition.completed().validate() }
    return editors
  }

  /// Whether a change converts a field that is converted already.
  private func convertsAgain(_ change: SchemaChange) -> Bool {
    guard case .changeType(let name, let type) = change,
      let position = definition.fields.firstIndex(where: { $0.name == name }),
      definition.fields[position].type != type, case .converted = sources[position]
    else { return false }
    return true
  }

  /// Whether rows keep everything: their shape, and what is known of them.
  var changesNothing: Bool { definition == original && rowChange == nil }

  /// Whether values have to be looked at before rows and indexes are written: what they do not allow
  /// is refused before a unique index or a reference is, on every backend.
  var mustCheckValues: Bool {
    let refusesValues =
      !required.isEmpty
      || sources.contains { source in
        if case .converted = source { return true }
        return false
      }
    return refusesValues && (!added.isEmpty || definition.indexes.contains(where: \.isUnique))
  }

  /// Makes one change.
  ///
  /// - Throws: ``StorageError/Code/unknownField``, ``StorageError/Code/nameConflict``,
  ///   ``StorageError/Code/invalidSchema``.
  mutating func apply(_ change: SchemaChange) throws(StorageError) {
    switch change {
    case .addField(let field): try add(field)
    case .dropField(let name): try drop(name)
    case .renameField(let name, let new): try rename(name, to: new)
    case .setOptional(let name, let isOptional):
      let position = try position(name)
      definition.fields[position].isOptional = isOptional
      if isOptional { required.remove(name) } else { required.insert(name) }
    case .changeType(let name, let type): try changeType(name, to: type)
    case .setDefault(let name, let value):
      let position = try position(name)
      definition.fields[position].defaultValue = try value.map { value throws(StorageError) in
        try definition.fields[position].stored(value, in: definition.name)
      }
    case .addIndex(let index): definition.indexes.append(index)
    case .dropIndex(let name): try dropIndex(name)
    case .addReference(let reference):
      definition.references.append(reference)
      added.append(reference)
    case .dropReference(let fields):
      guard let index = definition.references.firstIndex(where: { $0.fields == fields }) else {
        throw StorageError(
          .invalidSchema,
          "\(definition.name) has no reference over \(fields.joined(separator: ", "))"
        )
      }
      definition.references.remove(at: index)
      added.removeAll { $0.fields == fields }
    }
  }

  private func position(_ name: String) throws(StorageError) -> Int {
    guard let position = definition.fields.firstIndex(where: { $0.name == name }) else {
      throw StorageError(.unknownField, "collection \(definition.name) has no field \(name)")
    }
    return position
  }

  private mutating func add(_ field: FieldDefinition) throws(StorageError) {
    var field = field
    if let value = field.defaultValue {
      field.defaultValue = try field.stored(value, in: definition.name)
    }
    guard field.isOptional || (field.defaultValue ?? .null) != .null else {
      throw StorageError(
        .invalidSchema,
        "field \(field.name) is required, so it needs a default for the records of "
          + "\(definition.name) that are there; give one, or make it optional"
      )
    }
    definition.fields.append(field)
    sources.append(.value(field.defaultValue ?? .null))
  }

  private mutating func drop(_ name: String) throws(StorageError) {
    let position = try position(name)
    if definition.key.contains(name) { throw refusal(name, "in its key") }
    if let index = definition.indexes.first(where: { $0.fields.contains(name) }) {
      throw refusal(name, "in index \(index.name); drop that first")
    }
    if let reference = definition.references.first(where: { $0.fields.contains(name) }) {
      throw refusal(name, "in reference \(reference.name); drop that first")
    }
    definition.fields.remove(at: position)
    sources.remove(at: position)
    required.remove(name)
  }

  private mutating func rename(_ name: String, to new: String) throws(StorageError) {
    definition.fields[try position(name)].name = new
    func renamed(_ fields: [String]) -> [String] { fields.map { $0 == name ? new : $0 } }
    definition.key = renamed(definition.key)
    for position in definition.indexes.indices {
      let old = definition.indexes[position]
      let fields = renamed(old.fields)
      definition.indexes[position].fields = fields
      // An index that is called after its fields goes on being so.
      if old.name == old.fields.joined(separator: "_") {
        definition.indexes[position].name = fields.joined(separator: "_")
      }
    }
    for position in definition.references.indices {
      definition.references[position].fields = renamed(definition.references[position].fields)
    }
    added = added.map {
      ReferenceDefinition(renamed($0.fields), to: $0.target, onDelete: $0.onDelete)
    }
    if required.remove(name) != nil { required.insert(new) }
  }

  private mutating func changeType(_ name: String, to type: FieldType) throws(StorageError) {
    let position = try position(name)
    let field = definition.fields[position]
    if field.type == type { return }
    if definition.key.contains(name) { throw refusal(name, "in its key; make a new collection") }
    if let reference = definition.references.first(where: { $0.fields.contains(name) }) {
      throw refusal(name, "in reference \(reference.name); drop that first")
    }
    definition.fields[position].type = type
    if let value = field.defaultValue {
      guard let converted = ValueConversion.convert(value, from: field.type, to: type) else {
        throw StorageError(
          .invalidSchema,
          "the default of field \(name) of \(definition.name) is no \(type.rawValue); "
            + "set another one first"
        )
      }
      definition.fields[position].defaultValue = converted
    }
    switch sources[position] {
    case .field(let old): sources[position] = .converted(old, original.fields[old].type)
    // A second conversion is another editor's, see `convertsAgain`.
    case .converted: break
    case .value(let value):
      guard let converted = ValueConversion.convert(value, from: field.type, to: type) else {
        throw refusal(name, "holding values that are no \(type.rawValue)")
      }
      sources[position] = .value(converted)
    }
  }

  private mutating func dropIndex(_ name: String) throws(StorageError) {
    guard let position = definition.indexes.firstIndex(where: { $0.name == name }) else {
      throw StorageError(.invalidSchema, "collection \(definition.name) has no index \(name)")
    }
    var rest = definition
    rest.indexes.remove(at: position)
    if rest.completed().indexes.count > rest.indexes.count {
      let needed = definition.references.first {
        definition.indexes[position].fields.starts(with: $0.fields)
      }
      throw StorageError(
        .invalidSchema,
        "index \(name) of \(definition.name) is needed by reference "
          + "\(needed?.name ?? name); drop that first"
      )
    }
    definition = rest
  }

  private func refusal(_ name: String, _ reason: String) -> StorageError {
    StorageError(
      .invalidSchema,
      "field \(name) of \(definition.name) cannot be changed so, being \(reason)"
    )
  }
}

extension SchemaChange: CustomStringConvertible {
  /// The change in a few words, for traces and plans.
  public var description: String {
    switch self {
    case .addField(let field):
      "add field \(field.name) \(field.type.rawValue)\(field.isOptional ? ", optional" : "")"
    case .dropField(let name): "drop field \(name)"
    case .renameField(let name, let new): "rename field \(name) to \(new)"
    case .setOptional(let name, let isOptional):
      "make field \(name) \(isOptional ? "optional" : "required")"
    case .changeType(let name, let type): "change field \(name) to \(type.rawValue)"
    case .setDefault(let name, let value):
      "\(value == nil ? "remove" : "set") the default of \(name)"
    case .addIndex(let index):
      "add \(index.isUnique ? "unique index" : "index") \(index.name) "
        + "(\(index.fields.joined(separator: ", ")))"
    case .dropIndex(let name): "drop index \(name)"
    case .addReference(let reference): "add reference \(reference.name) to \(reference.target)"
    case .dropReference(let fields): "drop reference \(fields.joined(separator: "_"))"
    }
  }
}
