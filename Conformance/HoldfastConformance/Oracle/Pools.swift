import Holdfast

/// Values that have broken stores before.
enum Pools {
  static let integers: [Value] = [
    .integer(.min), .integer(.min + 1), .integer(-(1 << 53) - 1), .integer(-4_294_967_297),
    .integer(-65_536), -257, -256, -255, -129, -2, -1, 0, 1, 2, 127, 128, 255, 256, 257, 65_535,
    .integer(1 << 31), .integer(1 << 32), .integer((1 << 53) - 1), .integer(1 << 53),
    .integer((1 << 53) + 1), .integer(.max - 1), .integer(.max),
  ]

  static let reals: [Value] = [
    .real(-.infinity), .real(-.greatestFiniteMagnitude), .real(-0x1p63), -1e15, -2.5, -1.0,
    -0.1, .real(-.leastNormalMagnitude), .real(-.leastNonzeroMagnitude), 0.0,
    .real(.leastNonzeroMagnitude), .real(.leastNormalMagnitude), 0.1, .real(0.1 + 0.2), 0.3, 1.0,
    .real(1.0.nextUp), 2.5, .real(.pi), 1e15, 9_007_199_254_740_993.0, .real(0x1p63), 1e300,
    .real(.greatestFiniteMagnitude), .real(.infinity),
  ]

  static let texts: [Value] = [
    "", "\u{0}", "\u{0}a", "\u{1}", " ", "A", "AB", "B", "Z", "a", "a\u{0}", "a\u{0}b", "a b",
    "ab", "abc", "b", "e\u{301}", "z", "\u{7F}", "\u{80}", "é", "ß", "ss", "\u{FF}", "\u{7FF}",
    "中文", "\u{FFFD}", "\u{FFFF}", "\u{10000}", "😀", "\u{10FFFF}", "100", "20", "%", "_", "*", "'",
    "\r\n", "\n",
  ]

  static let blobs: [Value] = [
    .blob([]), .blob([0]), .blob([0, 0]), .blob([0, 1]), .blob([1]), .blob([0x61]),
    .blob([0x61, 0]), .blob([0x61, 0x62]), .blob([0x7F]), .blob([0x80]), .blob([0xFE, 0xFF]),
    .blob([0xFF]), .blob([0xFF, 0]), .blob([0xFF, 0xFF]), .blob([0xC3, 0x28]),
  ]

  static let bools: [Value] = [false, true]

  static let dates: [Value] = [
    "0000-01-01T00:00:00.000000000Z", "0000-12-30T00:00:00.000000000Z",
    "0001-01-01T00:00:00.000000000Z", "1582-10-10T00:00:00.000000000Z",
    "1900-02-28T23:59:59.999999999Z", "1969-12-31T23:59:59.999999999Z",
    "1970-01-01T00:00:00.000000000Z", "2000-02-29T12:00:00.000000001Z",
    "2001-01-01T00:00:00.000000000Z", "2026-01-31T12:00:00.000000000Z",
    "2026-01-31T12:00:00.100000000Z", "9999-12-31T23:59:59.999999999Z",
  ]

  static let uuids: [Value] = [
    .blob(Array(repeating: 0, count: 16)), .blob(Array(repeating: 0x41, count: 16)),
    .blob(Array(repeating: 0xFF, count: 16)), .blob([0] + Array(repeating: 0xFF, count: 15)),
    .blob(Array(repeating: 0, count: 15) + [1]),
  ]

  static let decimals: [Value] = ["0", "1", "-1", "0.1", "12.5", "100", "20", "-0.25"]

  static let jsons: [Value] = [
    "null", "true", "1", "\"a\"", "\"\"", "[]", "[1,2]", "{}", "{\"a\":1}",
    "{\"a\":1,\"b\":[true,null]}",
  ]

  /// Numbers, text and blobs in one field; 1 and 1.0 are equal numbers.
  static let mixed: [Value] = [
    0, 1, -1, 1.5, -0.5, .integer(.max), .real(.infinity), "", "1", "a", .blob([]), .blob([0x31]),
  ]

  /// The values of a type.
  static func values(of type: FieldType) -> [Value] {
    switch type {
    case .integer: integers
    case .real: reals
    case .text: texts
    case .blob: blobs
    case .bool: bools
    case .date: dates
    case .uuid: uuids
    case .decimal: decimals
    case .json: jsons
    case .any: mixed
    }
  }

  /// Other spellings of values of the types that have them, each with the value's own.
  static let spellings: [FieldType: [(given: Value, meaning: Value)]] = [
    .real: [(1, 1.0), (-1, -1.0), (.real(-0.0), 0.0)],
    .date: [
      ("2001-01-01", "2001-01-01T00:00:00.000000000Z"),
      ("2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00.000000000Z"),
      ("2026-01-31T12:00:00.1Z", "2026-01-31T12:00:00.100000000Z"),
      ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000000Z"),
    ],
    .uuid: [
      ("41414141-4141-4141-4141-414141414141", .blob(Array(repeating: 0x41, count: 16))),
      ("ffffffff-FFFF-ffff-FFFF-ffffffffffff", .blob(Array(repeating: 0xFF, count: 16))),
    ],
    .decimal: [("1.00", "1"), ("0.10", "0.1"), ("12.500", "12.5"), (100, "100"), ("-1.0", "-1")],
    .json: [
      (" true", "true"), ("[1, 2]", "[1,2]"), ("{ \"a\" : 1 }", "{\"a\":1}"),
      ("{\"b\":[true, null],\"a\":1}", "{\"a\":1,\"b\":[true,null]}"),
    ],
  ]

  /// What a value means in a field of a type: the value itself, unless it is one of `spellings`.
  static func meaning(of value: Value, as type: FieldType) -> Value {
    guard let spellings = spellings[type] else { return value }
    let text = value.exactText
    return spellings.first { $0.given.exactText == text }?.meaning ?? value
  }
}
