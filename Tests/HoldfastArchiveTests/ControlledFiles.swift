import Foundation
import Holdfast
import HoldfastArchive
import Synchronization

/// File operations that count, die at a chosen call, and know what a power loss would leave.
final class ControlledFiles: FileOperations {
  /// What the disk would hold after a power loss.
  struct Leftover {
    /// How many commits had been acknowledged.
    var acknowledged: Int
    /// Files by name where nothing that was not synced survives.
    var strict: [String: Data]
    /// Files by name where folder entries survive, and file contents only if synced.
    var entriesKept: [String: Data]
  }

  private struct Inode {
    var current = Data()
    var synced = Data()
  }

  private struct State {
    var calls = 0
    var bytesWritten = 0
    var inodes: [Inode] = []
    var entries: [String: Int] = [:]
    var syncedEntries: [String: Int] = [:]
    var open: [Int32: Int] = [:]
    var acknowledged = 0
    var leftovers: [Leftover] = []
    var failed = ""
    var beforeSync: (@Sendable (String) -> Void)?
  }

  private let system = SystemFiles()
  private let deadFrom: Int?
  private let failingAt: Int?
  private let errorNumber: Int32
  private let folder: String?
  private let state = Mutex(State())

  /// Files of which only the call `failingAt` fails, for lack of room unless told otherwise.
  convenience init(failingAt call: Int, error: Int32 = ENOSPC) {
    self.init(deadFrom: nil, failingAt: call, error: error, recording: nil)
  }

  /// Files of which the call `deadFrom` fails, half done, and all later ones fail too; and that
  /// follow what is durable in the folder `recording`.
  convenience init(deadFrom: Int? = nil, error: Int32 = EIO, recording folder: String? = nil) {
    self.init(deadFrom: deadFrom, failingAt: nil, error: error, recording: folder)
  }

  private init(deadFrom: Int?, failingAt: Int?, error: Int32, recording folder: String?) {
    self.deadFrom = deadFrom
    self.failingAt = failingAt
    errorNumber = error
    self.folder = folder
    guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return }
    state.withLock { state in
      for name in names {
        let data = (try? Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))) ?? Data()
        state.entries[name] = state.inodes.count
        state.inodes.append(Inode(current: data, synced: data))
      }
      state.syncedEntries = state.entries
    }
  }

  var calls: Int { state.withLock { $0.calls } }
  var bytesWritten: Int { state.withLock { $0.bytesWritten } }
  var leftovers: [Leftover] { state.withLock { $0.leftovers } }
  /// The call that was the first to fail: what it does, and the file's name.
  var failed: String { state.withLock { $0.failed } }
  func acknowledge() { state.withLock { $0.acknowledged += 1 } }

  /// Runs a closure before each file or folder is synced, with its name; it may use the store.
  func beforeSync(_ body: @escaping @Sendable (String) -> Void) {
    state.withLock { $0.beforeSync = body }
  }

  private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

  /// Counts a call; false if the process is dead.
  private func count(_ action: String, _ path: String) -> (isAlive: Bool, isFirstDead: Bool) {
    state.withLock { state in
      state.calls += 1
      if state.calls == failingAt ?? deadFrom { state.failed = "\(action) \(Self.name(path))" }
      if let failingAt { return (state.calls != failingAt, state.calls == failingAt) }
      guard let deadFrom else { return (true, false) }
      return (state.calls < deadFrom, state.calls == deadFrom)
    }
  }

  private func step(_ action: String, _ path: String) throws(StorageError) {
    if !count(action, path).isAlive { throw SystemError.error(errorNumber, "use", "a dead disk") }
  }

  private func note(_ change: (inout State) -> Void) {
    guard folder != nil else { return }
    state.withLock { state in
      change(&state)
      func files(_ entries: [String: Int]) -> [String: Data] {
        entries.mapValues { state.inodes[$0].synced }
      }
      state.leftovers.append(
        Leftover(
          acknowledged: state.acknowledged,
          strict: files(state.syncedEntries),
          entriesKept: files(state.entries)
        )
      )
    }
  }

  /// The number of an open file, which it may have had before it was first written to.
  private static func inode(_ file: Int32, _ path: String, _ state: inout State) -> Int {
    if let inode = state.entries[name(path)], state.open[file] == nil { return inode }
    return state.open[file] ?? 0
  }

  func create(_ path: String, mode: UInt32?) throws(StorageError) -> Int32 {
    try step("create", path)
    let file = try system.create(path, mode: mode)
    note { state in
      state.entries[Self.name(path)] = state.inodes.count
      state.open[file] = state.inodes.count
      state.inodes.append(Inode())
    }
    return file
  }

  func write(
    _ bytes: UnsafeRawBufferPointer,
    to file: Int32,
    at offset: Int,
    path: String
  ) throws(StorageError) {
    let (isAlive, isFirstDead) = count("write", path)
    if isFirstDead {
      let half = UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)])
      try system.write(half, to: file, at: offset, path: path)
    }
    guard isAlive else { throw SystemError.error(errorNumber, "write", path) }
    try system.write(bytes, to: file, at: offset, path: path)
    state.withLock { $0.bytesWritten += bytes.count }
    let data = Data(bytes)
    note { state in
      let inode = Self.inode(file, path, &state)
      var content = state.inodes[inode].current.prefix(offset)
      content.append(data)
      state.inodes[inode].current = Data(content)
    }
  }

  func truncate(_ file: Int32, to length: Int, path: String) throws(StorageError) {
    try step("truncate", path)
    try system.truncate(file, to: length, path: path)
    note { state in
      let inode = Self.inode(file, path, &state)
      state.inodes[inode].current = Data(state.inodes[inode].current.prefix(length))
    }
  }

  func sync(_ file: Int32, path: String) throws(StorageError) {
    state.withLock { $0.beforeSync }?(Self.name(path))
    try step("sync", path)
    note { state in
      let inode = Self.inode(file, path, &state)
      state.inodes[inode].synced = state.inodes[inode].current
    }
  }

  func syncFolder(_ path: String) throws(StorageError) {
    state.withLock { $0.beforeSync }?(Self.name(path))
    try step("sync", path)
    note { $0.syncedEntries = $0.entries }
  }

  func rename(_ path: String, to newPath: String) throws(StorageError) {
    try step("rename", path)
    try system.rename(path, to: newPath)
    note { $0.entries[Self.name(newPath)] = $0.entries.removeValue(forKey: Self.name(path)) }
  }

  func remove(_ path: String) throws(StorageError) {
    try step("remove", path)
    try system.remove(path)
    note { $0.entries[Self.name(path)] = nil }
  }

  func makeFolder(_ path: String) throws(StorageError) {
    try step("makeFolder", path)
    try system.makeFolder(path)
  }

  func setMode(_ mode: UInt32, of path: String) throws(StorageError) {
    try step("setMode", path)
    try system.setMode(mode, of: path)
  }

  func removeFolder(_ path: String) throws(StorageError) {
    try step("removeFolder", path)
    try system.removeFolder(path)
  }

  func close(_ file: Int32) {
    system.close(file)
    note { $0.open[file] = nil }
  }
}
