import Foundation
import Holdfast
import Synchronization

/// Stores by name: they last until they are destroyed, or the process ends.
public enum ListStore {
  private static let kept = Mutex<[String: Content]>([:])

  public static func open(_ name: String, options: StorageOptions = StorageOptions())
    throws(StorageError) -> Store
  {
    try StoreRegistry.shared.open(name, isFile: false, kind: "list", options: options) {
      () throws(StorageError) in
      let found = kept.withLock { $0[name] }
      if found == nil, options.isReadOnly || !options.createsIfMissing {
        throw StorageError(.cannotOpen, "there is no store \(name); open it for writing")
      }
      let content = found ?? Content(catalog: Catalog(storeID: UUID().uuidString))
      kept.withLock { $0[name] = content }
      return ListStorage(content, wasCreated: found == nil) { changed in
        kept.withLock { $0[name] = changed }
      }
    }
  }

  public static func destroy(_ name: String) { kept.withLock { $0[name] = nil } }
}
