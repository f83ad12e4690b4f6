import Holdfast

/// A file's records, one by one.
protocol RecordSource: AnyObject {
  /// Moves to the next record; false at the end, when all of the file has been found well formed.
  func next() throws(StorageError) -> Bool
  /// Notes what kinds of values the record's fields hold, to infer their types.
  func observe(_ inference: inout FieldInference) throws(StorageError)
  /// Prepares to read rows of a collection.
  func prepare(_ collection: Collection) throws(StorageError)
  /// Reads the record into a row of the collection.
  func read(into row: RowBuffer) throws(StorageError)
}
