import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// The key-value adapter's schema changes, on LMDB and on memory with LMDB's longest key.
@Suite struct SchemaChangeTests {
  private func run<Engine: OrderedKeyValueEngine>(
    _ storages: [KeyValueStorage<Engine>],
    transactions: Int
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    try withKnownSeed(seed) {
      var history = SchemaHistory(storages, seed: seed)
      try history.run(transactions: transactions)
      #expect(history.changes > transactions / 4 && history.refusals > 0)
    }
  }

  /// Prints the seed with whatever fails.
  private func withKnownSeed(_ seed: UInt64, _ body: () throws -> Void) rethrows {
    do {
      try body()
    } catch {
      Issue.record("seed \(seed)")
      throw error
    }
  }

  @Test func `random histories agree with a model, in memory`() throws {
    let engine = MemoryEngine(maximumKeyLength: 511)
    try run([try KeyValueStorage(engine), try KeyValueStorage(engine)], transactions: 150)
  }

  @Test func `random histories agree with a model, in LMDB`() throws {
    let folder = try TemporaryFolder()
    var options = StorageOptions()
    options.durability = .none
    let storages = try (0..<2).map { _ in
      try LMDBStorage.open(path: folder.path("store"), options: options)
    }
    try run(storages, transactions: 150)
    for storage in storages { try storage.close() }
    let storage = try LMDBStorage.open(path: folder.path("store"), options: options)
    #expect(try storage.verify(timeout: .seconds(5)) == [])
    try storage.close()
  }
}
