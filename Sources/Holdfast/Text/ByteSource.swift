#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Where a text reader takes its bytes from: memory, or chunks that are asked for one by one.
///
/// Readers over chunks use memory for one chunk and the longest token, however long the input.
public struct ByteSource {
  /// Fills the start of a buffer and says how many bytes it put there; 0 ends the input.
  public typealias Refill = (UnsafeMutableRawBufferPointer) throws(StorageError) -> Int

  let memory: UnsafeRawBufferPointer
  let refill: Refill?
  let chunkSize: Int

  /// A source over bytes in memory, which must stay in place while a reader uses them.
  public init(_ bytes: UnsafeRawBufferPointer) {
    memory = bytes
    refill = nil
    chunkSize = 0
  }

  /// A source of chunks.
  ///
  /// - Parameters:
  ///   - chunkSize: how many bytes to ask for at a time.
  ///   - refill: puts the next bytes into the buffer that it is given.
  public init(chunkSize: Int = 1 << 17, refill: @escaping Refill) {
    precondition(chunkSize > 0, "a chunk has at least one byte")
    memory = UnsafeRawBufferPointer(start: nil, count: 0)
    self.refill = refill
    self.chunkSize = chunkSize
  }

  /// A source over an open file, pipe or terminal, read from where it stands; it is not closed.
  ///
  /// - Parameters:
  ///   - descriptor: the file descriptor.
  ///   - name: what to call the input in errors.
  public init(descriptor: Int32, name: String) {
    self.init { (buffer) throws(StorageError) -> Int in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        if count >= 0 { return count }
        let code = errno
        if code == EINTR { continue }
        throw StorageError(
          .ioError,
          "cannot read \(name): \(String(cString: strerror(code)))",
          engineCode: Int(code)
        )
      }
    }
  }
}
