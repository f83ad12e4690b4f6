import Foundation
import Holdfast
import HoldfastLMDB
import Testing

/// Checks of pages.
@Suite struct VerificationTests: SmallStoreSuite {
  let store: SmallStore

  init() throws { store = try SmallStore() }

  @Test func `a sound store has no findings, whatever was done to it`() throws {
    try engine.write { writer in
      try writer.beginNested()
      for number in 0..<50 {
        try writer.put("n\(number)", [UInt8](repeating: 2, count: 9000), in: table)
      }
      try writer.rollbackNested()
      try writer.beginNested()
      for number in 0..<50 {
        try writer.put("n\(number)", [UInt8](repeating: 2, count: 9000), in: table)
      }
      try writer.commitNested()
      for number in 0..<25 { _ = try writer.delete("n\(number)", in: table) }
    }
    try store.removeMost()
    #expect(try engine.verify(timeout: .seconds(5)) == [])
  }

  @Test func `every planted fault of a page is found`() throws {
    try engine.close()
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: data)))
    let engine = try LMDBEngine(path: path)
    var found = 0
    for page in 2..<original.count / 4096 {
      let start = page * 4096
      guard original[start + 10] == 0x02, original[start] == page & 0xFF else { continue }
      let first = Int(original[start + 16]) | Int(original[start + 17]) << 8
      // Another number, another kind, another count of entries, and a key out of order.
      for (place, value) in [(0, 0xEE), (10, 0x01), (12, 0x11), (first + 8, 0xFF)] as [(Int, UInt8)]
      where original[start + 16] != 0 || place < 16 {
        let count = (Int(original[start + 12]) - 16) / 2
        if place > 16, count < 2 { continue }
        var damaged = original
        damaged[start + place] = value
        let handle = try #require(FileHandle(forUpdatingAtPath: data))
        try handle.seek(toOffset: UInt64(start))
        try handle.write(contentsOf: damaged[start..<start + 4096])
        let findings = try engine.verify(timeout: .seconds(5))
        try handle.seek(toOffset: UInt64(start))
        try handle.write(contentsOf: original[start..<start + 4096])
        try handle.close()
        // The pages of the commit before are no longer in use.
        if findings.contains(where: { $0.isFault && $0.message.contains("\(page)") }) { found += 1 }
      }
    }
    #expect(found > 400)
    #expect(try engine.verify(timeout: .seconds(5)) == [])
  }

  @Test func `verifying goes on while others write`() async throws {
    let engine = engine
    let table = table
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for round in 0..<400 {
          try engine.write { writer in
            _ = try writer.delete("\(round)", in: table)
            try writer.put("\(round)", [UInt8](repeating: 3, count: 5000), in: table)
          }
        }
      }
      group.addTask {
        for _ in 0..<30 {
          let findings = try engine.verify(timeout: .seconds(5))
          #expect(findings == [])
        }
      }
      try await group.waitForAll()
    }
  }
}
