public import Holdfast

/// A store in LMDB: the key-value storage over ``LMDBEngine``.
public typealias LMDBStorage = KeyValueStorage<LMDBEngine>

extension KeyValueStorage where Engine == LMDBEngine {
  /// Opens the store of a folder, creating it if that is asked for.
  ///
  /// - Parameters:
  ///   - path: the folder; the one that it is in must exist.
  ///   - options: durability, read-only, creation, timeout and mapsize count here.
  /// - Returns: the storage; hand it to a ``Store``.
  /// - Throws: as ``LMDBEngine/init(path:options:)`` and ``KeyValueStorage/init(_:options:storeID:)``.
  public static func open(
    path: String,
    options: StorageOptions = StorageOptions()
  ) throws(StorageError) -> LMDBStorage {
    let engine = try LMDBEngine(path: path, options: options)
    do throws(StorageError) {
      return try LMDBStorage(engine, options: options)
    } catch {
      try engine.close()
      throw error
    }
  }
}
