/// A value as the oracle sees it: numbers and bytes.
///
/// No file of this folder imports the library, so nothing in it can lean on the library's
/// comparisons, codings, evaluator or planner.
enum Plain: Sendable {
  case nothing
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  var isNothing: Bool {
    if case .nothing = self { return true }
    return false
  }

  /// Orders two values: nothing, numbers, text, blobs; text and blobs by bytes, the shorter first.
  static func order(_ left: Plain, _ right: Plain) -> Int {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.real(let a), .real(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.integer(let a), .real(let b)): mixed(a, b)
    case (.real(let a), .integer(let b)): -mixed(b, a)
    case (.text(let a), .text(let b)): bytes(a, b)
    case (.blob(let a), .blob(let b)): bytes(a, b)
    default: left.rank - right.rank
    }
  }

  /// Orders two lists part by part.
  static func order(_ left: [Plain], _ right: [Plain]) -> Int {
    for (a, b) in zip(left, right) {
      let result = order(a, b)
      if result != 0 { return result }
    }
    return left.count - right.count
  }

  private var rank: Int {
    switch self {
    case .nothing: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  /// An integer against a real, exactly: the real's whole part in 128 bits, then its fraction.
  private static func mixed(_ integer: Int64, _ real: Double) -> Int {
    if real > 1e30 { return -1 }
    if real < -1e30 { return 1 }
    let whole = Int128(real.rounded(.towardZero))
    let wide = Int128(integer)
    if wide != whole { return wide < whole ? -1 : 1 }
    let fraction = real - real.rounded(.towardZero)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }

  private static func bytes(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var index = 0
    while index < left.count, index < right.count {
      if left[index] != right[index] { return left[index] < right[index] ? -1 : 1 }
      index += 1
    }
    return left.count - right.count
  }
}
