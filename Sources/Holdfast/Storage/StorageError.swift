/// The one error type of Holdfast: what failed, where, and what to do about it.
///
/// The same situation gives the same ``code`` on every backend. Messages name collections, fields,
/// indexes and files; they never hold stored values.
public struct StorageError: Error, Sendable, CustomStringConvertible {
  /// What kind of failure this is; the same on every backend.
  public var code: Code
  /// One line: what failed, where, and what to do.
  public var message: String
  /// The backend that reported the failure (`sqlite`, `lmdb`, …), if one did.
  public var backend: String?
  /// The engine's own error number, if the failure came from an engine or the system.
  public var engineCode: Int?
  /// The error that caused this one, if any.
  public var underlying: (any Error)?
  /// The keys of records that are in the way, a few of them: of the duplicates that a unique index
  /// found when it was made.
  ///
  /// They are in no message.
  public var keys: [Key] = []

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    backend: String? = nil,
    engineCode: Int? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = Self.shortened(message)
    self.backend = backend
    self.engineCode = engineCode
    self.underlying = underlying
  }

  private static let longestMessage = 2000

  /// A message that quotes its input is no longer than can be read.
  private static func shortened(_ message: String) -> String {
    guard message.utf8.count > longestMessage else { return message }
    return "\(message.prefix(longestMessage / 2))… (cut)"
  }

  /// The message in one line, with the backend and the engine's number where they are known.
  public var description: String {
    var text = message
    if let backend {
      text += engineCode.map { " [\(backend) \($0)]" } ?? " [\(backend)]"
    }
    return text
  }
}

extension StorageError {
  /// The error of a backend that does not declare ``Capabilities/lendsNativeHandles``.
  static var hasNoNativeHandles: StorageError {
    StorageError(
      .unsupported,
      "the backend lends no handles of its engine; use the store's own operations"
    )
  }

  /// The error of a backend that does not declare ``Capabilities/backsUpOnline``.
  static func hasNoBackup(_ backend: String) -> StorageError {
    StorageError(
      .unsupported,
      "the \(backend) backend has no backup; copy the store into another one",
      backend: backend
    )
  }

  /// The error for a collection that was looked up under another schema.
  static func isOutdated(_ collection: Collection) -> StorageError {
    StorageError(
      .unknownCollection,
      "the store no longer has the collection \(collection.name) as it was looked up; "
        + "look it up again in this transaction"
    )
  }

  /// A kind of failure.
  ///
  /// Extensible: compare with the static members, and keep a default case.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// The code's stable name, as it is written after the dot.
    public let rawValue: String
    /// Creates a code from its stable name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The code's stable name.
    public var description: String { rawValue }

    // Records
    /// `update` found no record with that key, or a service found no such thing.
    public static let notFound = Code(rawValue: "notFound")
    /// `insert` found a record with that key.
    public static let duplicateKey = Code(rawValue: "duplicateKey")
    /// A unique index already holds an equal non-null value.
    public static let uniqueViolation = Code(rawValue: "uniqueViolation")
    /// A record that others refer to cannot be removed, or a record refers to one that is not there.
    public static let referenceViolation = Code(rawValue: "referenceViolation")
    /// A value that no store can hold: NaN, null in a required field, a date outside the years.
    public static let invalidValue = Code(rawValue: "invalidValue")
    /// A value of another type than the field's.
    public static let typeMismatch = Code(rawValue: "typeMismatch")
    /// The encoded key is longer than ``KeyCoding/maximumKeyLength`` bytes.
    public static let keyTooLong = Code(rawValue: "keyTooLong")
    /// A sum or an automatic key that does not fit in 64 bits.
    public static let overflow = Code(rawValue: "overflow")

    // Schema and queries
    /// A name that is empty, longer than 128 bytes, or holds control characters.
    public static let invalidName = Code(rawValue: "invalidName")
    /// A collection or field of that name, or one that differs only in ASCII case, exists.
    public static let nameConflict = Code(rawValue: "nameConflict")
    /// A definition that makes no sense (no key, unknown field in an index, …).
    public static let invalidSchema = Code(rawValue: "invalidSchema")
    /// A collection in the store is not as a model or definition declares it, and additions would not
    /// make it so.
    ///
    /// The message shows the migration step to write.
    public static let schemaMismatch = Code(rawValue: "schemaMismatch")
    /// The applied migrations are not the beginning of the list: one was renamed, moved or removed.
    public static let migrationMismatch = Code(rawValue: "migrationMismatch")
    /// The store has migrations that this version of the application does not know.
    public static let newerSchema = Code(rawValue: "newerSchema")
    /// The store has no such collection.
    public static let unknownCollection = Code(rawValue: "unknownCollection")
    /// The collection has no such field.
    public static let unknownField = Code(rawValue: "unknownField")
    /// A query that makes no sense: a negative limit, a predicate that cannot be translated.
    public static let invalidQuery = Code(rawValue: "invalidQuery")
    /// A query that would read every record, where that is forbidden.
    public static let fullScan = Code(rawValue: "fullScan")
    /// A paging token that is malformed, damaged, or belongs to another query or schema.
    public static let invalidCursor = Code(rawValue: "invalidCursor")

    // Transactions and lifecycle
    /// A transaction, cursor or savepoint was used after its scope ended.
    public static let transactionClosed = Code(rawValue: "transactionClosed")
    /// An engine failure doomed this transaction; it can only be rolled back.
    public static let transactionFailed = Code(rawValue: "transactionFailed")
    /// `write` was called inside a transaction body, or `close` inside one.
    public static let nestedTransaction = Code(rawValue: "nestedTransaction")
    /// A write on a store or transaction that only reads.
    public static let readOnly = Code(rawValue: "readOnly")
    /// A wait ended after the store's timeout.
    public static let busy = Code(rawValue: "busy")
    /// A query ended because its task was cancelled; asynchronous calls throw `CancellationError`.
    public static let cancelled = Code(rawValue: "cancelled")
    /// The store was suspended, and not resumed yet.
    public static let suspended = Code(rawValue: "suspended")
    /// The store was closed.
    public static let closed = Code(rawValue: "closed")
    /// This process has the path open with different options.
    public static let alreadyOpen = Code(rawValue: "alreadyOpen")

    // Files and engines
    /// There is no store at the path, and creating one was not asked for or not possible.
    public static let cannotOpen = Code(rawValue: "cannotOpen")
    /// Something is at the path where a copy was to be made.
    public static let alreadyExists = Code(rawValue: "alreadyExists")
    /// The path holds something else: another kind of store, a directory, a text file.
    public static let wrongKind = Code(rawValue: "wrongKind")
    /// The store was written by a newer version of Holdfast.
    public static let newerFormat = Code(rawValue: "newerFormat")
    /// The store is damaged; it was not changed.
    public static let corrupt = Code(rawValue: "corrupt")
    /// A file was edited by hand while commits that touch it were pending.
    public static let conflict = Code(rawValue: "conflict")
    /// The disk or the map is full.
    public static let storageFull = Code(rawValue: "storageFull")
    /// The system refused access.
    public static let permissionDenied = Code(rawValue: "permissionDenied")
    /// Reading or writing failed in the system.
    public static let ioError = Code(rawValue: "ioError")
    /// The backend does not offer this extra.
    public static let unsupported = Code(rawValue: "unsupported")
    /// A storage URL, an option or a configuration file that is not understood.
    public static let invalidConfiguration = Code(rawValue: "invalidConfiguration")
    /// Input text (JSON, CSV, property list) that is not well formed.
    public static let malformedInput = Code(rawValue: "malformedInput")
  }
}
