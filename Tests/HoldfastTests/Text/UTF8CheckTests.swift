import Foundation
import Holdfast
import Testing

/// The check of stored texts against the standard library's own.
@Suite struct UTF8CheckTests {
  /// Both ends of every range of bytes in table 3-7 of The Unicode Standard, and their neighbours.
  private static let edges: [UInt8] = [
    0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC,
    0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
  ]

  private func expectSame(_ bytes: [UInt8]) {
    let expected = String(validating: bytes, as: UTF8.self)
    let found = bytes.withUnsafeBytes { Bytes.text($0) }
    guard found == expected, found.map({ Array($0.utf8) }) == expected.map({ Array($0.utf8) })
    else {
      Issue.record("\(bytes): \(found ?? "nil"), not \(expected ?? "nil")")
      return
    }
    let form = bytes.withUnsafeBytes { UTF8Check.form(of: $0) }
    let isASCII = bytes.allSatisfy { $0 < 0x80 }
    if form != (expected == nil ? .invalid : isASCII ? .ascii : .unicode) {
      Issue.record("\(bytes) is \(form)")
    }
  }

  @Test func `all sequences of up to four edge bytes are valid where the library says so`() {
    expectSame([])
    for a in Self.edges {
      expectSame([a])
      for b in Self.edges {
        expectSame([a, b])
        for c in Self.edges where a >= 0x80 {
          expectSame([a, b, c])
          for d in Self.edges where a >= 0xE0 { expectSame([a, b, c, d]) }
        }
      }
    }
  }

  @Test func `a bad byte is found at each place of texts of each length`() {
    let scalars = ["a", "é", "市", "😀"]
    for length in 1...70 {
      for offset in scalars.indices {
        var text = ""
        while text.utf8.count < length {
          text += scalars[(text.utf8.count / 3 + offset) % scalars.count]
        }
        expectSame(Array(text.utf8))
        let ascii = [UInt8](repeating: 0x61, count: length)
        expectSame(ascii)
        for place in 0..<length {
          for bad: UInt8 in [0x80, 0xC2, 0xFF] {
            var bytes = ascii
            bytes[place] = bad
            expectSame(bytes)
            bytes = Array(text.utf8)
            bytes[place] = bad
            expectSame(bytes)
          }
        }
        expectSame(Array(text.utf8.dropLast()))
      }
    }
  }

  @Test func `bytes that end a page of memory are not read past`() throws {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let memory = try #require(
      mmap(nil, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
    )
    defer { munmap(memory, page * 2) }
    try #require(mprotect(memory + page, page, PROT_NONE) == 0)
    for count in 0...40 {
      let bytes = UnsafeMutableRawBufferPointer(start: memory + page - count, count: count)
      for text in ["abcdefgh", "é", "市", "😀"] {
        bytes.copyBytes(from: String(repeating: text, count: 40).utf8.prefix(count))
        let copy = Array(bytes)
        #expect(
          Bytes.text(UnsafeRawBufferPointer(bytes)) == String(validating: copy, as: UTF8.self)
        )
      }
    }
  }
}
