/// What a write transaction has changed so far, for those who observe the store.
///
/// With nobody observing it only notes which collections were touched.
final class ChangeLog {
  /// The most keys that one event names.
  static let maximumKeys = 10_000

  /// Whether keys are kept: somebody was observing when the transaction began.
  let isDetailed: Bool
  private var changes: [String: CollectionChange] = [:]
  private var keyCount = 0
  /// The collections that were changed, where keys are not kept: there are few.
  @exclusivity(unchecked) private var touched: [Collection] = []
  /// The collection that was touched last, while only that matters.
  @exclusivity(unchecked) private var lastTouched: Collection?

  /// The collections that were changed since a step of a migration began; nil outside of them.
  private var step: Set<String>?

  private enum Undo {
    case key(String, Key, CollectionChange.Kind?)
    case collection(String, CollectionChange?)
  }
  private var undo: [Undo] = []
  /// The lengths of ``undo``, or of ``touched``, at which the open savepoints began.
  private var savepoints: [Int] = []

  init(isDetailed: Bool) { self.isDetailed = isDetailed }

  /// What was changed, as one commit; nil if nothing was.
  var event: StoreChange? {
    var kept = changes.filter { !$0.value.isComplete || $0.value.count > 0 }
    for collection in touched { kept[collection.name] = CollectionChange(isComplete: false) }
    return kept.isEmpty ? nil : StoreChange(commits: 1, collections: kept)
  }

  /// Notes that anything in a collection may have changed.
  func touch(_ collection: Collection) {
    if lastTouched === collection { return }
    lastTouched = collection
    step?.insert(collection.name)
    if isDetailed {
      forgetKeys(of: collection.name)
    } else if !touched.contains(where: { $0 === collection }) {
      touched.append(collection)
    }
  }

  /// Notes the change of one record; the key is asked for only if it is kept.
  @inline(__always)
  func note(
    _ kind: CollectionChange.Kind,
    _ collection: Collection,
    key: () throws(StorageError) -> Key
  ) throws(StorageError) {
    if isDetailed { try noteKey(kind, collection, try key()) } else { touch(collection) }
  }

  private func noteKey(
    _ kind: CollectionChange.Kind,
    _ collection: Collection,
    _ key: Key
  ) throws(StorageError) {
    let name = collection.name
    guard let change = changes[name] else {
      prepareUndo(.collection(name, nil))
      changes[name] = CollectionChange()
      return try noteKey(kind, collection, key)
    }
    step?.insert(name)
    if !change.isComplete { return }
    if keyCount >= Self.maximumKeys {
      forgetKeys(of: name)
      return
    }
    let old = change.kinds[key]
    prepareUndo(.key(name, key, old))
    setKind(CollectionChange.Kind.merged(old, kind), of: key, name)
  }

  private func setKind(_ kind: CollectionChange.Kind?, of key: Key, _ name: String) {
    let before = changes[name]?.count ?? 0
    changes[name]?.kinds[key] = kind
    keyCount += (changes[name]?.count ?? 0) - before
  }

  private func forgetKeys(of name: String) {
    if let change = changes[name], !change.isComplete { return }
    prepareUndo(.collection(name, changes[name]))
    keyCount -= changes[name]?.count ?? 0
    changes[name] = CollectionChange(isComplete: false)
  }

  private func prepareUndo(_ entry: Undo) {
    if !savepoints.isEmpty { undo.append(entry) }
  }

  // MARK: Steps

  /// Begins to note which collections a step of a migration changes.
  func beginStep() {
    lastTouched = nil
    step = []
  }

  /// The collections that the step changed, by name.
  var collectionsOfStep: [String] { (step ?? []).sorted() }

  // MARK: Savepoints

  func beginSavepoint() {
    lastTouched = nil
    savepoints.append(isDetailed ? undo.count : touched.count)
  }

  func releaseSavepoint() {
    savepoints.removeLast()
    if savepoints.isEmpty { undo.removeAll() }
  }

  func rollbackSavepoint() {
    lastTouched = nil
    let count = savepoints.removeLast()
    guard isDetailed else {
      touched.removeLast(touched.count - count)
      return
    }
    while undo.count > count {
      switch undo.removeLast() {
      case .key(let name, let key, let kind): setKind(kind, of: key, name)
      case .collection(let name, let change):
        keyCount += (change?.count ?? 0) - (changes[name]?.count ?? 0)
        changes[name] = change
      }
    }
  }
}
