import Foundation
import Holdfast
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The commands: collections are those of ``Shapes``.
extension ConformancePeer {
  /// Does what a line says.
  ///
  /// - `open [readonly] [existing] [timeout=MILLISECONDS]`: opens the store; says whether it was
  ///   `created` or `found`.
  /// - `close`
  /// - `begin read|write|savepoint`, then `commit` or `rollback`: one answer to each.
  /// - `create NAME [automatic]`: creates a collection if it is not there; `drop NAME` drops one.
  /// - `insert NAME FIRST COUNT [BYTES]`: inserts records, their names as long as that.
  /// - `next NAME`: inserts into a collection with automatic keys, and says the key.
  /// - `increment NAME ID TIMES`: adds one to a rank, each time in a transaction of its own.
  /// - `ids NAME`, `count NAME`: reads.
  /// - `stream NAME`: inserts records without end, and answers each committed one with its id.
  /// - `readers COUNT`: begins readers on threads of their own, which never end.
  /// - `migrate COUNT [hang]`: applies so many migrations, and says how many were new; with `hang` it
  ///   answers in the middle of the last one and stays there.
  /// - `fork`: forks, and says what error the child gets from the store.
  func perform(_ words: [String]) throws -> String {
    func word(_ index: Int) throws -> String {
      guard index < words.count else {
        throw StorageError(.malformedInput, "the command \(words) lacks a word")
      }
      return words[index]
    }
    func number(_ index: Int) throws -> Int { Int(try word(index)) ?? 0 }
    switch words.first {
    case "open": return try open(Self.options(words)).wasCreated ? "created" : "found"
    case "close": try close()
    case "begin": try begin(try word(1))
    case "create":
      let name = try word(1)
      _ = try writing {
        try $0.ensureCollection(words.count > 2 ? Shapes.automatic(name) : Shapes.item(name))
      }
    case "drop":
      let name = try word(1)
      try writing { try $0.dropCollection(name) }
    case "insert":
      let bytes = words.count > 4 ? try number(4) : nil
      try insert(try number(2)..<number(2) + number(3), try word(1), bytes)
    case "next":
      return Self.text(try writing { try $0.insert(["name": "next"], into: word(1)) }[0])
    case "increment": try increment(try number(2), try word(1), times: try number(3))
    case "ids":
      let ids = try reading { try $0.ids(Query(word(1))) }
      return ids.map(Self.text).joined(separator: " ")
    case "count": return "\(try reading { try $0.count(word(1)) })"
    case "stream": try stream(try word(1))
    case "readers": try beginReaders(try number(1))
    case "migrate": return try migrate(try number(1), hangs: words.contains("hang"))
    case "fork": return try fork()
    default: throw StorageError(.malformedInput, "the peer knows no command \(words)")
    }
    return ""
  }

  static func text(_ value: Value) -> String {
    guard case .integer(let integer) = value else { return "?" }
    return String(integer)
  }

  private static func options(_ words: [String]) -> StorageOptions {
    var options = ConformanceContext.quick
    options.isReadOnly = words.contains("readonly")
    options.createsIfMissing = !words.contains("existing")
    for word in words where word.hasPrefix("timeout=") {
      options.timeout = .milliseconds(Int(word.dropFirst(8)) ?? 0)
    }
    return options
  }

  private func insert(_ ids: Range<Int>, _ collection: String, _ bytes: Int?) throws {
    try writing { transaction in
      guard let bytes else { return try transaction.insertItems(ids, into: collection) }
      let name = Value.text(String(repeating: "x", count: bytes))
      for id in ids {
        try transaction.insert(["id": .integer(Int64(id)), "name": name], into: collection)
      }
    }
  }

  private func increment(_ id: Int, _ collection: String, times: Int) throws {
    let key = Key(.integer(Int64(id)))
    for _ in 0..<times {
      try writing { try $0.increment(key, in: collection) }
    }
  }

  private func stream(_ collection: String) throws {
    var id = 0
    while true {
      try writing { try $0.insertItems([id], into: collection) }
      Self.answer("ok \(id)")
      id += 1
    }
  }

  private func beginReaders(_ count: Int) throws {
    let store = try store()
    let began = DispatchSemaphore(value: 0)
    let failure = Mutex<(any Error)?>(nil)
    for _ in 0..<count {
      Thread.detachNewThread {
        do {
          try store.read { transaction in
            _ = try transaction.catalog
            began.signal()
            while true { pause() }
          }
        } catch {
          failure.withLock { $0 = error }
          began.signal()
        }
      }
    }
    for _ in 0..<count { began.wait() }
    if let error = failure.withLock({ $0 }) { throw error }
  }

  private func migrate(_ count: Int, hangs: Bool) throws -> String {
    var steps = MigrationCases.steps(count)
    if hangs, let last = steps.popLast() {
      steps.append(
        Migration(last.name) { transaction in
          try last.body(transaction)
          Self.answer("ok")
          while true { pause() }
        }
      )
    }
    return "\(try store().migrate(steps).count)"
  }

  /// Swift does not let one call `fork` by name.
  private func fork() throws -> String {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else {
      throw StorageError(.unsupported, "this system has no fork")
    }
    let store = try store()
    let child = unsafeBitCast(symbol, to: Fork.self)()
    if child == 0 {
      Self.answer(
        "ok \(Self.outcome { try store.read { _ in } }) \(Self.outcome { try store.write { _ in } })"
      )
      _exit(0)
    }
    guard child > 0 else { throw StorageError(.ioError, "fork failed") }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return "\(status)"
  }

  private static func outcome(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "done"
    } catch let error as StorageError {
      return error.code.rawValue
    } catch {
      return "\(type(of: error))"
    }
  }
}

extension WriteTransaction {
  /// Adds one to the rank of an item.
  func increment(_ key: Key, in collection: String) throws {
    guard case .integer(let rank) = try value("rank", of: key, in: collection) else {
      throw StorageError(.notFound, "the item to increment is not there")
    }
    try update(key, set: ["rank": .integer(rank + 1)], in: collection)
  }
}
