import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// JSON that is given as an argument, or as `-` on standard input.
enum JSONText {
  /// The text of a JSON argument; `-` stands for all of standard input.
  static func argument(_ text: String) throws(StorageError) -> String {
    guard text == "-" else { return text }
    return try contents(of: STDIN_FILENO, name: "standard input")
  }

  /// The whole text of a file.
  ///
  /// - Throws: `StorageError` with code `cannotOpen`, `ioError` or `malformedInput` (not UTF-8).
  static func file(_ path: String) throws(StorageError) -> String {
    if path == "-" { return try argument(path) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw StorageError(
        .cannotOpen,
        "cannot read \(path): \(String(cString: strerror(errno)))",
        engineCode: Int(errno)
      )
    }
    defer { close(descriptor) }
    return try contents(of: descriptor, name: path)
  }

  private static func contents(of descriptor: Int32, name: String) throws(StorageError) -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count == 0 { break }
      if count < 0 {
        let code = errno
        if code == EINTR { continue }
        throw StorageError(
          .ioError,
          "cannot read \(name): \(String(cString: strerror(code)))",
          engineCode: Int(code)
        )
      }
      bytes.append(contentsOf: chunk[..<count])
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw StorageError(.malformedInput, "\(name) is not UTF-8")
    }
    return text
  }

  /// Runs `body` with a reader over one JSON value, and checks that nothing follows it.
  static func parse<T>(
    _ text: String,
    _ body: (inout JSONReader) throws(StorageError) -> T
  ) throws(StorageError) -> T {
    let bytes = Array(text.utf8)
    let result = bytes.withUnsafeBytes { bytes -> Result<T, StorageError> in
      var reader = JSONReader(ByteSource(bytes))
      do throws(StorageError) {
        let value = try body(&reader)
        guard try reader.next() == .end else {
          return .failure(reader.error(.malformedInput, "expected nothing after the value"))
        }
        return .success(value)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
