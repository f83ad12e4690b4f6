import Foundation
import Testing

@testable import Holdfast

@Suite("Values")
struct ValueTests {
  @Test("Text is compared by bytes, so NFC and NFD differ")
  func textByBytes() {
    #expect(Value.text("\u{E9}") != Value.text("e\u{301}"))
    #expect("\u{E9}" == "e\u{301}")
    #expect(Value.text("Z") < Value.text("a"))
    #expect(Value.text("\u{FFFF}") < Value.text("\u{10000}"))
    #expect(Value.text("a") < Value.text("a\u{0}"))
  }

  @Test("Integers and reals compare numerically and exactly")
  func exactNumbers() {
    #expect(Value.integer(1) == Value.real(1))
    #expect(Value.integer(1).hashValue == Value.real(1).hashValue)
    #expect(Value.integer(9_007_199_254_740_993) != Value.real(9_007_199_254_740_992))
    #expect(Value.integer(.max) < Value.real(0x1p63))
    #expect(Value.integer(.min) == Value.real(-0x1p63))
    #expect(Value.integer(-1) > Value.real(-1.5))
    #expect(Value.real(-.infinity) < Value.integer(.min))
  }

  @Test("Kinds sort null, numbers, text, blobs")
  func kindOrder() {
    let values: [Value] = [.null, .integer(3), .real(3.5), .text(""), .blob([])]
    #expect(values.shuffled().sorted() == values)
  }

  @Test(
    "A value survives its Codable form",
    arguments: [
      Value.null, .integer(.min), .real(.infinity), .real(Double.leastNonzeroMagnitude),
      .text("a\u{0}é"), .blob([0, 255]),
    ]
  )
  func codable(_ value: Value) throws {
    let data = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(Value.self, from: data) == value)
  }

  @Test("A row buffer keeps earlier bytes when it grows")
  func rowBufferGrowth() throws {
    let buffer = RowBuffer(count: 3)
    buffer.setText(0, "first")
    buffer.setBlob(1, UnsafeRawBufferPointer(start: nil, count: 0))
    buffer.setText(2, String(repeating: "x", count: 100_000))
    #expect(try buffer.view.text(0) == "first")
    #expect(buffer.view.kind(1) == .blob)
    #expect(try buffer.view.values()[2] == .text(String(repeating: "x", count: 100_000)))
  }

  @Test("Text that is not UTF-8 is an error, never replaced")
  func invalidUTF8() {
    let buffer = RowBuffer(count: 1)
    [0x66, 0xFF as UInt8].withUnsafeBytes { buffer.setText(0, $0) }
    #expect(throws: StorageError.self) { try buffer.view.text(0) }
  }
}

