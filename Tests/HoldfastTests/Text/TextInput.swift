import Foundation
import Holdfast

/// Inputs for readers: whole, and cut into chunks of a size.
enum TextInput {
  /// A source that gives `bytes` at most `chunk` at a time.
  static func chunked(_ bytes: [UInt8], chunk: Int) -> ByteSource {
    var position = 0
    return ByteSource(chunkSize: chunk) { (buffer) throws(StorageError) -> Int in
      let count = min(buffer.count, bytes.count - position)
      for index in 0..<count { buffer[index] = bytes[position + index] }
      position += count
      return count
    }
  }

  /// The JSON tokens of an input in words; throws what the reader throws.
  static func tokens(
    _ bytes: [UInt8],
    chunk: Int? = nil,
    isSequence: Bool = false
  ) throws(StorageError) -> [String] {
    guard let chunk else {
      // The copy outlives the reader.
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      defer { copy.deallocate() }
      copy.copyBytes(from: bytes)
      return try tokens(ByteSource(UnsafeRawBufferPointer(copy)), isSequence)
    }
    return try tokens(chunked(bytes, chunk: chunk), isSequence)
  }

  private static func tokens(
    _ source: ByteSource,
    _ isSequence: Bool
  ) throws(StorageError) -> [String] {
    var reader = JSONReader(source, isSequence: isSequence)
    var tokens: [String] = []
    while true {
      let token = try reader.next()
      switch token {
      case .beginObject: tokens.append("{")
      case .endObject: tokens.append("}")
      case .beginArray: tokens.append("[")
      case .endArray: tokens.append("]")
      case .key: tokens.append("key " + reader.text)
      case .string: tokens.append("string " + reader.text)
      case .integer(let value): tokens.append("integer \(value)")
      case .bigInteger: tokens.append("big " + reader.text)
      case .real(let value): tokens.append("real \(value)")
      case .bool(let value): tokens.append("\(value)")
      case .null: tokens.append("null")
      case .end: return tokens
      }
    }
  }

  /// Whether an input is read without error.
  static func isAccepted(_ bytes: [UInt8], chunk: Int? = nil) -> Bool {
    do throws(StorageError) {
      _ = try tokens(bytes, chunk: chunk)
      return true
    } catch {
      return false
    }
  }
}

/// SplitMix64 (Steele, Lea, Flood): a small generator that gives the same numbers everywhere.
struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
