import Holdfast

/// One operation of a history, a line of its script.
///
/// A step that has nothing to work on, as `commit` outside a transaction, does nothing: so any part
/// of a history is a history, and shrinking needs no care.
enum ModelStep: Sendable {
  // The store
  case open, close, reopen
  // Transactions
  case begin, commit, rollback, savepoint, release, undo
  // Schema
  case create(CollectionDefinition)
  case drop(String)
  case rename(String, to: String)
  case alter(String, [SchemaChange])
  // Writes
  case insert(String, [ModelField])
  case put(String, [ModelField])
  /// The whole record, every field that is not named becoming null.
  case replace(String, [ModelField])
  /// Some fields of the record with that key.
  case update(String, [Value], [ModelField])
  case delete(String, [Value])
  case clear(String, Filter)
  /// Many records at once, made of numbers: from a first number on, so many.
  case fill(String, from: Int, count: Int)
  /// Writes of records in one body at whose end references are checked.
  case deferring([ModelStep])
  /// A list of migrations, the applied ones first; a rehearsal undoes what it did.
  case migrate([ModelMigration], isRehearsal: Bool)
  // Reads; in a snapshot where its number is given, else in what is open
  case read(ModelRead, at: Int?)
  case snapshot(Int)
  case end(Int)
  case cursor(Int, Query, at: Int?)
  case next(Int, count: Int)
  case leave(Int)
  /// The first page of a query, its token kept under a number.
  case page(Int, Query, at: Int?)
  /// The page after the token that is kept.
  case more(Int, at: Int?)
  // Observing every commit from here on
  case watch, unwatch
}

/// A migration: its name, and changes of the schema and writes of records.
struct ModelMigration: Sendable {
  var name: String
  var steps: [ModelStep]
}

/// A read that is done at once.
enum ModelRead: Sendable {
  case get(String, [Value])
  case query(Query)
  case count(String, Filter)
  case aggregate(String, [Aggregate], by: [String], Filter)
}

/// A field of a record by its name.
struct ModelField: Sendable {
  var name: String
  var value: Value
}

extension ModelStep {
  /// Whether it makes several changes to a collection, which may undo each other.
  var isCompound: Bool {
    if case .alter(_, let changes) = self { return changes.count > 1 }
    return false
  }

  /// Whether it changes the schema, and nothing else.
  var isSchemaChange: Bool {
    switch self {
    case .create, .drop, .rename, .alter: true
    default: false
    }
  }

  /// Whether it writes records, and nothing else.
  var isRecordWrite: Bool {
    switch self {
    case .insert, .put, .replace, .update, .delete, .clear, .fill: true
    default: false
    }
  }

  /// The word that its line begins with.
  var word: String {
    switch self {
    case .open: "open"
    case .close: "close"
    case .reopen: "reopen"
    case .begin: "begin"
    case .commit: "commit"
    case .rollback: "rollback"
    case .savepoint: "savepoint"
    case .release: "release"
    case .undo: "undo"
    case .create: "create"
    case .drop: "drop"
    case .rename: "rename"
    case .alter: "alter"
    case .insert: "insert"
    case .put: "put"
    case .replace: "replace"
    case .update: "update"
    case .delete: "delete"
    case .clear: "clear"
    case .fill: "fill"
    case .deferring: "deferring"
    case .migrate(_, let isRehearsal): isRehearsal ? "rehearse" : "migrate"
    case .read(let read, _): read.word
    case .snapshot: "snapshot"
    case .end: "end"
    case .cursor: "cursor"
    case .next: "next"
    case .leave: "leave"
    case .page: "page"
    case .more: "more"
    case .watch: "watch"
    case .unwatch: "unwatch"
    }
  }
}

extension ModelRead {
  /// The word that its line begins with.
  var word: String {
    switch self {
    case .get: "get"
    case .query: "query"
    case .count: "count"
    case .aggregate: "aggregate"
    }
  }
}
