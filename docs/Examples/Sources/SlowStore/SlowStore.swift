import Holdfast
import Synchronization

/// Stores by name: they last until they are destroyed, or the process ends.
public enum SlowStore {
  private static let kept = Mutex<[String: Tables]>([:])

  public static func open(_ name: String, options: StorageOptions = StorageOptions())
    throws(StorageError) -> Store
  {
    try StoreRegistry.shared.open(name, isFile: false, kind: "slow", options: options) {
      () throws(StorageError) in
      let engine = SlowEngine(kept.withLock { $0[name] } ?? Tables()) { tables in
        kept.withLock { $0[name] = tables }
      }
      return try KeyValueStorage(engine, options: options)
    }
  }

  public static func destroy(_ name: String) { kept.withLock { $0[name] = nil } }
}
