import Holdfast

/// Text, scalar by scalar: nothing is normalised, cut or folded.
enum TextValueCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("values.textPool", "Texts of every awkward kind come back byte for byte.") {
      try await ValueCases.roundTrip($0, .text, Pools.texts + [.null])
    },
    ConformanceCase("values.textNUL", "U+0000 is kept wherever it stands.") { context in
      let texts: [Value] = ["\u{0}", "a\u{0}", "\u{0}b", "a\u{0}b\u{0}\u{0}c", "ab"]
      try await ValueCases.roundTrip(context, .text, texts)
    },
    ConformanceCase("values.textNormalization", "NFC and NFD stay as they are, and differ.") {
      context in
      let store = try await context.open(creating: Shapes.single(.text))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": "\u{E9}"], into: "single")
        try transaction.insert(["id": 2, "value": "e\u{301}"], into: "single")
      }
      let values = try await store.read { try $0.column("value", Query("single")) }
      context.expect(values, ["\u{E9}", "e\u{301}"], "values")
      let composed = try await store.read {
        try $0.ids(Query("single", where: .equal("value", "\u{E9}")))
      }
      context.expect(composed, [1], "equal to the composed form")
      let decomposed = try await store.read {
        try $0.ids(Query("single", where: .equal("value", "e\u{301}")))
      }
      context.expect(decomposed, [2], "equal to the decomposed form")
    },
    ConformanceCase("values.textControl", "Every control character and line end is kept.") {
      context in
      let controls = (0..<0x20).compactMap { Unicode.Scalar($0) }.map { "<\($0)>" }
      try await ValueCases.roundTrip(
        context,
        .text,
        controls.map { .text($0) } + ["\r", "\n", "\r\n", "\u{85}", "\u{2028}", "\t\n\r "]
      )
    },
    ConformanceCase("values.textNoncharacters", "Noncharacters and astral scalars are kept.") {
      let scalars: [UInt32] = [
        0xFEFF, 0xFFFE, 0xFFFF, 0xFDD0, 0x1FFFE, 0x10FFFF, 0xD7FF, 0xE000, 0x1F468, 0x200D,
      ]
      let texts = scalars.compactMap { Unicode.Scalar($0) }.map { Value.text("x\($0)y") }
      try await ValueCases.roundTrip($0, .text, texts + ["👨‍👩‍👧‍👦", "🏳️‍🌈", "\u{FEFF}"])
    },
    ConformanceCase("values.textMarkup", "Quotes, markup and escapes are only text.") {
      try await ValueCases.roundTrip(
        $0,
        .text,
        [
          "'", "\"", "\\", "\\u0041", "&amp;", "<a>]]></a>", "'; DROP TABLE single; --", "null",
          "true", "1", "1.0", "{}", "%s%n", "?1", ":id", "Infinity",
        ]
      )
    },
    ConformanceCase("values.textLarge", "A text of a mebibyte comes back.") { context in
      let text = String(repeating: "aé中😀\u{0}", count: 1 << 17)
      try await ValueCases.roundTrip(context, .text, [.text(text), "short"])
    },
    ConformanceCase("values.textRandom", "Random scalars come back.") { context in
      var generator = context.generator()
      let texts = (0..<200).map { _ -> Value in
        var text = ""
        for _ in 0..<generator.below(40) {
          let bound = [0x80, 0x800, 0x10000, 0x110000][generator.below(4)]
          if let scalar = Unicode.Scalar(UInt32(generator.below(bound))) {
            text.unicodeScalars.append(scalar)
          }
        }
        return .text(text)
      }
      try await ValueCases.roundTrip(context, .text, texts)
    },
  ]
}
