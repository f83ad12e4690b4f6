import Synchronization

/// Finds the place of a key path by what it reads from a few models, whose rows are known.
///
/// Unchecked: what it holds is read only, models and their rows.
final class PlaceFinder<M: Model>: @unchecked Sendable {
  /// A place with what it holds in each model: a stored value, or the JSON text of a part.
  private struct Candidate {
    let place: Place
    let values: [Value]
  }

  private let layout: RowLayout
  private let models: [M]
  private let candidates: [Candidate]
  private let known = KnownPlaces()

  init(_ layout: RowLayout, _ models: [M], _ rows: [[Value]]) {
    self.layout = layout
    self.models = models
    var candidates: [Candidate] = []
    for position in 0..<layout.count {
      let values = rows.map { $0[position] }
      candidates.append(Candidate(place: Place(position: position), values: values))
      if layout.types[position] == .json {
        candidates += Self.parts(of: position, values)
      }
    }
    self.candidates = candidates
  }

  /// The parts of a `json` field, by the paths of members in any of the models.
  private static func parts(of position: Int, _ values: [Value]) -> [Candidate] {
    let texts = values.map { value in
      if case .text(let text) = value { Array(text.utf8) } else { [UInt8]() }
    }
    var found: [[String]: [Value]] = [:]
    var order: [[String]] = []
    func collect(_ bytes: UnsafeRawBufferPointer, _ path: [String], _ model: Int) {
      JSONScanner.forEachMember(of: bytes) { name, value in
        let quoted = UnsafeRawBufferPointer(rebasing: name.dropLast())
        guard let key = JSONScanner.withString(quoted, { String(decoding: $0, as: UTF8.self) })
        else { return true }
        let inner = path + [key]
        if found[inner] == nil {
          found[inner] = Array(repeating: .null, count: texts.count)
          order.append(inner)
        }
        if !value.elementsEqual("null".utf8) {
          found[inner]?[model] = .text(String(decoding: value, as: UTF8.self))
        }
        collect(value, inner, model)
        return true
      }
    }
    for (model, text) in texts.enumerated() { text.withUnsafeBytes { collect($0, [], model) } }
    return order.map { path in
      Candidate(place: Place(position: position, path: path), values: found[path] ?? [])
    }
  }

  // MARK: Finding

  func position(of path: AnyKeyPath) throws(StorageError) -> Int {
    let place = try place(of: path, in: nil)
    guard place.path.isEmpty else {
      throw StorageError(
        .invalidSchema,
        "\(path) is a part of \(layout.describe(place.position)); only whole fields will do here"
      )
    }
    return place.position
  }

  func place(of path: AnyKeyPath, in parent: Place?) throws(StorageError) -> Place {
    if let place = known.place(of: path, in: parent) { return place }
    let roots: [Any] = parent.map(known.values) ?? models
    let read = roots.map { Self.read(path, from: $0) }
    guard !read.isEmpty, let place = try find(path, read, in: parent) else {
      throw unresolved(path)
    }
    known.note(path, in: parent, place, values: read)
    return place
  }

  /// What a key path reads from a value, optional or not; nil where there is nothing to read from.
  private static func read(_ path: AnyKeyPath, from root: Any) -> Any {
    func open<Root>(_ root: Root) -> Any {
      if let path = path as? PartialKeyPath<Root> { return root[keyPath: path] }
      if let optional = root as? any AnyOptional {
        return optional.wrapped.map { read(path, from: $0) } ?? (Int?.none as Any)
      }
      return Int?.none as Any
    }
    return open(root)
  }

  private func find(_ path: AnyKeyPath, _ values: [Any], in parent: Place?) throws(StorageError)
    -> Place?
  {
    let expected = LeafType.fieldType(unwrapped(type(of: path).valueType))
    let texts = TextsOfParts(values)
    let matching = candidates.filter { candidate in
      if let parent, !candidate.place.isWithin(parent) || candidate.place == parent { return false }
      return matches(candidate, values, texts, expected)
    }
    let telling = matching.filter { candidate in
      candidate.values.contains { $0 != candidate.values[0] }
    }
    if telling.count == 1 { return telling[0].place }
    let names = "\(path)".filter { $0 != "?" && $0 != "!" }.split(separator: ".").dropFirst()
    let named = (telling.isEmpty ? matching : telling).filter { candidate in
      let place = candidate.place
      let labels = parent.map { place.path[$0.path.count...] }
      return names.elementsEqual((labels ?? ([layout.names[place.position]] + place.path)[...])) {
        $0 == $1
      }
    }
    return named.count == 1 ? named[0].place : nil
  }

