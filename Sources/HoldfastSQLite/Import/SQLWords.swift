/// The bare words of an SQL text: neither quoted names nor strings nor comments.
///
/// The tokens are those of <https://www.sqlite.org/draft/tokenreq.html>; what is not closed runs to
/// the end.
enum SQLWords {
  /// The words in capital letters, in order.
  ///
  /// O(length).
  static func words(of sql: String) -> [String] {
    var words: [String] = []
    var rest = Array(sql.utf8)[...]
    while let first = rest.first {
      switch first {
      case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "`"): skip(behind: [first], &rest)
      case UInt8(ascii: "["): skip(behind: Array("]".utf8), &rest)
      case UInt8(ascii: "-") where rest.starts(with: "--".utf8): skip(behind: [10], &rest)
      case UInt8(ascii: "/") where rest.starts(with: "/*".utf8):
        rest.removeFirst()
        skip(behind: Array("*/".utf8), &rest)
      case _ where isPart(first):
        let word = rest.prefix(while: isPart)
        words.append(String(decoding: word, as: UTF8.self).uppercased())
        rest.removeFirst(word.count)
      default: rest.removeFirst()
      }
    }
    return words
  }

  /// Drops the first byte and all up to and with an end.
  ///
  /// A doubled quote begins the next string.
  private static func skip(behind end: [UInt8], _ rest: inout ArraySlice<UInt8>) {
    rest.removeFirst()
    while !rest.isEmpty, !rest.starts(with: end) { rest.removeFirst() }
    rest = rest.dropFirst(end.count)
  }

  private static func isPart(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}
