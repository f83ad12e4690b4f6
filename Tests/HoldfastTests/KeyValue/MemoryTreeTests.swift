import Dispatch
import Synchronization
import Testing

@testable import Holdfast

/// The copy-on-write tree, its snapshots and cursors, against a sorted dictionary.
struct MemoryTreeTests {
  /// Keys of very different lengths, many of which share their first eight bytes.
  static func key(using random: inout SeededGenerator, range: Int) -> [UInt8] {
    let number = Int.random(in: 0..<range, using: &random)
    switch number % 3 {
    case 0: return Array("\(number)".utf8)
    case 1: return Array("a common beginning \(number)".utf8)
    default: return [UInt8](repeating: 0, count: number % 11) + [UInt8(number % 256)]
    }
  }

  static func entries(_ engine: MemorySnapshot, _ table: KeyValueTable, reversed: Bool = false)
    throws -> [[UInt8]]
  {
    let cursor = try engine.openCursor(in: table)
    defer { cursor.close() }
    var found: [[UInt8]] = []
    var isFound = try reversed ? cursor.last() : cursor.first()
    while isFound {
      found.append(Array(cursor.key) + [0xAA] + Array(cursor.value))
      isFound = try reversed ? cursor.previous() : cursor.next()
    }
    return found
  }

  static func entries(_ model: [[UInt8]: [UInt8]]) -> [[UInt8]] {
    model.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { $0.key + [0xAA] + $0.value }
  }

