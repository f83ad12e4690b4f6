import Foundation
public import Holdfast
import HoldfastArchive

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

extension Backends {
  /// Makes a store out of another one, of any backend: every collection, record, index, reference,
  /// counter and applied migration, from one snapshot.
  ///
  /// Where nothing is yet, or only an empty file or folder, the store is made in a folder beside its
  /// place, in transactions of bounded size, and moved there when it is complete and on disk; its
  /// files may be read by no more people than the source's. A store without collections is filled in
  /// one transaction. Either way there is all of it or nothing, also if the process is killed; what a
  /// killed one left beside the place goes with the next attempt.
  ///
  /// - Parameters:
  ///   - source: the store to copy; it is not created.
  ///   - destination: where it goes.
  ///   - isVerified: whether the new store is verified and compared with the snapshot before it
  ///     takes its place.
  ///   - progress: called with the number of records copied so far, now and then.
  /// - Returns: the number of records.
  /// - Throws: `StorageError.Code.alreadyExists` if the destination has collections, or is the source
  ///   or a part of it; `StorageError.Code.corrupt` if the source is damaged or the new store differs;
  ///   `StorageError.Code.referenceViolation` if it holds broken references; what opening either
  ///   throws.
  @available(*, noasync)
  @discardableResult
  public static func convert(
    _ source: StorageURL,
    to destination: StorageURL,
    verifying isVerified: Bool = false,
    progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    try destination.checkApart(from: source)
    return try withStore(source, creates: false) { original in
      try original.read { _ in
        try make(destination, from: source) { store, isDraft in
          let count =
            isDraft
            ? try original.fill(store, progress: progress)
            : try original.copy(into: store, progress: progress)
          if isVerified { try check(store, against: original) }
          return count
        }
      }
    }
  }

  /// Copies one snapshot of a store to a path where nothing is yet, while others read and write.
  ///
  /// - Parameters:
  ///   - source: the store to copy; it is not created.
  ///   - path: where the copy goes, which is of the same backend.
  /// - Throws: `StorageError.Code.unsupported` for a backend that has no backup;
  ///   `StorageError.Code.alreadyExists` if something is at the path, or it belongs to the store; what
  ///   opening the store throws. Nothing is left at the path then.
  @available(*, noasync)
  public static func backup(_ source: StorageURL, to path: String) throws {
    if source.scheme != .memory {
      try StorageURL(source.scheme, path: path).checkApart(from: source)
    }
    try withStore(source, creates: false) { try $0.backup(to: path) }
  }

  /// Replaces everything in a store by what another one holds, of any backend, such as a backup.
  ///
  /// A source with faults is refused. A store that exists is replaced in one transaction, see
  /// `Store.restore(from:progress:)`; one that does not is made as ``convert(_:to:verifying:progress:)``
  /// makes it. A damaged one is left alone: move it away first.
  ///
  /// - Parameters:
  ///   - destination: the store whose content is replaced.
  ///   - source: the store to restore from; it is only read.
  ///   - progress: called with the number of records copied so far, now and then.
  /// - Returns: the number of records.
  /// - Throws: `StorageError.Code.corrupt` if either is damaged; `StorageError.Code.alreadyExists` if
  ///   both are one store; `StorageError.Code.busy`, `StorageError.Code.readOnly`; what opening
  ///   either throws.
  @available(*, noasync)
  @discardableResult
  public static func restore(
    _ destination: StorageURL,
    from source: StorageURL,
    progress: (Int) -> Void = { _ in }
  ) throws -> Int {
    try destination.checkApart(from: source)
    return try withStore(source, creates: false) { backup in
      if try isVacant(destination) {
        try backup.checkSound()
        return try convert(source, to: destination, progress: progress)
      }
      return try closing(try openForRestoring(destination)) {
        try $0.restore(from: backup, progress: progress)
      }
    }
  }

  /// Opens a store that is to be restored.
  private static func openForRestoring(_ url: StorageURL) throws(StorageError) -> Store {
    do throws(StorageError) {
      return try open(url)
    } catch {
      guard error.code == .corrupt else { throw error }
      var error = error
      let others =
        url.scheme == .sqlite ? ", with the -wal and -journal beside it if there are any" : ""
      error.message +=
        "; nothing was changed: move \(url.path) away\(others), and restore again to make it anew"
      throw error
    }
  }

