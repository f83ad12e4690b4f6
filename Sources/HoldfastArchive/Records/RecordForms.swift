import Holdfast

/// Reads the records of one file, one after the other.
protocol RecordReading: AnyObject {
  /// Reads the next record: all fields, an absent one as null.
  ///
  /// - Returns: false after the last record.
  /// - Throws: what is wrong, with the field and the place but without the file and the record.
  func next(into row: RowBuffer) throws(StorageError) -> Bool
}

/// Writes the records of one file, one after the other.
protocol RecordWriting {
  /// Writes the next record.
  ///
  /// - Throws: `StorageError.Code.corrupt` for a value that does not fit its field; what the file
  ///   throws.
  mutating func append(_ row: RowView, to file: FileWriter) throws(StorageError)

  /// Writes what comes after the last record.
  mutating func end(_ file: FileWriter) throws(StorageError)
}
