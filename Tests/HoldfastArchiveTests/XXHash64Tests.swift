@testable import HoldfastArchive
import Testing

@Suite struct XXHash64Tests {
  @Test(
    "Published digests come out",
    arguments: [
      ("", 0xEF46_DB37_51D8_E999 as UInt64), ("a", 0xD24E_C4F1_A98C_6E5B),
      ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ]
  )
  func vectors(_ text: String, _ digest: UInt64) {
    let bytes = Array(text.utf8)
    #expect(bytes.withUnsafeBytes { XXHash64.hash($0) } == digest)
  }

  @Test("Bytes taken in pieces hash as the whole")
  func pieces() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let whole = bytes.withUnsafeBytes { XXHash64.hash($0) }
    for size in [1, 7, 31, 32, 33, 500] {
      var hash = XXHash64()
      for start in stride(from: 0, to: bytes.count, by: size) {
        Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { hash.update($0) }
      }
      #expect(hash.finish() == whole)
    }
  }
}
