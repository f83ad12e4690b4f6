/// One way in which a store can be wrong; each is a line or two over a right one.
package enum Mutation: String, CaseIterable, Sendable {
  // Values
  case negativeZeroKept, textCutAtNUL, textCaseFolded, textNormalized, emptyTextIsNull
  case integerThroughDouble, infinityClamped
  // Keys
  case exclusiveBoundIncluded, upperBoundForgotten, reversedScanForgotten
  // Records
  case insertReplaces, updateInserts, putDeletesAnother, deleteAlwaysTrue, clearTakesNamesakes
  case clearCountsNothing, keyReused, partialUpdateClears
  // Batches
  case lastRecordsDropped, batchReplaces, secondCollectionLost
  // Unique indexes
  case uniqueIgnored, uniqueIgnoredInUpdate, uniqueIgnoredInBatch, uniqueCodeWrong, nullsCollide
  // Queries
  case notEqualDropsNulls, emptyInMatchesAll, sumOfNothingIsZero, filterForgotten
  case countIgnoresFilter, indexStaleAfterUpdate
  // Sorting and paging
  case limitBeforeSort, sortForgotten, offsetForgotten, descendingForgotten, pageDropsTies
  case pageRepeatsLast
  // Transactions
  case commitLost, rollbackCommits, savepointKept, savepointReleaseUndoes, snapshotAtFirstUse
  case cursorReadsLive
  case catalogReadsLive
  // Concurrency
  case tenthUpdateLost, getReadsLive, readerBlocksWriter
  // References
  case referencesForgotten, deleteRulesForgotten, setNullCascades
  // Migrations
  case redefineLosesRows, redefineSwapsFields, redefineResetsCounter, newUniqueIgnored, dropIgnored
  case migrationsForgotten, dropReferencesIgnored
  // Observation
  case deleteNeverFound, wrongKeyTold
  // Copies
  case counterReadsZero, counterNotSet, compactLoses
  // Persistence
  case lostOnReopen, lastRecordLostOnReopen, schemaVersionStays
  // Lifecycle
  case alwaysCreated, neverCreated, createdUnasked
  // Names
  case namesLowercased, namesCut
  // Errors
  case messageHoldsValue, messageEmpty, duplicateCodeWrong
  // Processes
  case sharingPretended

  /// The area whose cases must see it.
  package var area: String { facts.area }
  /// What is wrong, in one line.
  package var summary: String { facts.summary }

  private var facts: (area: String, summary: String) {
    switch self {
    case .negativeZeroKept: ("values", "zero comes back as −0.0")
    case .textCutAtNUL: ("values", "text ends at its first U+0000")
    case .textCaseFolded: ("values", "text comes back in lower case")
    case .textNormalized: ("values", "text comes back in another Unicode normal form")
    case .emptyTextIsNull: ("values", "empty text comes back as null")
    case .integerThroughDouble: ("values", "integers pass through a double")
    case .infinityClamped: ("values", "infinity becomes the greatest finite number")
    case .exclusiveBoundIncluded: ("keys", "a range takes in its exclusive lower bound")
    case .upperBoundForgotten: ("keys", "a range does not end at its upper bound")
    case .reversedScanForgotten: ("keys", "a descending scan ascends")
    case .insertReplaces: ("records", "insert replaces the record that exists")
    case .updateInserts: ("records", "update inserts the record that is missing")
    case .putDeletesAnother: ("records", "put removes another record")
    case .deleteAlwaysTrue: ("records", "delete says that there was a record where none was")
    case .clearTakesNamesakes: ("records", "clearing takes collections whose names begin alike")
    case .clearCountsNothing: ("records", "clearing says that there was no record")
    case .keyReused: ("records", "an automatic key follows the largest that is left")
    case .partialUpdateClears: ("records", "update clears the last field")
    case .lastRecordsDropped: ("batch", "inserts past the ten thousandth are lost")
    case .batchReplaces: ("batch", "insert replaces records after the first of a transaction")
    case .secondCollectionLost: ("batch", "one transaction inserts into one collection only")
    case .uniqueIgnored: ("unique", "unique indexes refuse nothing")
    case .uniqueIgnoredInUpdate: ("unique", "update swallows a violation")
    case .uniqueIgnoredInBatch: ("unique", "insert swallows a violation after other inserts")
    case .uniqueCodeWrong: ("unique", "a violation is reported as a duplicate key")
    case .nullsCollide: ("unique", "a second null collides in a unique index")
    case .notEqualDropsNulls: ("query", "!= leaves nulls out")
    case .emptyInMatchesAll: ("query", "an empty IN counts everything")
    case .sumOfNothingIsZero: ("query", "figures over nothing are zero")
    case .filterForgotten: ("query", "rows are not filtered")
    case .countIgnoresFilter: ("query", "count counts every record")
    case .indexStaleAfterUpdate: ("query", "old index entries stay")
    case .limitBeforeSort: ("sort", "the limit is applied before the sort")
    case .sortForgotten: ("sort", "rows are not sorted")
    case .offsetForgotten: ("sort", "an offset skips nothing")
    case .descendingForgotten: ("sort", "the key's descending order ascends")
    case .pageRepeatsLast: ("paging", "a page begins with the last row of the one before")
    case .pageDropsTies: ("paging", "a page skips what ties with the last row of the one before")
    case .commitLost: ("transaction", "commit keeps nothing")
    case .rollbackCommits: ("transaction", "rollback commits")
    case .savepointKept: ("transaction", "rolling back a savepoint keeps its changes")
    case .savepointReleaseUndoes: ("transaction", "finishing a savepoint undoes its changes")
    case .snapshotAtFirstUse: ("transaction", "a snapshot begins at its first use")
    case .cursorReadsLive: ("transaction", "an open cursor meets what was committed since")
    case .catalogReadsLive: ("transaction", "a snapshot meets a schema that was changed since")
    case .referencesForgotten: ("references", "references are not kept, so nothing checks them")
    case .deleteRulesForgotten: ("references", "every reference restricts")
    case .setNullCascades: ("references", "references that set null cascade")
    case .redefineLosesRows: ("migration", "a schema change loses the records")
    case .redefineSwapsFields:
      ("migration", "a schema change fills the last field from the one before")
    case .redefineResetsCounter: ("migration", "a schema change begins automatic keys anew")
    case .newUniqueIgnored: ("migration", "a unique index is made over duplicates")
    case .dropIgnored: ("migration", "a dropped collection stays")
    case .migrationsForgotten: ("migration", "applied migrations are not remembered")
    case .dropReferencesIgnored: ("migration", "a dropped reference stays")
    case .deleteNeverFound:
      ("observation", "delete says that there was no record where one was")
    case .wrongKeyTold: ("observation", "insert tells the key after the one that it gave")
    case .counterNotSet: ("copies", "the counter of automatic keys is not set")
    case .compactLoses: ("copies", "compacting clears a collection")
    case .counterReadsZero: ("copies", "the counter of automatic keys reads as zero")
    case .tenthUpdateLost: ("concurrency", "one update in ten is lost")
    case .getReadsLive: ("concurrency", "a reader gets what was committed since it began")
    case .readerBlocksWriter: ("concurrency", "no writer begins beside a reader")
    case .lastRecordLostOnReopen: ("persistence", "closing loses the last record")
    case .lostOnReopen: ("persistence", "closing loses everything")
    case .schemaVersionStays: ("persistence", "the schema's version never rises")
    case .alwaysCreated: ("lifecycle", "opening an existing store says that it was created")
    case .neverCreated: ("lifecycle", "opening a new store says that it was found")
    case .createdUnasked: ("lifecycle", "a missing store is created unasked")
    case .namesLowercased: ("names", "collections are named in lower case")
    case .namesCut: ("names", "names of collections end after 32 characters")
    case .messageEmpty: ("errors", "errors have no message")
    case .duplicateCodeWrong: ("errors", "a duplicate key is reported as a unique violation")
    case .sharingPretended: ("processes", "sharing between processes is declared, and is not there")
    case .messageHoldsValue: ("errors", "a message quotes the stored values")
    }
  }
}
