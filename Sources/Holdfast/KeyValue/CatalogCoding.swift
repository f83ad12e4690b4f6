/// The catalog in a key-value store: entries of the table `catalog`, all of them CBOR.
///
/// `format` (integer), `store` (text), `version` (integer), `next` (integer), and for each collection
/// `collection/<id>`: a map of `name`, `physical`, `fields` (maps of `name`, `type`, `optional`,
/// `default` where there is one), `key` (names), `automatic`, and `indexes` (maps of `id`, `name`,
/// `fields`, `unique`), and `references` where there are any (maps of `fields`, `target`, `delete`).
/// `migrations` is the list of the names of those applied, where there are any.
enum CatalogCoding {
  /// The table of the catalog.
  static let tableName = "catalog"
  /// The table of the automatic keys: collection id → the last key that was used.
  static let sequenceTableName = "sequence"

  static let formatKey = "format"
  static let storeKey = "store"
  static let versionKey = "version"
  static let nextKey = "next"
  static let migrationsKey = "migrations"
  static let collectionPrefix = "collection/"

  /// The table of a collection's rows.
  static func tableName(ofCollection id: Int) -> String { "c\(id)" }
  /// The table of an index's entries.
  static func tableName(ofIndex id: Int) -> String { "i\(id)" }
  /// Gives the physical names for ``Catalog/add(_:physicalName:)``.
  static func physicalName(_ name: String, _ id: Int, _ isIndex: Bool) -> String {
    isIndex ? tableName(ofIndex: id) : tableName(ofCollection: id)
  }

  // MARK: Writing

  static func item(_ collection: Collection) -> CBOR.Item {
    let definition = collection.definition
    var entries: [(String, CBOR.Item)] = [
      ("name", .text(definition.name)),
      ("physical", .text(collection.physicalName)),
      ("fields", .array(definition.fields.map(item))),
      ("key", .array(definition.key.map { .text($0) })),
      ("automatic", .bool(definition.hasAutomaticKey)),
      ("indexes", .array(collection.indexes.map(item))),
    ]
    if !definition.references.isEmpty {
      entries.append(("references", .array(definition.references.map(item))))
    }
    return map(entries)
  }

  private static func item(_ field: FieldDefinition) -> CBOR.Item {
    var entries: [(String, CBOR.Item)] = [
      ("name", .text(field.name)), ("type", .text(field.type.rawValue)),
      ("optional", .bool(field.isOptional)),
    ]
    if let value = field.defaultValue { entries.append(("default", item(value))) }
    return map(entries)
  }

  private static func item(_ index: Collection.Index) -> CBOR.Item {
    map([
      ("id", CBOR.Item(Int64(index.id))), ("name", .text(index.definition.name)),
      ("fields", .array(index.definition.fields.map { .text($0) })),
      ("unique", .bool(index.definition.isUnique)),
    ])
  }

  private static func item(_ reference: ReferenceDefinition) -> CBOR.Item {
    map([
      ("fields", .array(reference.fields.map { .text($0) })), ("target", .text(reference.target)),
      ("delete", .text(reference.onDelete.rawValue)),
    ])
  }

  private static func item(_ value: Value) -> CBOR.Item {
    switch value {
    case .null: .null
    case .integer(let value): CBOR.Item(value)
    case .real(let value): .double(value)
    case .text(let value): .text(value)
    case .blob(let value): .bytes(value)
    }
  }

  private static func map(_ entries: [(String, CBOR.Item)]) -> CBOR.Item {
    .map(entries.map { (key: .text($0.0), value: $0.1) })
  }

  // MARK: Reading

  /// Reads a collection's entry.
  ///
  /// - Throws: ``StorageError/Code/corrupt`` if it makes no sense.
  static func collection(id: Int, _ bytes: UnsafeRawBufferPointer) throws(StorageError)
    -> Collection
  {
    guard let item = CBOR.item(bytes), let name = item["name"]?.text,
      let physical = item["physical"]?.text, let fields = item["fields"]?.array?.map(field),
      let key = texts(item["key"]), let isAutomatic = item["automatic"]?.bool,
      let indexes = item["indexes"]?.array?.map(index)
    else { throw damaged("the entry of collection \(id)") }
    var definition = CollectionDefinition(name, fields: [], key: key, automaticKey: isAutomatic)
    for field in fields {
      guard let field else { throw damaged("a field of collection \(id)") }
      definition.fields.append(field)
    }
    var identities: [(id: Int, physicalName: String)] = []
    for index in indexes {
      guard let index else { throw damaged("an index of collection \(id)") }
      definition.indexes.append(index.definition)
      identities.append((index.id, tableName(ofIndex: index.id)))
    }
    for reference in item["references"]?.array?.map(reference) ?? [] {
      guard let reference else { throw damaged("a reference of collection \(id)") }
      definition.references.append(reference)
    }
    do throws(StorageError) {
      try definition.validate()
      return try Collection(
        id: id,
        definition: definition,
        physicalName: physical,
        indexes: identities
      )
    } catch {
      throw damaged("the definition of collection \(id)", underlying: error)
    }
  }

  private static func field(_ item: CBOR.Item) -> FieldDefinition? {
    guard let name = item["name"]?.text, let type = item["type"]?.text.flatMap(FieldType.init),
      let isOptional = item["optional"]?.bool
    else { return nil }
    guard let stored = item["default"] else {
      return FieldDefinition(name, type, optional: isOptional)
    }
    guard let value = value(stored) else { return nil }
    return FieldDefinition(name, type, optional: isOptional, default: value)
  }

  private static func index(_ item: CBOR.Item) -> (id: Int, definition: IndexDefinition)? {
    guard let id = item["id"]?.integer.flatMap(Int.init(exactly:)), let name = item["name"]?.text,
      let fields = texts(item["fields"]), let isUnique = item["unique"]?.bool
    else { return nil }
    return (id, IndexDefinition(fields, unique: isUnique, name: name))
  }

  private static func reference(_ item: CBOR.Item) -> ReferenceDefinition? {
    guard let fields = texts(item["fields"]), let target = item["target"]?.text,
      let rule = item["delete"]?.text.flatMap(DeleteRule.init)
    else { return nil }
    return ReferenceDefinition(fields, to: target, onDelete: rule)
  }

  private static func value(_ item: CBOR.Item) -> Value? {
    switch item {
    case .null: .null
    case .unsigned, .negative: item.integer.map { .integer($0) }
    case .double(let value): value.isNaN ? nil : .real(value)
    case .text(let value): .text(value)
    case .bytes(let value): .blob(value)
    case .array, .map, .bool: nil
    }
  }

  static func texts(_ item: CBOR.Item?) -> [String]? {
    guard let items = item?.array else { return nil }
    let texts = items.compactMap(\.text)
    return texts.count == items.count ? texts : nil
  }

  static func damaged(_ what: String, underlying: StorageError? = nil) -> StorageError {
    StorageError(
      .corrupt,
      "the store's catalog is damaged at \(what); restore a backup",
      underlying: underlying
    )
  }
}
