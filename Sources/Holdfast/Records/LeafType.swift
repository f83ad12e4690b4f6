import Foundation

/// The Swift types that are stored as one plain field.
enum LeafType {
  /// The field type of a Swift type, or nil if the type decides by its own coding.
  static func fieldType(_ type: Any.Type) -> FieldType? { types[ObjectIdentifier(type)] }

  private static let types: [ObjectIdentifier: FieldType] = {
    let pairs: [(Any.Type, FieldType)] = [
      (Int.self, .integer), (Int8.self, .integer), (Int16.self, .integer), (Int32.self, .integer),
      (Int64.self, .integer), (UInt.self, .integer), (UInt8.self, .integer),
      (UInt16.self, .integer), (UInt32.self, .integer), (UInt64.self, .integer),
      (Double.self, .real), (Float.self, .real), (Bool.self, .bool), (String.self, .text),
      (Date.self, .date), (Data.self, .blob), ([UInt8].self, .blob), (UUID.self, .uuid),
      (Decimal.self, .decimal), (URL.self, .text), (Duration.self, .text),
    ]
    return Dictionary(uniqueKeysWithValues: pairs.map { (ObjectIdentifier($0.0), $0.1) })
  }()

  /// Two different values of a leaf type, for probing; nil for other types.
  ///
  /// Chosen so that a computed property that trims, folds or rounds shows.
  static func probeValue<T>(_ type: T.Type, variant: Bool) -> T? {
    if fieldType(type) == .integer, let integers = type as? any FixedWidthInteger.Type {
      return integers.init(clamping: variant ? 41 : 37) as? T
    }
    let value: Any? =
      switch ObjectIdentifier(type) {
      case ObjectIdentifier(Double.self): variant ? 41.25 : 37.75
      case ObjectIdentifier(Float.self): variant ? Float(41.25) : Float(37.75)
      case ObjectIdentifier(Bool.self): variant
      case ObjectIdentifier(String.self): variant ? "pRoBe 2 " : "pRoBe 1 "
      case ObjectIdentifier(Date.self):
        Date(timeIntervalSinceReferenceDate: variant ? 415_000_000.25 : 370_000_000.75)
      case ObjectIdentifier(Data.self): Data(variant ? [0x41] : [0x37])
      case ObjectIdentifier([UInt8].self): (variant ? [0x41] : [0x37]) as [UInt8]
      case ObjectIdentifier(UUID.self):
        UUID(uuid: (variant ? 0x41 : 0x37, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 1))
      case ObjectIdentifier(Decimal.self): Decimal(variant ? 41.25 : 37.75)
      case ObjectIdentifier(URL.self): URL(string: variant ? "https://b.test" : "https://a.test")
      case ObjectIdentifier(Duration.self):
        Duration.milliseconds(variant ? 41_250 : 37_750)
      default: nil
      }
    return value as? T
  }

  /// The text of a duration: seconds as an exact decimal number, `1.5`.
  static func text(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let sign = seconds < 0 || attoseconds < 0 ? "-" : ""
    var text = sign + String(seconds.magnitude)
    if attoseconds != 0 {
      let digits = String(attoseconds.magnitude)
      var fraction = String(repeating: "0", count: 18 - digits.count) + digits
      while fraction.last == "0" { fraction.removeLast() }
      text += "." + fraction
    }
    return text
  }

  /// The duration of a text that ``text(_:)`` made, or nil.
  static func duration(_ text: String) -> Duration? {
    let isNegative = text.hasPrefix("-")
    let parts = text.dropFirst(isNegative ? 1 : 0).split(
      separator: ".",
      omittingEmptySubsequences: false
    )
    guard parts.count <= 2, parts.allSatisfy({ $0.utf8.allSatisfy { $0 >= 0x30 && $0 <= 0x39 } }),
      let seconds = Int64(isNegative ? "-\(parts[0])" : parts[0])
    else { return nil }
    var attoseconds: Int64 = 0
    if parts.count == 2 {
      let digits = parts[1]
      guard !digits.isEmpty, digits.utf8.count <= 18,
        let fraction = Int64(digits + String(repeating: "0", count: 18 - digits.utf8.count))
      else { return nil }
      attoseconds = isNegative ? -fraction : fraction
    }
    return Duration(secondsComponent: seconds, attosecondsComponent: attoseconds)
  }
}
