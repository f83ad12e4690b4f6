import Foundation

/// Base64 with padding (RFC 4648, section 4), strict: one spelling for each sequence of bytes.
enum Base64 {
  /// Appends the text of `source`.
  static func append(_ source: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    guard let data = data(of: source) else { return }
    bytes.append(contentsOf: data.base64EncodedData())
  }

  /// The bytes of a text, or nil if it is not exactly what ``append(_:to:)`` would write.
  static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let data = data(of: text) else { return [] }
    guard text.count % 4 == 0, let decoded = Data(base64Encoded: data) else { return nil }
    // Foundation may overlook padding in the middle, and what the last character says too much.
    let padding = text[text.count - 1] != 0x3D ? 0 : text[text.count - 2] != 0x3D ? 1 : 2
    guard decoded.count == text.count / 4 * 3 - padding,
      decoded.suffix(3 - padding).base64EncodedData().elementsEqual(text.suffix(4))
    else { return nil }
    return Array(decoded)
  }

  /// The bytes without a copy, while they last; nil if there are none.
  private static func data(of bytes: UnsafeRawBufferPointer) -> Data? {
    guard let base = bytes.baseAddress, bytes.count > 0 else { return nil }
    return Data(
      bytesNoCopy: UnsafeMutableRawPointer(mutating: base),
      count: bytes.count,
      deallocator: .none
    )
  }
}