  static func bytes<T>(_ array: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T
  {
    try array.withUnsafeBytes(body)
  }

  @Test(arguments: [40, 3000, 100_000])
  func `random histories end like a dictionary's, snapshots and nested rollbacks included`(
    range: Int
  ) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    let engine = MemoryEngine()
    var model: [[UInt8]: [UInt8]] = [:]
    var snapshots: [(MemorySnapshot, [[UInt8]])] = []
    let setup = try engine.beginWriting(timeout: .seconds(5))
    let table = try setup.createTable("t")
    try setup.commit()
    for _ in 0..<30 {
      let writer = try engine.beginWriting(timeout: .seconds(5))
      var working = model
      var saved: [[[UInt8]: [UInt8]]] = []
      let removesMore = Bool.random(using: &random)
      for _ in 0..<400 {
        let key = Self.key(using: &random, range: range)
        switch Int.random(in: 0..<20, using: &random) {
        case 0:
          try writer.beginNested()
          saved.append(working)
        case 1 where !saved.isEmpty:
          try writer.commitNested()
          saved.removeLast()
        case 2 where !saved.isEmpty:
          try writer.rollbackNested()
          working = saved.removeLast()
        case 3..<(removesMore ? 14 : 6):
          let was = try Self.bytes(key) { try writer.delete($0, in: table) }
          #expect(was == (working.removeValue(forKey: key) != nil), "seed \(seed)")
        case 14..<17:
          let value = key + [1]
          let isNew = try Self.bytes(key) { key in
            try Self.bytes(value) { try writer.insert(key, $0, in: table) }
          }
          #expect(isNew == (working[key] == nil), "seed \(seed)")
          if isNew { working[key] = value }
        default:
          let value = [UInt8](repeating: 3, count: Int.random(in: 0...30, using: &random))
          try Self.bytes(key) { key in
            try Self.bytes(value) { try writer.put(key, $0, in: table) }
          }
          working[key] = value
        }
        let probe = Self.key(using: &random, range: range)
        let value = try Self.bytes(probe) { try writer.get($0, in: table).map { Array($0) } }
        #expect(value == working[probe], "seed \(seed)")
      }
      while !saved.isEmpty {
        try writer.commitNested()
        saved.removeLast()
      }
      #expect(try writer.count(in: table) == working.count, "seed \(seed)")
      if Bool.random(using: &random) {
        try writer.commit()
        model = working
      } else {
        writer.end()
      }
      let reader = try engine.beginReading(timeout: .seconds(5))
      let expected = Self.entries(model)
      #expect(try Self.entries(reader, table) == expected, "seed \(seed)")
      #expect(
        try Self.entries(reader, table, reversed: true) == expected.reversed(),
        "seed \(seed)"
      )
      snapshots.append((reader, expected))
    }
    for (reader, expected) in snapshots {
      #expect(try Self.entries(reader, table) == expected, "seed \(seed)")
      reader.end()
    }
  }

  @Test func `seek finds the first entry that is not before the key`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    let writer = try MemoryEngine().beginWriting(timeout: .seconds(5))
    let table = try writer.createTable("t")
    var keys = Set<[UInt8]>()
    for _ in 0..<3000 {
      let key = Self.key(using: &random, range: 10_000)
      keys.insert(key)
      try Self.bytes(key) { try writer.put($0, $0, in: table) }
    }
    let sorted = keys.sorted { $0.lexicographicallyPrecedes($1) }
    let cursor = try writer.openCursor(in: table)
    for _ in 0..<2000 {
      let key = Self.key(using: &random, range: 10_000)
      let expected = sorted.firstIndex { !$0.lexicographicallyPrecedes(key) }
      let isFound = try Self.bytes(key) { try cursor.seek($0) }
      #expect(isFound == (expected != nil), "seed \(seed)")
      guard let expected, isFound else { continue }
      #expect(Array(cursor.key) == sorted[expected], "seed \(seed)")
      #expect(try cursor.previous() == (expected > 0), "seed \(seed)")
      if expected > 0 { #expect(Array(cursor.key) == sorted[expected - 1], "seed \(seed)") }
    }
  }

  @Test func `ascending, descending and emptied trees stay in order`() throws {
    let writer = try MemoryEngine().beginWriting(timeout: .seconds(5))
    let table = try writer.createTable("t")
    func key(_ number: Int) -> [UInt8] { KeyCodingTests.encode([.integer(Int64(number))]) }
    for number in 0..<5000 {
      try Self.bytes(key(number)) { try writer.put($0, .init(start: nil, count: 0), in: table) }
      try Self.bytes(key(-number)) { try writer.put($0, .init(start: nil, count: 0), in: table) }
    }
    let expected = (-4999..<5000).map { key($0) + [0xAA] }
    #expect(try Self.entries(writer, table) == expected)
    for number in (-4999..<5000).reversed() {
      #expect(try Self.bytes(key(number)) { try writer.delete($0, in: table) })
    }
    #expect(try writer.count(in: table) == 0)
    #expect(try Self.entries(writer, table).isEmpty)
    try Self.bytes(key(1)) { try writer.put($0, $0, in: table) }
    #expect(try writer.count(in: table) == 1)
  }

  @Test func `a cursor refuses to go on over a change`() throws {
    let writer = try MemoryEngine().beginWriting(timeout: .seconds(5))
    let table = try writer.createTable("t")
    try Self.bytes([1]) { try writer.put($0, $0, in: table) }
    let cursor = try writer.openCursor(in: table)
    #expect(try cursor.first())
    try Self.bytes([2]) { try writer.put($0, $0, in: table) }
    #expect(cursor.key.isEmpty && cursor.value.isEmpty)
    #expect { try cursor.next() } throws: { ($0 as? StorageError)?.code == .transactionClosed }
    #expect(try Self.bytes([1]) { try cursor.seek($0) })
    #expect(try cursor.next())
    writer.end()
    #expect { try cursor.next() } throws: { ($0 as? StorageError)?.code == .transactionClosed }
    #expect { try cursor.first() } throws: { ($0 as? StorageError)?.code == .transactionClosed }
  }

  @Test func `readers on other threads see whole transactions while a writer goes on`() throws {
    let engine = MemoryEngine()
    let setup = try engine.beginWriting(timeout: .seconds(5))
    let table = try setup.createTable("t")
    try setup.commit()
    let rounds = 150
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 3) { worker in
      do {
        if worker == 0 {
          for round in 0..<rounds {
            let writer = try engine.beginWriting(timeout: .seconds(30))
            // All values are alike at every commit, and the keys come and go in blocks.
            for number in 0..<200 {
              let key = KeyCodingTests.encode([.integer(Int64(number))])
              try Self.bytes(key) { key in
                if number / 50 == round % 4 {
                  _ = try writer.delete(key, in: table)
                } else {
                  try Self.bytes([UInt8(round)]) { try writer.put(key, $0, in: table) }
                }
              }
            }
            try writer.commit()
          }
        } else {
          var last: UInt8 = 0
          while last < UInt8(rounds - 1) {
            let reader = try engine.beginReading(timeout: .seconds(30))
            let values = try Self.entries(reader, table).compactMap(\.last)
            reader.end()
            guard let value = values.first else { continue }
            if Set(values).count != 1 || values.count != 150 || value < last {
              failures.withLock { $0.append("\(values.count) entries after \(last)") }
              return
            }
            last = value
          }
        }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 }.isEmpty)
  }

  @Test func `a second writer waits no longer than its timeout`() throws {
    let engine = MemoryEngine()
    let writer = try engine.beginWriting(timeout: .seconds(5))
    #expect { try engine.beginWriting(timeout: .milliseconds(1)) } throws: {
      ($0 as? StorageError)?.code == .busy
    }
    writer.end()
    writer.end()
    try engine.beginWriting(timeout: .milliseconds(1)).end()
    try engine.close()
    #expect { try engine.beginReading(timeout: .seconds(1)) } throws: {
      ($0 as? StorageError)?.code == .closed
    }
  }
}
