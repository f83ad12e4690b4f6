import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// A store with five hundred entries, for tests of what is done to a store as a whole.
struct SmallStore {
  let folder: TemporaryFolder
  let path: String
  let data: String
  let engine: LMDBEngine
  let table: KeyValueTable

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
    data = path + "/data.mdb"
    engine = try LMDBEngine(path: path)
    table = try engine.write { writer in
      let table = try writer.createTable("c1")
      for number in 0..<500 {
        try writer.put("\(number)", [UInt8](repeating: 1, count: 1000), in: table)
      }
      return table
    }
  }

  func size(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
  }

  func removeMost() throws {
    try engine.write { writer in
      for number in 10..<500 { _ = try writer.delete("\(number)", in: table) }
    }
  }

  /// Opens a store with LMDB alone and waits for lines: `write NAME` makes a table and commits.
  func startOther() throws -> Python {
    let script = #"""
      import sys, lmdb
      environment = lmdb.open(sys.argv[1], max_dbs=2000, map_size=1 << 30)
      print("open", flush=True)
      for line in sys.stdin:
          words = line.split()
          if words[0] == "write":
              with environment.begin(write=True) as transaction:
                  table = environment.open_db(words[1].encode(), txn=transaction)
                  transaction.put(b"a", words[1].encode(), db=table)
          elif words[0] == "read":
              transaction = environment.begin()
          print("done", flush=True)
      """#
    let python = try Python(script, [path])
    #expect(try python.line() == "open")
    return python
  }

  func ask(_ python: Python, _ line: String) throws {
    try python.say(line)
    #expect(try python.line() == "done")
  }
}

/// A suite whose tests have a ``SmallStore`` each.
protocol SmallStoreSuite {
  var store: SmallStore { get }
}

extension SmallStoreSuite {
  var folder: TemporaryFolder { store.folder }
  var path: String { store.path }
  var data: String { store.data }
  var engine: LMDBEngine { store.engine }
  var table: KeyValueTable { store.table }
}