  private func matches(
    _ candidate: Candidate,
    _ values: [Any],
    _ texts: TextsOfParts,
    _ expected: FieldType?
  ) -> Bool {
    let position = candidate.place.position
    if candidate.place.path.isEmpty {
      if let expected, expected != layout.types[position] { return false }
      return values.indices.allSatisfy { index in
        // What cannot even be encoded there is another field's.
        (try? layout.value(of: values[index], position)) == candidate.values[index]
      }
    }
    return values.indices.allSatisfy { texts[$0] == candidate.values[$0] }
  }

  private func unresolved(_ path: AnyKeyPath) -> StorageError {
    StorageError(
      .invalidSchema,
      "\(path) is not a stored property of \(M.self), or cannot be told from another one; the "
        + "fields of \(layout.collection) are \(layout.names.joined(separator: ", ")); give the "
        + "schema samples that differ in it: Schema<\(M.self)>(…, samples: […])"
    )
  }
}

/// The key paths whose places are known.
///
/// It knows nothing of the model, whose type would be looked up at each use.
private final class KnownPlaces: Sendable {
  /// A key path that was found, with what it reads from each model.
  ///
  /// Unchecked: all of it is read only, and models' parts are Sendable as they are.
  private struct Entry: @unchecked Sendable {
    let path: AnyKeyPath
    let parent: Place?
    let place: Place
    let values: [Any]
  }

  /// Key paths may be made at run time, without end.
  private static let maximumEntries = 256

  private let entries = Mutex<ContiguousArray<Entry>>([])

  /// Where a key path leads, if that was noted.
  func place(of path: AnyKeyPath, in parent: Place?) -> Place? {
    let box = Entry(path: path, parent: parent, place: Place(position: 0), values: [])
    return entries.withLock { entries in
      // The key path of one place in a program is one object.
      for position in entries.indices
      where entries[position].path === box.path && entries[position].parent == parent {
        return entries[position].place
      }
      return entries.first { $0.path == box.path && $0.parent == parent }?.place
    }
  }

  /// What is at a place in each model; empty if no key path led there.
  func values(at place: Place) -> [Any] {
    let found = entries.withLock { entries in entries.first { $0.place == place } }
    return found?.values ?? []
  }

  /// Notes where a key path leads.
  func note(_ path: AnyKeyPath, in parent: Place?, _ place: Place, values: [Any]) {
    let entry = Entry(path: path, parent: parent, place: place, values: values)
    entries.withLock { entries in
      if entries.count < Self.maximumEntries { entries.append(entry) }
    }
  }
}

/// Values as the JSON texts of parts, made when they are first asked for.
private final class TextsOfParts {
  private let values: [Any]
  private var texts: [Value?]
  private let json = NestedJSON()

  init(_ values: [Any]) {
    self.values = values
    texts = Array(repeating: nil, count: values.count)
  }

  subscript(_ index: Int) -> Value {
    if let known = texts[index] { return known }
    // What JSON cannot hold matches nothing.
    let text = (values[index] as? any Encodable).flatMap { try? json.encode($0) }
    let value: Value =
      switch text {
      case nil: .blob([])
      case let text? where text.elementsEqual("null".utf8): .null
      case let text?: .text(String(decoding: text, as: UTF8.self))
      }
    texts[index] = value
    return value
  }
}

/// Lets values of unknown type be looked into where they are optional.
protocol AnyOptional {
  static var wrappedType: Any.Type { get }
  var wrapped: Any? { get }
}

extension Optional: AnyOptional {
  static var wrappedType: Any.Type { Wrapped.self }
  var wrapped: Any? { self }
}

/// The type within optionals.
func unwrapped(_ type: Any.Type) -> Any.Type {
  (type as? any AnyOptional.Type).map { unwrapped($0.wrappedType) } ?? type
}
