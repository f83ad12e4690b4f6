import Testing

@testable import Holdfast

/// The vectors of RFC 4648, section 10, and what is no base64 or another spelling of it.
@Suite struct Base64Tests {
  private func decode(_ text: String) -> [UInt8]? {
    Array(text.utf8).withUnsafeBytes { Base64.decode($0) }
  }

  @Test func `bytes have one text, which gives them back`() {
    let texts = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"]
    for (count, text) in texts.enumerated() {
      let bytes = Array("foobar".utf8.prefix(count))
      var written = Array("x".utf8)
      bytes.withUnsafeBytes { Base64.append($0, to: &written) }
      #expect(String(decoding: written, as: UTF8.self) == "x\(text)")
      #expect(decode(text) == bytes)
    }
    let all = (0...255).map { UInt8($0) }
    var written: [UInt8] = []
    all.withUnsafeBytes { Base64.append($0, to: &written) }
    #expect(written.suffix(4) == Array("/w==".utf8).suffix(4))
    #expect(written.withUnsafeBytes { Base64.decode($0) } == all)
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "=", "==", "===", "====", "Z===", "Zh==", "Zm9=", "Zg==Zg==",
    "Zm9vZg==Zm9v", "Zm=v", "Zm9v\n", "Zm9v\n\n\n\n", " Zg==", "Zm9-", "Zm9_", "Zm\u{0}v", "Zmäv",
    "Zm9vZh==", "Zm9vZm9=",
  ])
  func `another spelling is none`(_ text: String) {
    #expect(decode(text) == nil)
  }
}
