/// One way in which a store can be wrong; each is a line or two over a right one.
enum Mutation: String, CaseIterable, Sendable {
  // Values
  case negativeZeroKept, textCutAtNUL, textCaseFolded, emptyTextIsNull
  // Keys
  case exclusiveBoundIncluded, reversedScanForgotten
  // Records
  case insertReplaces, updateInserts, putDeletesAnother, deleteAlwaysTrue, clearTakesNamesakes
  case keyReused, partialUpdateClears
  // Batches
  case lastRecordsDropped
  // Unique indexes
  case uniqueIgnored, uniqueIgnoredInUpdate, uniqueCodeWrong
  // Queries
  case notEqualDropsNulls, emptyInMatchesAll, sumOfNothingIsZero, filterForgotten
  // Sorting and paging
  case limitBeforeSort, sortForgotten
  // Transactions
  case commitLost, rollbackCommits, savepointKept, snapshotAtFirstUse
  // Persistence
  case lostOnReopen, schemaVersionStays
  // Lifecycle
  case alwaysCreated
  // Errors
  case messageHoldsValue

  /// The area whose cases must see it.
  var area: String {
    switch self {
    case .negativeZeroKept, .textCutAtNUL, .textCaseFolded, .emptyTextIsNull: "values"
    case .exclusiveBoundIncluded, .reversedScanForgotten: "keys"
    case .insertReplaces, .updateInserts, .putDeletesAnother, .deleteAlwaysTrue,
      .clearTakesNamesakes, .keyReused, .partialUpdateClears:
      "records"
    case .lastRecordsDropped: "batch"
    case .uniqueIgnored, .uniqueIgnoredInUpdate, .uniqueCodeWrong: "unique"
    case .notEqualDropsNulls, .emptyInMatchesAll, .sumOfNothingIsZero, .filterForgotten: "query"
    case .limitBeforeSort, .sortForgotten: "sort"
    case .commitLost, .rollbackCommits, .savepointKept, .snapshotAtFirstUse: "transaction"
    case .lostOnReopen, .schemaVersionStays: "persistence"
    case .alwaysCreated: "lifecycle"
    case .messageHoldsValue: "errors"
    }
  }
}
