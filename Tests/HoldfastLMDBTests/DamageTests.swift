import Foundation
import Holdfast
import HoldfastLMDB
import Testing

@Suite struct DamageTests {
  let folder: TemporaryFolder
  let path: String
  let data: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path("store")
    data = path + "/data.mdb"
    let engine = try LMDBEngine(path: path)
    try engine.write { writer in
      let table = try writer.createTable("c1")
      for number in 0..<500 {
        try writer.put("\(number)", [UInt8](repeating: 1, count: 1000), in: table)
      }
    }
    try engine.close()
  }

  private func openingFails() throws -> StorageError {
    let before = try Data(contentsOf: URL(fileURLWithPath: data))
    let error = try #require(throws: StorageError.self) { _ = try LMDBEngine(path: path) }
    #expect(try Data(contentsOf: URL(fileURLWithPath: data)) == before)
    return error
  }

  private func cut(_ size: Int) throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: data))
    try handle.truncate(atOffset: UInt64(size))
    try handle.close()
  }

  private var size: Int {
    get throws {
      try #require(try FileManager.default.attributesOfItem(atPath: data)[.size] as? Int)
    }
  }

  @Test(arguments: [0, 1, 17, 19, 20, 100, 151, 152, 4095, 4096, 4200, 8192, 12288])
  func `a data file cut to few bytes is refused and left alone`(_ size: Int) throws {
    try cut(size)
    let error = try openingFails()
    #expect(error.code == (size == 0 || size >= 20 ? .corrupt : .wrongKind))
    #expect(error.message.contains("data.mdb"))
  }

  @Test func `a data file cut at any page is refused or whole`() throws {
    let whole = try size
    var refused = 0
    for cutSize in stride(from: whole - 4096, to: 8192, by: -4096 * 7) {
      try cut(cutSize)
      #expect(try openingFails().code == .corrupt)
      refused += 1
    }
    #expect(refused > 10)
  }

  @Test func `half a data file is refused`() throws {
    try cut(try size / 2)
    #expect(try openingFails().code == .corrupt)
  }

  @Test func `a file of garbage is another kind`() throws {
    try Data(repeating: 0x5A, count: 100_000).write(to: URL(fileURLWithPath: data))
    #expect(try openingFails().code == .wrongKind)
    try Data("hello".utf8).write(to: URL(fileURLWithPath: data))
    #expect(try openingFails().code == .wrongKind)
  }

  @Test func `a newer format of LMDB is refused`() throws {
    let handle = try #require(FileHandle(forUpdatingAtPath: data))
    try handle.seek(toOffset: 20)
    try handle.write(contentsOf: [2, 0, 0, 0])
    try handle.close()
    #expect(try openingFails().code == .newerFormat)
  }

  @Test func `every damaged byte of the meta pages gives an error or the data`() throws {
    let original = try Data(contentsOf: URL(fileURLWithPath: data))
    for offset in Array(8..<152) + Array(4104..<4248) {
      for value in [0x00, 0x7F, 0xFF] as [UInt8] where original[offset] != value {
        var damaged = original
        damaged[offset] = value
        try damaged.write(to: URL(fileURLWithPath: data))
        let failure = code {
          let engine = try LMDBEngine(path: path)
          defer { #expect(throws: Never.self) { try engine.close() } }
          guard let table = try engine.openTable("c1") else { return }
          _ = try engine.read { try $0.keys(in: table).count }
        }
        let allowed: [StorageError.Code?] = [nil, .corrupt, .wrongKind, .newerFormat, .ioError]
        #expect(allowed.contains(failure), "byte \(offset) set to \(value)")
      }
    }
  }

  @Test func `damage to the structure of any page gives an error or the data`() throws {
    let engine = try LMDBEngine(path: path)
    try engine.write { writer in
      let table = try writer.createTable("c2")
      for number in 0..<300 { try writer.put("key \(number)", [1, 2, 3], in: table) }
      try writer.put("long", [UInt8](repeating: 1, count: 9000), in: table)
    }
    try engine.write { try $0.put("more", "1", in: try $0.createTable("c3")) }
    try engine.close()
    let original = [UInt8](try Data(contentsOf: URL(fileURLWithPath: data)))
    var options = StorageOptions()
    options.durability = .none
    var refused = 0
    for page in 2..<original.count / 4096 {
      let start = page * 4096
      let lower = Int(original[start + 12]) | Int(original[start + 13]) << 8
      let nodes = stride(from: 16, to: min(lower, 24), by: 2).map { slot in
        Int(original[start + slot]) | Int(original[start + slot + 1]) << 8
      }
      let isFew = page.isMultiple(of: 64) || page > original.count / 4096 - 8
      let places = isFew ? Array(8..<20) + nodes.flatMap { $0..<min($0 + 8, 4096) } : [10]
      for place in places {
        for value in [0x04, 0xFF] as [UInt8] where original[start + place] != value {
          var damaged = original
          damaged[start + place] = value
          try Data(damaged).write(to: URL(fileURLWithPath: data))
          let failure = code {
            let engine = try LMDBEngine(path: path, options: options)
            defer { #expect(throws: Never.self) { try engine.close() } }
            for name in ["c1", "c2", "c3"] {
              guard let table = try engine.openTable(name) else { continue }
              _ = try engine.read { try $0.keys(in: table).count }
              try engine.write { writer in
                try writer.put("key 7", "changed", in: table)
                _ = try writer.delete("key 8", in: table)
              }
            }
          }
          #expect(
            [nil, .corrupt, .ioError, .wrongKind].contains(failure),
            "byte \(place) of page \(page) set to \(value)"
          )
          if failure == .corrupt { refused += 1 }
        }
      }
    }
    #expect(refused > 100)
  }

  @Test func `pages that were freed before they were written are no damage`() throws {
    // LMDB does not write such pages: the meta pages then name more pages than the file has.
    let whole = try size
    let handle = try #require(FileHandle(forUpdatingAtPath: data))
    for offset in [136, 4096 + 136] as [UInt64] {
      try handle.seek(toOffset: offset)
      var last = UInt64(whole / 4096 + 99).littleEndian
      try handle.write(contentsOf: Data(bytes: &last, count: 8))
    }
    try handle.close()
    let engine = try LMDBEngine(path: path)
    let table = try #require(try engine.openTable("c1"))
    #expect(try engine.read { try $0.keys(in: table).count } == 500)
    try engine.write { try $0.put("more", "1", in: table) }
    #expect(try size >= whole + (100 << 12))
    try engine.close()
    try cut(whole - 4096)
    #expect(try openingFails().code == .corrupt)
  }

  @Test func `a lost data file is not replaced`() throws {
    try FileManager.default.removeItem(atPath: data)
    #expect(code { _ = try LMDBEngine(path: path) } == .corrupt)
    #expect(!FileManager.default.fileExists(atPath: data))
  }

  @Test func `a creation that was cut short is taken up again`() throws {
    let cutShort = folder.path("new")
    try FileManager.default.createDirectory(
      atPath: cutShort,
      withIntermediateDirectories: false
    )
    try Data().write(to: URL(fileURLWithPath: cutShort + "/write.lock"))
    try Data("abc".utf8).write(to: URL(fileURLWithPath: cutShort + "/data.mdb.new"))
    let engine = try LMDBEngine(path: cutShort)
    #expect(try engine.openTable("c1") == nil)
  }
}
