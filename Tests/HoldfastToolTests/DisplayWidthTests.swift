import HoldfastTool
import Testing

@Suite struct DisplayWidthTests {
  @Test(
    arguments: [
      ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("北京", 4), ("日本語", 6), ("한국", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("ｗｉｄｅ", 8), ("ﾊﾝｶｸ", 4), ("😀", 2), ("👍🏽", 2),
      ("👩‍👩‍👧‍👦", 2), ("🇨🇳", 2), ("❤️", 2), ("❤", 1), ("1️⃣", 2), ("✓", 1), ("—", 1), ("\u{200B}", 0),
      ("नमस्ते", 4), ("สวัสดี", 4), ("a\u{0}b", 2), ("א", 1), ("𠀀", 2), ("🏳️‍🌈", 2), ("ﬁ", 1),
    ] as [(String, Int)]
  )
  func `text takes as many columns as terminals give it`(text: String, width: Int) {
    #expect(DisplayWidth.of(text) == width)
  }

  @Test(
    arguments: [
      ("plain", "plain"), ("a\nb", "a\\nb"), ("\t\r", "\\t\\r"), ("\u{1B}[31m", "\\u{1b}[31m"),
      ("\u{0}", "\\u{0}"), ("\u{85}", "\\u{85}"), ("\u{202E}x", "\\u{202e}x"), ("é北", "é北"),
      ("\r\n", "\\r\\n"), ("\u{2028}", "\\u{2028}"),
    ])
  func `control characters are shown as escapes`(text: String, shown: String) {
    #expect(Printable.escape(text) == shown)
  }
}
