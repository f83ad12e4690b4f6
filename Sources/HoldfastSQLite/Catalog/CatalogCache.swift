import Holdfast
import Synchronization

/// The newest committed catalog that any connection of a store has read, so that the others need
/// not parse it again.
final class CatalogCache: Sendable {
  private let newest = Mutex<Catalog?>(nil)

  /// The catalog of that version, if it is the newest.
  func catalog(_ version: Int64) -> Catalog? {
    newest.withLock { $0?.schemaVersion == version ? $0 : nil }
  }

  /// Forgets it, for the database may be another one.
  func clear() { newest.withLock { $0 = nil } }

  /// Takes a committed catalog.
  func offer(_ catalog: Catalog) {
    newest.withLock { newest in
      if let newest, newest.schemaVersion >= catalog.schemaVersion { return }
      newest = catalog
    }
  }
}
