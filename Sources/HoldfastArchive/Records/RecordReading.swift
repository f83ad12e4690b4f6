import Holdfast

/// Reads the records of one file, one after the other.
protocol RecordReading: AnyObject {
  /// Reads the next record: all fields, an absent one as null.
  ///
  /// - Returns: false after the last record.
  /// - Throws: what is wrong, with the field and the place but without the file and the record.
  func next(into row: RowBuffer) throws(StorageError) -> Bool
}
