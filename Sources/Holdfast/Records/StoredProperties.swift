/// The stored properties of a model: where each is in memory, and the field that holds it.
///
/// Records of a model whose `Codable` conformance the compiler wrote need not go through it: it does
/// no more than to copy each property to a field. Offsets are worked out from the types that `Mirror`
/// gives, by Swift's rule for structs (each property at the next multiple of its alignment), and
/// believed only if every one of a number of models has the same bytes there and comes out as the
/// same row, and every row as the same model.
struct StoredProperties: @unchecked Sendable {
  /// One stored property.
  ///
  /// Unchecked: metatypes do not change.
  struct Property {
    var field: String
    var offset: Int
    var type: any StoredValue.Type
  }

  let model: ObjectIdentifier
  let properties: [Property]

  /// Works out the properties of a model.
  ///
  /// - Parameters:
  ///   - models: models that differ, as far as they can, in every property.
  ///   - rows: the rows that the models' own coding makes of them.
  ///   - fields: the fields of the rows.
  ///   - layout: the same, laid out.
  /// - Throws: ``StorageError/Code/invalidSchema`` if the model's coding does anything else.
  init<M: Model>(_ models: [M], _ rows: [[Value]], _ fields: [FieldDefinition], _ layout: RowLayout)
    throws(StorageError)
  {
    model = ObjectIdentifier(M.self)
    guard let model = models.first, !(M.self is any CustomReflectable.Type) else {
      throw Self.refusal(M.self, "it describes itself to Mirror")
    }
    let mirror = Mirror(reflecting: model)
    guard mirror.displayStyle == .struct, mirror.children.count == layout.count else {
      throw Self.refusal(M.self, "its fields are not its stored properties")
    }
    var end = 0
    var found: [Property] = []
    for child in mirror.children {
      let shape = Self.shape(child.value)
      let offset = (end + shape.alignment - 1) / shape.alignment * shape.alignment
      guard let label = child.label, let type = storedValue(shape.type) else {
        throw Self.refusal(M.self, "property \(child.label ?? "?") has a type that it cannot copy")
      }
      end = offset + shape.size
      found.append(Property(field: label, offset: offset, type: type))
    }
    guard end == MemoryLayout<M>.size, Self.areWhole(models, found) else {
      throw Self.refusal(M.self, "its properties are not where they were expected")
    }
    properties = try Self.assign(found, models, rows, layout)
    try verify(models, rows, fields, layout)
  }

  private struct Shape {
    var type: Any.Type
    var size: Int
    var alignment: Int
  }

  private static func shape(_ value: Any) -> Shape {
    func open<T>(_ value: T) -> Shape {
      Shape(type: T.self, size: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
    }
    return open(value)
  }

  /// Whether each model has, at each property's place, the bytes of what `Mirror` says is there.
  private static func areWhole<M>(_ models: [M], _ properties: [Property]) -> Bool {
    models.allSatisfy { model in
      withUnsafeBytes(of: model) { memory in
        zip(Mirror(reflecting: model).children, properties).allSatisfy { child, property in
          func open<T>(_ value: T) -> Bool {
            withUnsafeBytes(of: value) { bytes in
              property.offset + bytes.count <= memory.count
                && bytes.elementsEqual(memory[property.offset..<property.offset + bytes.count])
            }
          }
          return open(child.value)
        }
      }
    }
  }

  /// Gives each property its field: the one of its name, or else the only one with its values.
  private static func assign<M: Model>(
    _ properties: [Property],
    _ models: [M],
    _ rows: [[Value]],
    _ layout: RowLayout
  ) throws(StorageError) -> [Property] {
    var free = Set(0..<layout.count)
    func fits(_ property: Property, _ position: Int) -> Bool {
      let encoder = RowEncoder(layout)
      return zip(models, rows).allSatisfy { model, row in
        encoder.buffer.reset(count: layout.count)
        let isStored: Void? = withUnsafeBytes(of: model) { memory in
          memory.baseAddress.flatMap {
            try? property.type.store($0 + property.offset, position, encoder)
          }
        }
        return isStored != nil && (try? encoder.buffer.view.value(position)) == row[position]
      }
    }
    var positions = [Int?](repeating: nil, count: properties.count)
    for (index, property) in properties.enumerated() {
      if let named = layout.position(property.field, next: 0), fits(property, named) {
        positions[index] = named
        free.remove(named)
      }
    }
    for (index, property) in properties.enumerated() where positions[index] == nil {
      let fitting = free.filter { fits(property, $0) }
      guard fitting.count == 1, let position = fitting.first else {
        throw refusal(M.self, "property \(property.field) is not copied to one field")
      }
      positions[index] = position
      free.remove(position)
    }
    return zip(properties, positions).compactMap { property, position in
      position.map {
        Property(field: layout.names[$0], offset: property.offset, type: property.type)
      }
    }
  }

  /// Checks that rows come out of memory, and go back into it, as the model's own coding does it.
  private func verify<M: Model>(
    _ models: [M],
    _ rows: [[Value]],
    _ fields: [FieldDefinition],
    _ layout: RowLayout
  ) throws(StorageError) {
    let direct = RowLayout(collection: layout.collection, fields: fields, properties: self)
    let (encoder, decoder) = (RowEncoder(direct), RowDecoder(direct))
    let (ownEncoder, ownDecoder) = (RowEncoder(layout), RowDecoder(layout))
    let isEqual = zip(models, rows).allSatisfy { model, row in
      let isSame = try? encoder.withRow(of: model) { view in
        let copies = [
          try decoder.decode(M.self, from: view), try ownDecoder.decode(M.self, from: view),
        ]
        return try view.values() == row
          && copies.allSatisfy { try ownEncoder.withRow(of: $0) { try $0.values() } == row }
      }
      return isSame == true
    }
    if !isEqual { throw Self.refusal(M.self, "its own coding does something else") }
  }

  private static func refusal(_ model: Any.Type, _ reason: String) -> StorageError {
    StorageError(
      .invalidSchema,
      "the coding of \(model) is not the synthesized one, or cannot be skipped: \(reason); "
        + "leave out coding: .synthesized in its schema"
    )
  }
}

extension RowLayout {
  /// A property of the model that this layout is used with, and its field.
  struct Placed {
    var position: Int
    var offset: Int
    var type: any StoredValue.Type
  }

  /// The properties of a model as the fields of a collection; empty if it lacks one of them.
  static func place(_ properties: StoredProperties?, _ names: ContiguousArray<String>)
    -> ContiguousArray<Placed>
  {
    guard let properties else { return [] }
    var placed: ContiguousArray<Placed> = []
    for property in properties.properties {
      guard let position = names.firstIndex(of: property.field) else { return [] }
      placed.append(Placed(position: position, offset: property.offset, type: property.type))
    }
    return placed
  }
}

extension RowDecoder {
  /// Puts a model of the row that is being decoded together, property by property.
  ///
  /// - Throws: what a property throws; then the memory holds nothing.
  func assemble(
    _ properties: ContiguousArray<RowLayout.Placed>,
    into memory: UnsafeMutableRawPointer
  ) throws {
    var done = 0
    do {
      while done < properties.count {
        let property = properties[done]
        try property.type.load(property.position, self, into: memory + property.offset)
        done += 1
      }
    } catch {
      for property in properties.prefix(done) { property.type.destroy(memory + property.offset) }
      throw error
    }
  }
}
