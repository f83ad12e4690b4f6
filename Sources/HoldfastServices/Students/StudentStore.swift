public import Holdfast

/// A student.
public struct Student: Model, Hashable {
  /// The id; the store chooses it.
  public var id: Int64?
  /// The name, never blank.
  public var name: String
  /// The age in years, never negative.
  public var age: Int

  /// The collection `student`.
  public static let schema = Schema<Student>("student", key: \.id)

  /// Creates a student; it is checked when it is inserted.
  public init(id: Int64? = nil, name: String, age: Int) {
    self.id = id
    self.name = name
    self.age = age
  }
}

/// Students in a store that begins as a copy of one shipped with the app.
///
/// The template is only read, and only on first use; it and the place that takes the copy may be of
/// different backends. Copying is one transaction: it is done completely or not at all.
public struct StudentStore: Sendable {
  /// The writable store.
  public let store: Store
  /// Whether this opening copied the template or found the copy.
  public let opening: Opening
  let students: Repository<Student>

  private static let isCopied = PreferenceKey("students.isCopied", default: false)

  private init(_ store: Store, opening: Opening) {
    self.store = store
    self.opening = opening
    students = Repository(store)
  }

  /// Opens the students in `place`, copying the template on first use.
  ///
  /// - Parameters:
  ///   - template: opens the store to copy; called on first use only, and closed afterwards.
  ///   - place: the writable store.
  /// - Returns: the students.
  /// - Throws: what opening the template throws; `StorageError.Code.nameConflict` if `place` holds
  ///   collections of the template already; `StorageError.Code.readOnly`.
  @available(*, noasync, message: "use the asynchronous version")
  public static func open(template: () throws -> Store, in place: Store) throws -> StudentStore {
    if try place.read({ try Preferences(place).get(isCopied, in: $0) }) {
      return StudentStore(place, opening: .existed)
    }
    let opening = try place.write { try copy(template, to: $0, in: place) }
    return StudentStore(place, opening: opening)
  }

  /// Opens the students in `place`, copying the template on first use.
  ///
  /// - Parameters:
  ///   - template: opens the store to copy; called on first use only, and closed afterwards.
  ///   - place: the writable store.
  /// - Returns: the students.
  /// - Throws: what opening the template throws; `StorageError.Code.nameConflict` if `place` holds
  ///   collections of the template already; `StorageError.Code.readOnly`.
  public static func open(
    template: @escaping @Sendable () throws -> Store,
    in place: Store
  ) async throws -> StudentStore {
    if try await place.read({ try Preferences(place).get(isCopied, in: $0) }) {
      return StudentStore(place, opening: .existed)
    }
    let opening = try await place.write { try copy(template, to: $0, in: place) }
    return StudentStore(place, opening: opening)
  }

  private static func copy(
    _ template: () throws -> Store,
    to target: WriteTransaction,
    in place: Store
  ) throws -> Opening {
    // Another process may have copied it since it was looked for.
    if try Preferences(place).get(isCopied, in: target) { return .existed }
    let source = try template()
    do {
      try source.read { try target.copyCollections(of: $0) }
    } catch {
      // The first failure is the one to tell.
      _ = Result { try source.close() }
      throw error
    }
    try source.close()
    try Repository<Student>(place).create(in: target)
    try Preferences(place).set(isCopied, to: true, in: target)
    return .created
  }

  /// All students, in id order.
  public func list(in transaction: ReadTransaction) throws -> [Student] {
    try students.fetch(in: transaction)
  }

  /// Inserts a student.
  ///
  /// - Returns: the student with its id.
  /// - Throws: `StorageError.Code.invalidValue` for a blank name or a negative age.
  @discardableResult
  public func insert(name: String, age: Int, in transaction: WriteTransaction) throws -> Student {
    guard name.contains(where: { !$0.isWhitespace }) else {
      throw StorageError(.invalidValue, "a student needs a name; give one that is not blank")
    }
    guard age >= 0 else {
      throw StorageError(.invalidValue, "a student's age cannot be negative; give it in years")
    }
    return try students.insert(Student(name: name, age: age), in: transaction)
  }
}
