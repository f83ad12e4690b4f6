import Foundation

/// The stores that this process has open, by what they are on disk, so that opening one again shares
/// it: two separate handles on one file would break each other on some engines.
public final class StoreRegistry: @unchecked Sendable {
  // Unchecked: `condition` protects everything that changes.
  /// The process's registry.
  public static let shared = StoreRegistry()

  private enum Place: Hashable {
    case file(FileIdentity)
    case name(String)
  }
  private struct Entry {
    var number: Int
    var storage: SharedStorage
    var kind: String
    var options: StorageOptions
  }

  // `condition` protects all of it.
  private let condition = NSCondition()
  private var entries: [Place: Entry] = [:]
  private var lastNumber = 0
  private var isOpening = false

  /// Opens a store at a path, or shares the one that this process has open there.
  ///
  /// - Parameters:
  ///   - path: the file or folder, or with `isFile` false any name.
  ///   - isFile: whether `path` is a path; links to one file are one place.
  ///   - file: the file that stays the same as long as nobody removes or replaces the store, where
  ///     that is not `path` itself.
  ///   - kind: the backend's name.
  ///   - options: must be those of the open store, but for the timeout.
  ///   - make: opens the storage. Called by one thread of the process at a time.
  /// - Returns: a handle of its own on the store.
  /// - Throws: ``StorageError/Code/alreadyOpen`` if it is open as another kind or with different
  ///   options; ``StorageError/Code/busy``; what `make` throws.
  public func open(
    _ path: String,
    isFile: Bool = true,
    file: String? = nil,
    kind: String,
    options: StorageOptions,
    make: () throws(StorageError) -> any Storage
  ) throws(StorageError) -> Store {
    let deadline = Date(timeIntervalSinceNow: options.timeout.seconds)
    condition.lock()
    while true {
      if !isOpening {
        guard let place = Self.place(path, isFile), let entry = entries[place],
          !entry.storage.isForked, entry.storage.isInPlace
        else { break }
        guard entry.kind == kind, Self.isSame(entry.options, options) else {
          condition.unlock()
          throw StorageError(
            .alreadyOpen,
            "\(path) is open in this process as \(entry.kind) with other options; "
              + "close it first or use the same"
          )
        }
        if entry.storage.retainHandle() {
          condition.unlock()
          return Store(sharing: entry.storage, wasCreated: false)
        }
      }
      // Somebody opens or closes; the place is free or shared afterwards.
      if !condition.wait(until: deadline) {
        condition.unlock()
        throw StorageError(.busy, "\(path) is being opened or closed elsewhere; try again")
      }
    }
    isOpening = true
    condition.unlock()
    defer {
      condition.lock()
      isOpening = false
      condition.broadcast()
      condition.unlock()
    }
    let storage = try make()
    let place = Self.place(path, isFile)
    let number = condition.withLock {
      lastNumber += 1
      return lastNumber
    }
    let shared = SharedStorage(storage, options: options, file: isFile ? file ?? path : nil) {
      [self] in
      if let place { remove(place, number) }
    }
    if let place {
      condition.withLock {
        entries[place] = Entry(number: number, storage: shared, kind: kind, options: options)
      }
    }
    return Store(sharing: shared, wasCreated: storage.wasCreated)
  }

  private func remove(_ place: Place, _ number: Int) {
    condition.lock()
    // Another store may have come to be there meanwhile.
    if entries[place]?.number == number { entries[place] = nil }
    condition.broadcast()
    condition.unlock()
  }

  private static func isSame(_ left: StorageOptions, _ right: StorageOptions) -> Bool {
    var left = left
    left.timeout = right.timeout
    left.createsIfMissing = right.createsIfMissing
    return left == right
  }

  private static func place(_ path: String, _ isFile: Bool) -> Place? {
    isFile ? FileIdentity(at: path).map { .file($0) } : .name(path)
  }
}