  /// The URL of the store that is at a path, told by what is there.
  ///
  /// - Throws: `StorageError.Code.cannotOpen` if nothing is there; `StorageError.Code.wrongKind` if
  ///   it is no store; `StorageError.Code.corrupt`, `StorageError.Code.permissionDenied`.
  public static func url(ofStoreAt path: String) throws(StorageError) -> StorageURL {
    switch StoreKind(at: path) {
    case .sqlite: return StorageURL(.sqlite, path: path)
    case .lmdb: return StorageURL(.lmdb, path: path)
    case .archive:
      let isPropertyList = try ArchiveFormat.ofArchive(at: path) == .propertyList
      return StorageURL(isPropertyList ? .plist : .json, path: path)
    case .missing: throw StorageError(.cannotOpen, "there is no store at \(path); check the path")
    case .unreadable:
      throw StorageError(.permissionDenied, "\(path) cannot be read; check its permissions")
    case let kind:
      throw StorageError(.wrongKind, "\(path) is \(kind), not a store; check the path")
    }
  }

  // MARK: Parts

  /// Whether a store can be made at a place without taking anything away.
  private static func isVacant(_ url: StorageURL) throws(StorageError) -> Bool {
    if url.scheme == .memory { return false }
    try checkKind(url)
    guard [.missing, .emptyFile, .emptyFolder].contains(StoreKind(at: url.path)) else {
      return false
    }
    if url.scheme == .sqlite { try checkNoLog(beside: url.path) }
    return true
  }

  /// Checks that no log of a database that is gone would be taken for the new one's.
  private static func checkNoLog(beside path: String) throws(StorageError) {
    for suffix in ["-wal", "-journal"] {
      var status = stat()
      guard lstat(path + suffix, &status) == 0 else { continue }
      throw StorageError(
        .alreadyExists,
        "\(path)\(suffix) belongs to a database that is not there any more; move it away first",
        backend: "sqlite"
      )
    }
  }

  /// Opens the store to be filled: a draft that takes the place at the end, or the empty store that
  /// is there.
  private static func make(
    _ url: StorageURL,
    from source: StorageURL,
    _ body: (Store, _ isDraft: Bool) throws -> Int
  ) throws -> Int {
    guard try isVacant(url), !url.options.isReadOnly, url.options.createsIfMissing else {
      return try withStore(url, creates: true) { try body($0, false) }
    }
    var draftURL = url
    // A link to an empty file or folder stays a link.
    draftURL.path = PathText.resolved(url.path)
    let draft = try StoreDraft(for: draftURL)
    do {
      draftURL.path = draft.path
      // The draft is flushed as a whole.
      draftURL.options.durability = .none
      let count = try withStore(draftURL, creates: true) { try body($0, true) }
      try draft.publish(permissions: permissions(of: source))
      return count
    } catch {
      draft.discard()
      throw error
    }
  }

  /// What the files of a store allow; nil for one without files.
  private static func permissions(of url: StorageURL) -> mode_t? {
    let file =
      switch url.scheme {
      case .memory: ""
      case .sqlite: url.path
      case .lmdb: url.path + "/data.mdb"
      case .json, .plist: url.path + "/catalog.json"
      }
    var status = stat()
    guard stat(file, &status) == 0 else { return nil }
    return status.st_mode & 0o777
  }

  private static func check(_ store: Store, against original: Store) throws {
    let faults = try store.verify().filter(\.isFault)
    var first = faults.first?.message
    if first == nil {
      try original.compare(with: store) { difference in
        first = difference.description
        return false
      }
    }
    guard let first else { return }
    throw StorageError(
      .corrupt,
      "the copy was found to differ: \(first); verify the source, remove the copy if there is one, "
        + "and try again"
    )
  }

  private static func withStore<T>(
    _ url: StorageURL,
    creates: Bool,
    _ body: (Store) throws -> T
  ) throws -> T {
    var url = url
    if !creates, url.scheme != .memory { url.options.createsIfMissing = false }
    let store = try open(url)
    return try closing(store, after: body)
  }

  private static func closing<T>(_ store: Store, after body: (Store) throws -> T) throws -> T {
    let result: T
    do {
      result = try body(store)
    } catch {
      // The first failure is the one to report.
      _ = Result { try store.close() }
      throw error
    }
    try store.close()
    return result
  }
}
