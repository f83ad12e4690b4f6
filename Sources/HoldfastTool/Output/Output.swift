import Foundation
import Holdfast
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// The reader of standard output has gone: ends the tool quietly.
package struct ClosedPipe: Error {}

/// Buffered standard output.
package final class Output: Sendable {
  private static let chunk = 1 << 16

  private let descriptor: Int32
  private let buffer = Mutex<[UInt8]>([])
  /// Whether a person reads it.
  package let isTerminal: Bool
  /// Whether colour may be used: on a terminal, unless `NO_COLOR` is set.
  package let allowsColor: Bool

  /// Writes to a file descriptor, which stays open.
  package init(_ descriptor: Int32) {
    self.descriptor = descriptor
    isTerminal = isatty(descriptor) == 1
    let noColor = ProcessInfo.processInfo.environment["NO_COLOR"] ?? ""
    allowsColor = isTerminal && noColor.isEmpty
  }

  /// Writes a line.
  ///
  /// - Throws: `ClosedPipe`; `StorageError` with code `ioError` if writing fails.
  package func line(_ text: String) throws {
    try write(text + "\n")
  }

  /// Writes text as it is.
  ///
  /// - Throws: as ``line(_:)``.
  package func write(_ text: String) throws {
    try buffer.withLock { buffer in
      buffer.append(contentsOf: text.utf8)
      if buffer.count >= Self.chunk { try Self.drain(&buffer, to: descriptor) }
    }
  }

  /// Writes bytes as they are.
  ///
  /// - Throws: as ``line(_:)``.
  package func write(_ bytes: some Sequence<UInt8>) throws {
    try buffer.withLock { buffer in
      buffer.append(contentsOf: bytes)
      if buffer.count >= Self.chunk { try Self.drain(&buffer, to: descriptor) }
    }
  }

  /// Hands everything to the system.
  ///
  /// - Throws: as ``line(_:)``.
  package func flush() throws {
    try buffer.withLock { buffer in try Self.drain(&buffer, to: descriptor) }
  }

  private static func drain(_ buffer: inout [UInt8], to descriptor: Int32) throws {
    defer { buffer.removeAll(keepingCapacity: true) }
    try buffer.withUnsafeBytes { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        #if canImport(Darwin)
        let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
        #else
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        #endif
        if count >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
          continue
        }
        let code = errno
        if code == EINTR { continue }
        if code == EPIPE { throw ClosedPipe() }
        throw StorageError(
          .ioError,
          "cannot write the output: \(String(cString: strerror(code)))"
        )
      }
    }
  }
}

/// Standard error: messages for people, one a line.
package enum Messages {
  /// Writes a line; there is nobody to tell if that fails.
  package static func line(_ text: String) { write(text + "\n") }

  /// Writes text as it is.
  package static func write(_ text: String) {
    let output = Output(STDERR_FILENO)
    _ = Result {
      try output.write(text)
      try output.flush()
    }
  }
}
