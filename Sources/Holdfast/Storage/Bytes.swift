import Foundation

/// Comparisons of raw bytes.
package enum Bytes {
  /// Orders two byte strings as unsigned bytes, the shorter first where one begins the other.
  @inline(__always)
  package static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer)
    -> Int
  {
    let common = min(left.count, right.count)
    if common > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, common)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }

  /// The text of UTF-8 bytes; nil if they are not valid.
  ///
  /// O(n). Texts are the largest part of most records, and more than half of what reading one takes:
  /// the library's own check goes byte by byte outside of ASCII.
  @inline(__always)
  package static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
      let form = UTF8Check.form(of: bytes)
      if form == .invalid { return nil }
      let span = bytes.assumingMemoryBound(to: UInt8.self).span
      // Not a promise that is taken on trust: the bytes were checked above, and are read only once
      // more, here.
      return String(copying: unsafe UTF8Span(unchecked: span, isKnownASCII: form == .ascii))
    }
    return repaired(bytes)
  }

  /// As ``text(_:)``, where the library takes no bytes that were checked before.
  ///
  /// `String(validating:as:)` asks the runtime for metadata at every call. Repairing what is invalid
  /// changes it, so an unchanged text was valid.
  private static func repaired(_ bytes: UnsafeRawBufferPointer) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    let isUnchanged =
      text.utf8.withContiguousStorageIfAvailable {
        compare(UnsafeRawBufferPointer($0), bytes) == 0
      } ?? text.utf8.elementsEqual(bytes)
    return isUnchanged ? text : nil
  }

  /// Whether `needle` occurs in `bytes`.
  ///
  /// O(n · m) at worst, O(n) as a rule.
  package static func contains(_ bytes: UnsafeRawBufferPointer, _ needle: UnsafeRawBufferPointer)
    -> Bool
  {
    guard let first = needle.first, let needleBase = needle.baseAddress else { return true }
    guard bytes.count >= needle.count, let base = bytes.baseAddress else { return false }
    var start = 0
    let lastStart = bytes.count - needle.count
    while start <= lastStart {
      guard let hit = memchr(base + start, Int32(first), lastStart - start + 1) else {
        return false
      }
      if memcmp(hit, needleBase, needle.count) == 0 { return true }
      start = UnsafeRawPointer(hit) - base + 1
    }
    return false
  }
}