@Suite("Dates")
struct DateCodingTests {
  @Test("Known dates have their RFC 3339 text")
  func known() {
    #expect(
      DateCoding.encode(Date(timeIntervalSinceReferenceDate: 0))
        == "2001-01-01T00:00:00.000000000Z"
    )
    #expect(DateCoding.encode(.distantPast) == "0000-12-30T00:00:00.000000000Z")
    #expect(DateCoding.encode(.distantFuture) == "4001-01-01T00:00:00.000000000Z")
    #expect(
      DateCoding.encode(Date(timeIntervalSince1970: -1)) == "1969-12-31T23:59:59.000000000Z"
    )
  }

  @Test("Dates outside the years 0000 to 9999 have no text")
  func outside() {
    #expect(DateCoding.encode(Date(timeIntervalSinceReferenceDate: -63_145_526_401)) == nil)
    #expect(DateCoding.encode(Date(timeIntervalSinceReferenceDate: -63_145_526_400)) != nil)
    #expect(DateCoding.encode(Date(timeIntervalSinceReferenceDate: 252_423_993_600)) == nil)
    #expect(DateCoding.encode(Date(timeIntervalSinceReferenceDate: .infinity)) == nil)
    #expect(DateCoding.encode(Date(timeIntervalSinceReferenceDate: .nan)) == nil)
  }

  @Test("Every date further than 97 days from the reference date comes back equal")
  func roundTrip() throws {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      let far = Double.random(in: 8_380_800...60_000_000_000, using: &random)
      let date = Date(timeIntervalSinceReferenceDate: Bool.random() ? far : -far)
      let text = try #require(DateCoding.encode(date))
      #expect(DateCoding.decode(text) == date, "\(date.timeIntervalSinceReferenceDate)")
      #expect(DateCoding.canonical(text) == text)
    }
  }

  @Test("Text order is time order")
  func order() throws {
    let dates = (0..<500).map { _ in
      Date(timeIntervalSinceReferenceDate: .random(in: -6e10...2e11))
    }.sorted()
    let texts = try dates.map { try #require(DateCoding.encode($0)) }
    #expect(texts == texts.sorted { Value.text($0) < Value.text($1) })
  }

  @Test(
    "Dates as people write them become the stored form",
    arguments: [
      ("2026-02-28", "2026-02-28T00:00:00.000000000Z"),
      ("2026-02-28T12:30:00Z", "2026-02-28T12:30:00.000000000Z"),
      ("2026-02-28t12:30:00.5+02:00", "2026-02-28T10:30:00.500000000Z"),
      ("2024-02-29 00:00:00.000000001-00:30", "2024-02-29T00:30:00.000000001Z"),
    ]
  )
  func canonical(_ written: String, _ stored: String) {
    #expect(DateCoding.canonical(written) == stored)
  }

  @Test(
    "What is no date is refused",
    arguments: [
      "", "2026", "2026-02-30", "2026-13-01", "2026-02-28T24:00:00Z", "2026-02-28T12:30",
      "2026-02-28T12:30:00", "2026-02-28T12:30:00.Z", "2026-02-28T12:30:00.1234567890Z",
      "2026-02-28T12:30:00+0200", "20é6-02-28",
    ]
  )
  func refused(_ text: String) {
    #expect(DateCoding.canonical(text) == nil)
  }
}

@Suite("Exact sums")
struct ExactSumTests {
  @Test("A sum of reals is the exact total rounded once, in any order")
  func reals() throws {
    let values = [1e100, 1, -1e100, 1e-20, 0.1, 0.2, 0.3, -Double.leastNonzeroMagnitude, 1e16, 1]
    var results = Set<Value>()
    for _ in 0..<50 {
      var sum = ExactSum()
      for value in values.shuffled() { sum.add(value) }
      results.insert(try sum.total())
    }
    #expect(results.count == 1)
    var tenths = ExactSum()
    for _ in 0..<10 { tenths.add(0.1) }
    #expect(try tenths.total() == .real(1.0))
    #expect(tenths.mean() == .real(0.1))
  }

  static let largest = Double.greatestFiniteMagnitude
  static let extremeCases: [([Double], Double)] = [
    ([largest, -largest, Double.leastNonzeroMagnitude], Double.leastNonzeroMagnitude),
    (
      [Double.leastNonzeroMagnitude, Double.leastNonzeroMagnitude], 2 * Double.leastNonzeroMagnitude
    ),
    ([largest, largest], Double.infinity),
    ([-Double.infinity, 1], -Double.infinity),
    ([9_007_199_254_740_992, 1, 0.5], 9_007_199_254_740_994),
    ([], 0),
  ]

  @Test("Extremes add up", arguments: extremeCases)
  func extremes(_ values: [Double], _ expected: Double) throws {
    var sum = ExactSum()
    for value in values { sum.add(value) }
    #expect(try sum.total() == (values.isEmpty ? .null : .real(expected)))
  }

  @Test("An integer sum is exact and says when it does not fit")
  func integers() throws {
    var sum = ExactSum()
    sum.add(Int64.max)
    sum.add(Int64(1))
    sum.add(Int64(-1))
    #expect(try sum.total() == .integer(.max))
    #expect(sum.mean() == .real(Double(Int64.max) / 3))
    sum.add(Int64(5))
    #expect(throws: StorageError.self) { try sum.total() }
    var none = ExactSum()
    #expect(try none.total() == .null)
    none.add(0.0)
    #expect(try none.total() == .real(0))
  }
}
