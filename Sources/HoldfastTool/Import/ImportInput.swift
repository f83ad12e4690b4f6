import Foundation
import Holdfast

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A file to import, which can be read several times.
///
/// Standard input is first copied to a temporary file that has no name.
final class ImportInput {
  /// What errors call it.
  let name: String
  /// The size in bytes.
  let size: Int
  private let descriptor: Int32
  private var mapped: UnsafeRawBufferPointer?

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `StorageError` with code `cannotOpen` or `ioError`.
  init(_ path: String) throws(StorageError) {
    if path == "-" {
      name = "standard input"
      descriptor = try Self.spool()
    } else {
      name = path
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw Self.failure(.cannotOpen, "cannot read \(name)") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      close(descriptor)
      throw StorageError(.cannotOpen, "cannot read \(name): it is no file")
    }
    size = Int(status.st_size)
  }

  deinit {
    if let mapped { munmap(UnsafeMutableRawPointer(mutating: mapped.baseAddress), mapped.count) }
    close(descriptor)
  }

  /// The input from its start.
  func source() throws(StorageError) -> ByteSource {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw Self.failure(.ioError, "cannot read \(name) from its start")
    }
    return ByteSource(descriptor: descriptor, name: name)
  }

  /// The first bytes.
  func prefix(_ count: Int) throws(StorageError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, 0) }
    guard read >= 0 else { throw Self.failure(.ioError, "cannot read \(name)") }
    return Array(bytes.prefix(read))
  }

  /// How much has been read since the last ``source()``.
  var position: Int { Int(lseek(descriptor, 0, SEEK_CUR)) }

  /// All of the input as memory that the system reads on demand; valid as long as this object.
  func bytes() throws(StorageError) -> UnsafeRawBufferPointer {
    if let mapped { return mapped }
    guard size > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    guard let memory = mmap(nil, size, PROT_READ, MAP_PRIVATE, descriptor, 0),
      memory != MAP_FAILED
    else { throw Self.failure(.ioError, "cannot read \(name)") }
    let bytes = UnsafeRawBufferPointer(start: memory, count: size)
    mapped = bytes
    return bytes
  }

  // MARK: Standard input

  private static func spool() throws(StorageError) -> Int32 {
    var template = Array((NSTemporaryDirectory() + "holdfast-import-XXXXXX").utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw failure(.ioError, "cannot make a temporary file") }
    unlink(&template)
    var chunk = [UInt8](repeating: 0, count: 1 << 17)
    while true {
      let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count == 0 { return file }
      if count < 0, errno == EINTR { continue }
      guard count > 0, write(chunk[..<count], to: file) else {
        let error = failure(.ioError, "cannot keep standard input in a temporary file")
        close(file)
        throw error
      }
    }
  }

  private static func write(_ bytes: ArraySlice<UInt8>, to file: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let slice = UnsafeRawBufferPointer(rebasing: rest)
        #if canImport(Darwin)
        let count = Darwin.write(file, slice.baseAddress, slice.count)
        #else
        let count = Glibc.write(file, slice.baseAddress, slice.count)
        #endif
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  private static func failure(_ code: StorageError.Code, _ message: String) -> StorageError {
    let number = errno
    return StorageError(
      code,
      "\(message): \(String(cString: strerror(number)))",
      engineCode: Int(number)
    )
  }
}
