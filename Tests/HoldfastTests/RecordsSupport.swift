import Foundation
import Holdfast

/// A private store in memory.
func memoryStore() throws -> Store { Store(try KeyValueStorage(MemoryEngine())) }

/// SplitMix64 (Steele, Lea, Flood): reproducible from its seed.
struct ModelGenerator: RandomNumberGenerator {
  var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension ModelGenerator {
  static let texts = [
    "", "a", "王芳", "أمل", "🧑‍🚀", "O'Brien; --", "100%_", "\"q\"\\", "é", "e\u{301}", "nul\u{0}byte",
    "\r\n\t", String(repeating: "长 long ", count: 60), "\u{FFFE}",
  ]
  mutating func text() -> String { Self.texts.randomElement(using: &self) ?? "" }
  mutating func bool() -> Bool { next() & 1 == 0 }
  mutating func optional<T>(_ make: (inout ModelGenerator) -> T) -> T? {
    next() % 3 == 0 ? nil : make(&self)
  }
  mutating func integer<I: FixedWidthInteger>(_ type: I.Type) -> I {
    switch next() % 4 {
    case 0: I.min
    case 1: I.max
    case 2: I(truncatingIfNeeded: next())
    default: I(truncatingIfNeeded: next() % 100)
    }
  }
  mutating func double() -> Double {
    switch next() % 6 {
    case 0: 0
    case 1: .infinity
    case 2: -.infinity
    case 3: .leastNonzeroMagnitude
    case 4: Double(integer(Int64.self))
    default: (Double(bitPattern: next()).isFinite ? Double(bitPattern: state) : 1.5).finite
    }
  }
  /// A date of the years 0000 to 9999, at least 97 days away from 2001-01-01.
  mutating func date() -> Date {
    let seconds = Double.random(in: 8_400_000...252_000_000_000, using: &self)
    let date = bool() ? seconds : -min(seconds, 63_000_000_000)
    return Date(timeIntervalSinceReferenceDate: date)
  }
  mutating func bytes() -> [UInt8] {
    (0..<Int(next() % 40)).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
  mutating func uuid() -> UUID {
    let (a, b) = (next(), next())
    return withUnsafeBytes(of: (a, b)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
  mutating func address() -> Address {
    Address(
      street: text(),
      lines: (0..<Int(next() % 4)).map { _ in text() },
      since: optional { $0.date() }
    )
  }
  mutating func everything() -> Everything {
    Everything(
      id: optional { $0.integer(Int64.self) },
      int: integer(Int.self),
      int8: integer(Int8.self),
      int16: integer(Int16.self),
      int32: integer(Int32.self),
      uint: UInt(next() >> 1),
      uint8: integer(UInt8.self),
      uint16: integer(UInt16.self),
      uint32: integer(UInt32.self),
      uint64: next() >> 1,
      double: double(),
      float: Float(truncating: NSNumber(value: Int32(truncatingIfNeeded: next()))),
      bool: bool(),
      string: text(),
      date: date(),
      data: Data(bytes()),
      bytes: bytes(),
      uuid: uuid(),
      decimal: Decimal(integer(Int32.self)) / 1000,
      url: URL(fileURLWithPath: "/a/\(next())"),
      duration: .nanoseconds(integer(Int32.self)),
      mood: bool() ? .calm : .wild,
      level: bool() ? .low : .high,
      wrapped: UserID(rawValue: integer(Int64.self)),
      shape: bool() ? .circle(radius: double()) : .square(1.25),
      address: address(),
      tags: (0..<Int(next() % 3)).map { _ in text() },
      scores: [text(): integer(Int.self)],
      maybeInt: optional { $0.integer(Int.self) },
      maybeText: optional { $0.text() },
      maybeDate: optional { $0.date() },
      maybeMood: optional { _ in .wild },
      maybeAddress: optional { $0.address() },
      maybeData: optional { Data($0.bytes()) },
      maybeUUID: optional { $0.uuid() }
    )
  }
}

extension Double {
  fileprivate var finite: Double { isFinite ? self : 1.5 }
}

extension Result where Failure == any Error {
  /// The error, if it is the store's.
  var storageError: StorageError? {
    if case .failure(let error) = self { error as? StorageError } else { nil }
  }
}
