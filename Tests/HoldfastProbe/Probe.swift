import Foundation
import Holdfast
import HoldfastBackends

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A child process for tests that kill, trace or measure one.
///
/// - `inserts URL COUNT`: inserts records, each in a transaction of its own, and prints each key in a
///   line once its commit has returned.
/// - `alters URL COUNT`: keeps COUNT records, changes their collection over and over, and prints the
///   name of the last field in a line once its commit has returned.
/// - `allocations URL COUNT`: prints how often an insert, a get and a row of a scan allocate.
/// - `scale URL COUNT`: inserts records in transactions of 10,000, scans them all, and prints the
///   peak of anonymous memory.
/// - `answers URL 0`: inserts a record for each line of standard input, and prints the monotonic
///   clock's nanoseconds once its commit has returned.
/// - `streams URL COUNT`: inserts records, streams them all as models, and prints how many KiB of
///   anonymous memory the second half took more than the first, which fills the engine's cache.
@main
struct Probe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else {
      fail("usage: HoldfastProbe inserts|alters|allocations|scale|answers|streams URL COUNT")
    }
    let store = try Backends.open(arguments[2])
    try store.write { transaction in
      if try transaction.catalog.collection(named: collection.name) == nil {
        try transaction.createCollection(collection)
      }
    }
    switch arguments[1] {
    case "inserts": try inserts(store, count)
    case "alters": try alters(store, count)
    case "scale": try scale(store, count)
    case "answers": try answers(store)
    case "allocations":
      guard let allocations = Allocations() else { fail("nothing counts allocations") }
      try allocations.run(store, count)
    case "streams": try streams(store, count)
    default: fail("unknown command \(arguments[1])")
    }
    try store.close()
  }

  private static let collection = CollectionDefinition(
    "event",
    fields: [
      FieldDefinition("id", .integer), FieldDefinition("user", .integer),
      FieldDefinition("at", .date), FieldDefinition("text", .text),
    ],
    key: ["id"],
    automaticKey: true,
    indexes: [IndexDefinition(["user", "id"])]
  )

  private static func record(_ number: Int) -> [String: Value] {
    [
      "user": .integer(Int64(number % 100)),
      "at": .text("2026-01-31T12:00:00.000000000Z"),
      "text": .text(
        "event \(number), 事件, with a text of about a hundred bytes so that pages fill up"
      ),
    ]
  }

  private static func inserts(_ store: Store, _ count: Int) throws {
    for number in 1...count {
      let key = try store.write { try $0.insert(record(number), into: "event") }
      guard case .integer(let id) = key[0] else { fail("no integer key") }
      let line = Array("\(id)\n".utf8)
      guard write(1, line, line.count) == line.count else { fail("the reader has gone") }
    }
  }

  private static func alters(_ store: Store, _ count: Int) throws {
    try store.write { transaction in
      let missing = count - (try transaction.count("event"))
      for number in 0..<missing { try transaction.insert(record(number), into: "event") }
    }
    while true {
      let name = try store.write { transaction in
        let fields = try transaction.collection("event").fields
        let last = fields[fields.count - 1]
        let name = last.name == "text" ? "words" : "text"
        try transaction.alterCollection(
          "event",
          .renameField(last.name, to: name),
          .setOptional(name, !last.isOptional),
          .changeType("user", to: fields[1].type == .integer ? .text : .integer)
        )
        return name
      }
      let line = Array("\(name)\n".utf8)
      guard write(1, line, line.count) == line.count else { fail("the reader has gone") }
    }
  }

  private static func answers(_ store: Store) throws {
    var number = 0
    while readLine() != nil {
      try store.write { try $0.insert(record(number), into: "event") }
      var time = timespec()
      guard clock_gettime(CLOCK_MONOTONIC, &time) == 0 else { fail("there is no clock") }
      let line = Array("\(UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))\n".utf8)
      guard write(1, line, line.count) == line.count else { fail("the reader has gone") }
      number += 1
    }
  }

  private static func scale(_ store: Store, _ count: Int) throws {
    let clock = ContinuousClock()
    var peak = 0
    let inserted = try clock.measure {
      for start in stride(from: 0, to: count, by: 10_000) {
        try store.write { transaction in
          for number in start..<min(start + 10_000, count) {
            try transaction.insert(record(number), into: "event")
          }
        }
        peak = max(peak, anonymousMemory())
      }
    }
    let insertPeak = peak
    peak = 0
    var seen = 0
    let scanned = try clock.measure {
      try store.read { transaction in
        let rows = try transaction.rows(Query("event"))
        while try rows.next() != nil {
          seen += 1
          if seen % 10_000 == 0 { peak = max(peak, anonymousMemory()) }
        }
      }
    }
    guard seen == count else { fail("scanned \(seen) of \(count) records") }
    print(
      "records \(count) insert \(inserted.formatted()) scan \(scanned.formatted())",
      "peak RssAnon: insert \(insertPeak / 1024) MiB, scan \(peak / 1024) MiB"
    )
  }

  private struct Event: Model {
    var id: Int64?
    var user: Int64
    var at: Date
    var text: String
  }

  private static func streams(_ store: Store, _ count: Int) throws {
    for start in stride(from: 0, to: count, by: 10_000) {
      try store.write { transaction in
        for number in start..<min(start + 10_000, count) {
          try transaction.insert(record(number), into: "event")
        }
      }
    }
    let ended = DispatchSemaphore(value: 0)
    Task {
      defer { ended.signal() }
      do {
        var (seen, first, peak) = (0, 0, 0)
        for try await event in Repository<Event>(store).all.stream() {
          seen += event.text.isEmpty ? 0 : 1
          if seen == count / 2 { first = anonymousMemory() }
          if seen > count / 2, seen % 1000 == 0 { peak = max(peak, anonymousMemory()) }
        }
        guard seen == count else { fail("streamed \(seen) of \(count) records") }
        print(max(0, peak - first))
      } catch {
        fail("streaming failed: \(error)")
      }
    }
    ended.wait()
  }

  /// Anonymous memory of this process, in KiB; 0 where the system does not tell.
  private static func anonymousMemory() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
    else { return 0 }
    return Int(line.split(separator: " ").dropLast().last ?? "") ?? 0
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("HoldfastProbe: \(message)\n".utf8))
    exit(2)
  }
}
