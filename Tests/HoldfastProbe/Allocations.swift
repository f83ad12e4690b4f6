import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A record of few fields: beside the record itself only `text` needs memory of its own.
private struct Narrow: Model {
  var id: Int64?
  var user: Int64
  var text: String
  static let schema = Schema<Narrow>("narrow", key: \.id) { Index(\.user) }
}

/// A record of many fields that needs no more memory than a narrow one.
private struct Wide: Model {
  var id: Int64?
  var a: Int64, b: Double, c: Bool, d: Int64?, e: String, f: Double, g: Int64, h: String
  var i: Int64, j: Double, k: Bool, l: Int64?, m: String, n: Double, o: Int64, p: Double?
  var text: String
  static let schema = Schema<Wide>("wide", key: \.id) { Index(\.a) }
}

/// Counts what the operations of a store take from the heap, on this thread.
///
/// The count is that of a library which the test has put in the way of `malloc`.
struct Allocations {
  private let counter: @convention(c) () -> UInt64

  /// Finds the counter; nil if the library is not there.
  init?() {
    guard let symbol = dlsym(nil, "holdfast_allocations") else { return nil }
    counter = unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
  }

  /// Prints for both records how many allocations an insert, a get, a row of a scan, a get in a
  /// snapshot of its own, a query of 20 records by an index, and an update in a transaction of its own
  /// take.
  func run(_ store: Store, _ count: Int) throws {
    let text = String(repeating: "text ", count: 20)
    try measure(store, "narrow", count, by: \.user) { Narrow(user: Int64($0), text: text) }
    try measure(store, "wide", count, by: \.a) { number in
      let n = Int64(number)
      return Wide(
        a: n,
        b: 0.5,
        c: true,
        d: nil,
        e: "short",
        f: 1,
        g: n,
        h: "text",
        i: n,
        j: 2,
        k: false,
        l: n,
        m: "",
        n: 3,
        o: n,
        p: nil,
        text: text
      )
    }
  }

  private func measure<M: Model>(
    _ store: Store,
    _ name: String,
    _ count: Int,
    by field: any WritableKeyPath<M, Int64> & Sendable,
    _ make: (Int) -> M
  ) throws {
    let repository = Repository<M>(store)
    let models = (0..<count).map(make)
    // Once for what is prepared at the first use, then counted.
    var inserted: UInt64 = 0
    for _ in 0..<2 {
      try store.write { transaction in
        for model in models.prefix(10) { try repository.insert(model, in: transaction) }
        inserted = try counting {
          for model in models { try repository.insert(model, in: transaction) }
        }
      }
    }
    var got: UInt64 = 0
    var scanned: UInt64 = 0
    try store.read { transaction in
      for round in 0..<2 {
        got = try counting {
          for key in 1...count { _ = try repository.get(Int64(key + round), in: transaction) }
        }
        scanned = try counting {
          try repository.forEach(limit: count, in: transaction) { _ in }
        }
      }
    }
    var gotEach: UInt64 = 0
    var queried: UInt64 = 0
    for round in 0..<2 {
      gotEach = try counting {
        for key in 1...count { _ = try repository.get(Int64(key + round)) }
      }
      queried = try counting {
        for _ in 1...count { _ = try repository.fetch(sort: [.ascending(field)], limit: 20) }
      }
    }
    var updated: UInt64 = 0
    for round in 0..<2 {
      // Never what is there already.
      var changed = try repository.fetch(limit: count)
      for place in changed.indices { changed[place][keyPath: field] += Int64(count + round) }
      updated = try counting { for model in changed { try repository.update(model) } }
    }
    let figures = [inserted, got, scanned, gotEach, queried, updated].map {
      "\(Double($0) / Double(count))"
    }
    print(name, figures.joined(separator: " "))
  }

  private func counting(_ body: () throws -> Void) rethrows -> UInt64 {
    let before = counter()
    try body()
    return counter() - before
  }
}
