import Dispatch
import Foundation
import Holdfast
import Synchronization
import Testing

@Suite struct JSONReaderTests {
  static let sample = """
    {"text": "a\\"b\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00 é 😀 long enough for a word at a time",
     "": [1, -2, 0, -0, 1.5, -0.0, 1e3, 1E-2, 9223372036854775807, -9223372036854775808],
     "big": [9223372036854775808, -9223372036854775809], "t": true, "f": false, "n": null,
     "nested": {"a": [[], {}, [{}]]}}
    """

  @Test func `tokens are the same whatever the chunks`() throws {
    let bytes = Array(Self.sample.utf8)
    let whole = try TextInput.tokens(bytes)
    #expect(
      whole.prefix(5) == [
        "{", "key text",
        "string a\"b\\/\u{8}\u{c}\n\r\té😀 é 😀 long enough for a word at a time", "key ", "[",
      ]
    )
    #expect(
      whole[5..<17] == [
        "integer 1", "integer -2", "integer 0", "integer 0", "real 1.5", "real 0.0", "real 1000.0",
        "real 0.01", "integer 9223372036854775807", "integer -9223372036854775808", "]", "key big",
      ]
    )
    #expect(whole[18..<20] == ["big 9223372036854775808", "big -9223372036854775809"])
    for chunk in 1...16 {
      #expect(try TextInput.tokens(bytes, chunk: chunk) == whole, "chunks of \(chunk)")
    }
  }

  @Test func `an input cut off anywhere is an error`() {
    let bytes = Array(Self.sample.utf8)
    for count in 0..<bytes.count {
      #expect(!TextInput.isAccepted(Array(bytes[..<count])), "first \(count) bytes")
      #expect(!TextInput.isAccepted(Array(bytes[..<count]), chunk: 7), "first \(count) bytes")
    }
  }

  @Test(arguments: [
    "", " ", "[", "]", "{", "}", "[1", "[1,", "[,1]", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}",
    "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "[1]]",
    "1 2", "nul", "nulll", "True", "NaN", "Infinity", "-Infinity", "-", "+1", "01", "-01", "00",
    "1.", ".5", "-.5", "1.e1", "1e", "1e+", "1e1.5", "0x10", "1_000", "1e400", "-1e400", "\"",
    "\"a", "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"", "\"\\U0041\"", "\"\\ud800\"",
    "\"\\ud800x\"", "\"\\ud800\\n\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\\ud800\\ud800\"",
    "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"\u{1f}\"", "[1]//x", "/**/1", "[1]\u{0}", "\u{a0}1",
    "1\u{feff}", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "{\"\":1,\"\":1}", "'a'",
    "[\"a\nb\"]",
    "{\"a\":{\"b\":1,\"b\":2}}", "[1,\u{c}2]", "undefined", "--1", "1-", "1e--1", "[*]",
    "{\"a\"::1}",
    "{{}:1}", "[{]}", "{[}",
  ]) func `what is not JSON is refused`(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(!TextInput.isAccepted(bytes))
    for chunk in 1...4 { #expect(!TextInput.isAccepted(bytes, chunk: chunk)) }
  }

  @Test(arguments: [
    "0", "-0", "1", "\"\"", "null", " true ", "[]", "{}", "\t[\r\n1 ,\n2 ]\n", "{\"a\":{\"a\":1}}",
    "1e308", "5e-324", "1e-400", "0e999999999999", "\"\u{7f}\u{2028}\u{2029}\u{10ffff}\"",
    "\"\\u0000\\uffff\"", "\u{feff}[1]", "[{\"a\":1},{\"a\":2}]", "123456789012345678901234567890",
  ]) func `what is JSON is read`(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(TextInput.isAccepted(bytes))
    for chunk in 1...4 { #expect(TextInput.isAccepted(bytes, chunk: chunk)) }
  }

  @Test(
    arguments: [
      [0x22, 0x80, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xE2, 0x82, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xFF, 0x22],
      [0x22, 0xE0, 0x80, 0xAF, 0x22], [0xFF, 0xFE, 0x31, 0x00], [0xEF, 0xBB, 0x31],
      [0x22, 0x5C, 0x6E, 0xC3, 0x22],
    ] as [[UInt8]]
  ) func `invalid UTF-8 is refused`(_ bytes: [UInt8]) {
    #expect(!TextInput.isAccepted(bytes))
    for chunk in 1...4 { #expect(!TextInput.isAccepted(bytes, chunk: chunk)) }
  }

  @Test func `nesting is read to 512 levels and no deeper`() {
    func nested(_ depth: Int) -> [UInt8] {
      Array(repeating: 0x5B, count: depth) + Array(repeating: 0x5D, count: depth)
    }
    #expect(TextInput.isAccepted(nested(512)))
    #expect(!TextInput.isAccepted(nested(513)))
    #expect(!TextInput.isAccepted(Array(repeating: 0x5B, count: 1_000_000)))
    #expect(JSON.canonical(String(decoding: nested(500), as: UTF8.self)) != nil)
    #expect(JSON.canonical(String(decoding: nested(501), as: UTF8.self)) == nil)
  }

  @Test func `the deepest value fits on the stack of a small thread`() {
    let text =
      String(repeating: "{\"a\":[", count: 250) + "1" + String(repeating: "]}", count: 250)
    let result = Mutex<String?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
      let canonical = JSON.canonical(text)
      result.withLock { $0 = canonical }
      done.signal()
    }
    thread.stackSize = 512 << 10
    thread.start()
    done.wait()
    #expect(result.withLock { $0 } == text)
  }

  @Test func `an object of many names is checked for repeats fast`() throws {
    let names = (0..<100_000).map { "\"k\($0)\":\($0)" }
    let all = "{" + names.joined(separator: ",")
    #expect(TextInput.isAccepted(Array((all + "}").utf8)))
    #expect(!TextInput.isAccepted(Array((all + ",\"k5\":1}").utf8)))
    #expect(!TextInput.isAccepted(Array((all + ",\"k77777\":1}").utf8)))
  }

  @Test func `errors say line, column and byte`() {
    let text = "[1,\n 2,\n  x]"
    for chunk in [nil, 1, 2, 5] as [Int?] {
      #expect {
        _ = try TextInput.tokens(Array(text.utf8), chunk: chunk)
      } throws: { error in
        let error = error as? StorageError
        return error?.code == .malformedInput
          && error?.message == "not JSON: expected a value at line 3, column 3 (byte 10)"
      }
    }
    #expect {
      _ = try TextInput.tokens(Array("{\"a\":1,\n\"a\":2}".utf8))
    } throws: { error in
      (error as? StorageError)?.message
        == "the name \"a\" occurs twice in one object at line 2, column 1 (byte 8)"
    }
  }

  @Test func `a sequence has each value on lines of its own`() throws {
    let lines = Array("{\"a\":1}\n\n[2]\r\n 3\n\"x\"\n".utf8)
    let expected = ["{", "key a", "integer 1", "}", "[", "integer 2", "]", "integer 3", "string x"]
    #expect(try TextInput.tokens(lines, isSequence: true) == expected)
    for chunk in 1...16 {
      #expect(try TextInput.tokens(lines, chunk: chunk, isSequence: true) == expected)
    }
    #expect(try TextInput.tokens([], isSequence: true) == [])
    #expect(throws: StorageError.self) {
      try TextInput.tokens(Array("1 2".utf8), isSequence: true)
    }
    #expect(throws: StorageError.self) {
      try TextInput.tokens(Array("{}\n{".utf8), isSequence: true)
    }
  }

  @Test func `a value longer than allowed is refused`() {
    let bytes = Array("\"\(String(repeating: "x", count: 1000))\"".utf8)
    var reader = JSONReader(TextInput.chunked(bytes, chunk: 16), maximumTokenLength: 500)
    var failed = false
    do throws(StorageError) { _ = try reader.next() } catch {
      failed = error.code == .malformedInput
    }
    #expect(failed)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func `changed bytes never crash the reader`(
    _ seed: UInt64
  ) throws {
    var generator = SeededGenerator(state: seed)
    let alphabet = Array("{}[]\",:\\u0eE+-.19tfn \n".utf8) + [0x80, 0xC3, 0xFF, 0]
    for _ in 0..<2000 {
      var bytes = Array(Self.sample.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[place] = byte
        case 1: bytes.insert(byte, at: place)
        default: bytes.remove(at: place)
        }
      }
      let whole = Result { () throws(StorageError) in try TextInput.tokens(bytes) }
      let chunk = Int.random(in: 1...16, using: &generator)
      let cut = Result { () throws(StorageError) in try TextInput.tokens(bytes, chunk: chunk) }
      switch (whole, cut) {
      case (.success(let a), .success(let b)): #expect(a == b, "seed \(seed)")
      case (.failure(let a), .failure(let b)): #expect(a.message == b.message, "seed \(seed)")
      default: Issue.record("chunks change the outcome; seed \(seed)")
      }
    }
  }
}
