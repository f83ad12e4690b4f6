import Holdfast

/// The exact text of values and names in scripts; equal text means equal to the bit.
enum ModelText {
  /// A value: `null`, `-5`, `2.5`, `inf`, `"a\u{0}"`, `x'00ff'`; long runs as `"y"*600+"z"`.
  static func value(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .integer(let integer): "\(integer)"
    case .real(let real): "\(real)"
    case .text(let text):
      runs(Array(text.unicodeScalars)) { scalars in
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars)
        return ExactText.quoted(String(part))
      }
    case .blob(let bytes): runs(bytes) { "x'\(ExactText.hex(Array($0)))'" }
    }
  }

  /// Values in brackets.
  static func list(_ values: [Value]) -> String {
    "[\(values.map(value).joined(separator: ", "))]"
  }

  /// Rows in brackets, without the names of their fields.
  static func rows(_ rows: [[Value]]) -> String {
    "[\(rows.map(list).joined(separator: ", "))]"
  }

  /// A name, in quotes where it is no plain word.
  static func name(_ name: String) -> String {
    let isPlain =
      name.utf8.first.map { $0 < 0x30 || $0 > 0x39 } ?? false
      && name.utf8.allSatisfy(ModelScriptReader.isWord)
    return isPlain ? name : ExactText.quoted(name)
  }

  private static let shortestRun = 16

  /// Cuts elements into runs of one element, where they are long, and the rest.
  private static func runs<Element: Equatable>(
    _ elements: [Element],
    _ literal: (ArraySlice<Element>) -> String
  ) -> String {
    var parts: [String] = []
    var start = 0
    var index = 0
    while index < elements.count {
      var end = index
      while end < elements.count, elements[end] == elements[index] { end += 1 }
      if end - index >= shortestRun {
        if start < index { parts.append(literal(elements[start..<index])) }
        parts.append("\(literal(elements[index..<index + 1]))*\(end - index)")
        start = end
      }
      index = end
    }
    if start < elements.count || parts.isEmpty { parts.append(literal(elements[start...])) }
    return parts.joined(separator: "+")
  }
}
