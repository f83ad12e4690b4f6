extension SchemaChange {
  /// The change as it is written in Swift.
  var swift: String {
    switch self {
    case .addField(let field): ".addField(\(field.swift))"
    case .dropField(let name): ".dropField(\(name.debugDescription))"
    case .renameField(let name, let new):
      ".renameField(\(name.debugDescription), to: \(new.debugDescription))"
    case .setOptional(let name, let isOptional):
      ".setOptional(\(name.debugDescription), \(isOptional))"
    case .changeType(let name, let type):
      ".changeType(\(name.debugDescription), to: .\(type.rawValue))"
    case .setDefault(let name, let value):
      ".setDefault(\(name.debugDescription), \(value?.swift ?? "nil"))"
    case .addIndex(let index): ".addIndex(\(index.swift))"
    case .dropIndex(let name): ".dropIndex(\(name.debugDescription))"
    case .addReference(let reference): ".addReference(\(reference.swift))"
    case .dropReference(let fields): ".dropReference(\(fields.debugDescription))"
    }
  }
}

extension FieldDefinition {
  fileprivate var swift: String {
    var text = "FieldDefinition(\(name.debugDescription), .\(type.rawValue)"
    if isOptional { text += ", optional: true" }
    if let defaultValue { text += ", default: \(defaultValue.swift)" }
    return text + ")"
  }
}

extension IndexDefinition {
  fileprivate var swift: String {
    var text = "IndexDefinition(\(fields.debugDescription)"
    if isUnique { text += ", unique: true" }
    if name != fields.joined(separator: "_") { text += ", name: \(name.debugDescription)" }
    return text + ")"
  }
}

extension ReferenceDefinition {
  fileprivate var swift: String {
    var text = "ReferenceDefinition(\(fields.debugDescription), to: \(target.debugDescription)"
    if onDelete != .restrict { text += ", onDelete: .\(onDelete.rawValue)" }
    return text + ")"
  }
}

extension Value {
  /// The value as it is written in Swift; for defaults, which are part of a schema.
  fileprivate var swift: String {
    switch self {
    case .null: ".null"
    case .integer(let value): ".integer(\(value))"
    case .real(let value):
      value.isFinite ? ".real(\(value))" : value > 0 ? ".real(.infinity)" : ".real(-.infinity)"
    case .text(let value): ".text(\(value.debugDescription))"
    case .blob(let value): ".blob(\(value))"
    }
  }
}
