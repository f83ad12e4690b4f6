/// How many columns text takes on a terminal, after UAX #11 and as terminals show emoji.
package enum DisplayWidth {
  /// The columns of a text: East Asian wide characters and emoji take two, combining marks and other
  /// invisible ones none.
  package static func of(_ text: String) -> Int {
    var utf8Width = 0
    for byte in text.utf8 {
      guard byte < 0x80 else { return text.reduce(0) { $0 + width($1) } }
      if byte >= 0x20, byte != 0x7F { utf8Width += 1 }
    }
    return utf8Width
  }

  /// The columns of one character.
  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    if scalars.count > 1, isEmojiSequence(scalars) { return 2 }
    return scalars.reduce(0) { $0 + width($1) }
  }

  /// Whether several scalars are shown as one emoji: a flag, a keycap, a family joined by U+200D, a
  /// symbol with the emoji selector U+FE0F or a skin tone.
  private static func isEmojiSequence(_ scalars: Character.UnicodeScalarView) -> Bool {
    guard let first = scalars.first else { return false }
    if scalars.contains("\u{FE0F}") { return true }
    guard first.properties.isEmoji else { return false }
    return scalars.dropFirst().contains {
      $0 == "\u{200D}" || $0.properties.isEmojiModifier || isRegionalIndicator($0)
    }
  }

  private static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value)
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    if WideRanges.contains(scalar) { return 2 }
    if isRegionalIndicator(scalar) { return 1 }
    let properties = scalar.properties
    if properties.isEmojiPresentation { return 2 }
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .control, .lineSeparator, .paragraphSeparator: return 0
    case .format: return scalar == "\u{AD}" ? 1 : 0
    default:
      // Vowels and finals of conjoining Hangul join the wide syllable before them.
      let value = scalar.value
      let isJoined = (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FB).contains(value)
      return isJoined ? 0 : 1
    }
  }
}

/// Makes text safe to show in one line of a terminal.
package enum Printable {
  /// The text with control characters, line breaks and direction overrides written as escapes.
  package static func escape(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
    guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\t": escaped += "\\t"
      case let scalar where isUnsafe(scalar):
        escaped += "\\u{\(String(scalar.value, radix: 16))}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
  }
}
