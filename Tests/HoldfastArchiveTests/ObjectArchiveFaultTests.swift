import Foundation
import Holdfast
import HoldfastArchive
import Synchronization
import Testing

/// A list that nests as deep as it is long.
private final class Chain: Codable, @unchecked Sendable {
  // Unchecked: it changes only while it is taken apart, when nobody else has it.
  private var next: Chain?
  init(_ next: Chain?) { self.next = next }

  deinit {
    // One after the other: the stack may be too small for all of them at once.
    var rest = next
    next = nil
    while let chain = rest {
      rest = chain.next
      chain.next = nil
    }
  }

  static func of(_ length: Int) -> Chain {
    var chain = Chain(nil)
    for _ in 1..<length { chain = Chain(chain) }
    return chain
  }
}

@Suite("Object archives under faults and hostile files") struct ObjectArchiveFaultTests {
  private func withFolder<T>(_ body: (String) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.path)
  }

  @Test("Each file call that fails leaves the old graph, whole", arguments: [ENOSPC, EIO, EACCES])
  func failures(_ number: Int32) throws {
    try withFolder { folder in
      let path = folder + "/a.json"
      let graph = Array(0..<1000)
      for exists in [false, true] {
        var call = 1
        while true {
          try? FileManager.default.removeItem(atPath: path)
          if exists { try ObjectArchive<[Int]>(path).save([7]) }
          let files = ControlledFiles(failingAt: call, error: number)
          let archive = ObjectArchive<[Int]>(path, files: files)
          #expect(try archive.load() == (exists ? [7] : nil))
          let error: StorageError?
          do {
            try archive.save(graph)
            error = nil
          } catch let failure as StorageError {
            error = failure
          }
          if files.calls < call {
            #expect(error == nil)
            break
          }
          let found = try ObjectArchive<[Int]>(path).load()
          let codes: Set<StorageError.Code> = [.storageFull, .ioError, .permissionDenied]
          #expect(error.map { codes.contains($0.code) } == true, "call \(call)")
          // The last call syncs the folder, once the file was replaced.
          #expect(found == (exists ? [7] : nil) || (found == graph && call == 6), "call \(call)")
          // Later saves go on from what is there.
          try archive.save([8])
          #expect(try ObjectArchive<[Int]>(path).load() == [8])
          #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a.json"])
          call += 1
        }
        #expect(call == 7)
      }
    }
  }

  @Test("A power loss at any moment leaves the old graph or the new one, and saved ones stay")
  func powerLoss() throws {
    try withFolder { folder in
      let path = folder + "/a.json"
      try ObjectArchive<[Int]>(path).save([0])
      let files = ControlledFiles(recording: folder)
      let archive = ObjectArchive<[Int]>(path, files: files)
      #expect(try archive.load() == [0])
      for count in 1...3 {
        try archive.save(Array(0...count))
        files.acknowledge()
      }
      #expect(files.leftovers.count >= 15)
      for leftover in files.leftovers {
        for state in [leftover.strict, leftover.entriesKept] {
          let other = folder + "/\(UUID().uuidString)"
          try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
          for (name, data) in state {
            try data.write(to: URL(fileURLWithPath: other + "/" + name))
          }
          let found = try ObjectArchive<[Int]>(other + "/a.json").load()
          let count = (found?.count ?? 0) - 1
          #expect(found == Array(0...max(0, count)))
          #expect((leftover.acknowledged...leftover.acknowledged + 1).contains(count))
        }
      }
    }
  }

  @Test("The deepest graph fits a small thread, and a deeper one is refused")
  func depth() async throws {
    let outcome = Mutex<[StorageError.Code?]>([])
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      let thread = Thread {
        for (format, isJSON) in [(ObjectFormat.json, true), (.propertyList(.xml), false)] {
          for length in [64, 65, 20_000] {
            let code: StorageError.Code?
            do {
              try self.withFolder { folder in
                let archive = ObjectArchive<Chain>(folder + "/chain", format: format)
                try archive.save(.of(length))
                _ = try archive.load()
              }
              code = nil
            } catch {
              code = (error as? StorageError)?.code ?? .notFound
            }
            outcome.withLock { $0.append(code) }
          }
          if !isJSON { done.resume() }
        }
      }
      // What Darwin gives the threads of queues.
      thread.stackSize = 512 << 10
      thread.start()
    }
    let expected: [StorageError.Code?] = [nil, .invalidValue, .invalidValue]
    #expect(outcome.withLock { $0 } == expected + expected)
  }

  @Test("Deep, shared and huge files are refused before anything is decoded")
  func hostile() throws {
    try withFolder { folder in
      let path = folder + "/a"
      func load(_ data: Data, maximumSize: Int = 64 << 20) -> StorageError? {
        do {
          try data.write(to: URL(fileURLWithPath: path))
          _ = try ObjectArchive<Chain>(path, maximumSize: maximumSize).load()
          return nil
        } catch {
          return error as? StorageError
        }
      }
      for depth in [300, 1_000_000] {
        let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let json = "{\"holdfast\": 1, \"version\": 1, \"value\": \(value)}"
        #expect(load(Data(json.utf8))?.code == .corrupt)
        let arrays =
          String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        #expect(load(Data("<plist version=\"1.0\">\(arrays)</plist>".utf8))?.code == .corrupt)
      }
      #expect(load(Self.sharedContainers)?.code == .corrupt)
      #expect(
        load(Self.sharedText(length: 4000, references: 250), maximumSize: 8000)?.code == .corrupt
      )
      let entity = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;&a;\">]><plist>&b;</plist>"
      #expect(load(Data(entity.utf8))?.code == .corrupt)
      #expect(load(Data(repeating: 0x20, count: 5000), maximumSize: 4096)?.code == .corrupt)
    }
  }

  /// A binary property list of arrays that each hold the next one twice.
  private static var sharedContainers: Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for level in 0..<40 as Range<UInt8> {
      offsets.append(UInt8(bytes.count))
      bytes += level == 39 ? [0x50] : [0xA2, level + 1, level + 1]
    }
    return finish(bytes, offsets.map { [$0] }, offsetSize: 1)
  }

  /// A binary property list of an array that holds one long text many times.
  private static func sharedText(length: Int, references: Int) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets = [bytes.count]
    bytes += [0xAF, 0x11, UInt8(references >> 8), UInt8(references & 255)]
    bytes += Array(repeating: 1, count: references)
    offsets.append(bytes.count)
    bytes += [0x5F, 0x11, UInt8(length >> 8), UInt8(length & 255)]
    bytes += Array(repeating: 0x61, count: length)
    return finish(bytes, offsets.map { [UInt8($0 >> 8), UInt8($0 & 255)] }, offsetSize: 2)
  }

  private static func finish(_ body: [UInt8], _ offsets: [[UInt8]], offsetSize: UInt8) -> Data {
    var trailer = [UInt8](repeating: 0, count: 32)
    trailer[6] = offsetSize
    trailer[7] = 1
    trailer[15] = UInt8(offsets.count)
    for index in 0..<4 { trailer[28 + index] = UInt8(body.count >> (24 - 8 * index) & 255) }
    return Data(body + offsets.joined() + trailer)
  }
}
