/// Two long texts cut down to where they begin to differ.
struct TextDifference {
  /// The longest text that is shown whole.
  private static let whole = 240
  /// How much is shown of what both have before the difference.
  private static let before = 40

  /// What was expected.
  let expected: String
  /// What came.
  let got: String

  /// Compares two texts.
  init(expected: String, got: String) {
    guard max(expected.utf8.count, got.utf8.count) > Self.whole else {
      (self.expected, self.got) = (expected, got)
      return
    }
    let expected = Array(expected.utf8)
    let got = Array(got.utf8)
    let common = zip(expected, got).prefix { $0 == $1 }.count
    let start = max(0, common - Self.before)
    self.expected = Self.cut(expected, start)
    self.got = Self.cut(got, start)
  }

  private static func cut(_ text: [UInt8], _ start: Int) -> String {
    let start = min(start, text.count)
    let end = min(text.count, start + whole)
    var shown = String(decoding: text[start..<end], as: UTF8.self)
    if start > 0 { shown = "… " + shown }
    if end < text.count { shown += " …" }
    return start > 0 || end < text.count ? "\(shown) (\(text.count) characters)" : shown
  }
}
