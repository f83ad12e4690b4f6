import Foundation

#if canImport(Glibc)
import Glibc

/// How much anonymous memory some work takes at its peak: `RssAnon` of the process, which leaves out
/// mapped pages of the store itself.
enum PeakMemory {
  /// Runs `body`, while another thread looks at the memory every half millisecond.
  ///
  /// - Returns: the bytes above what the process had before; nil if the system does not tell.
  static func during(_ body: () throws -> Void) throws -> Int? {
    guard let sampler = Sampler() else {
      try body()
      return nil
    }
    sampler.start()
    defer { sampler.stop() }
    try body()
    return sampler.stop()
  }

  /// Looks at the memory until it is told to stop.
  private final class Sampler: @unchecked Sendable {
    // Unchecked: `peak` belongs to the thread until `ended` is signalled.
    private let statistics: Int32
    private let before: Int
    private var peak = 0
    private let isOver = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    private var result: Int?

    init?() {
      statistics = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
      guard statistics >= 0 else { return nil }
      // What was freed before counts as nobody's.
      if let trim = dlsym(nil, "malloc_trim") {
        _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
      }
      before = Self.anonymous(statistics)
    }

    deinit { close(statistics) }

    func start() {
      Thread { [self] in
        repeat {
          peak = max(peak, Self.anonymous(statistics))
        } while isOver.wait(timeout: .now() + .microseconds(500)) == .timedOut
        peak = max(peak, Self.anonymous(statistics))
        ended.signal()
      }.start()
    }

    @discardableResult
    func stop() -> Int {
      if let result { return result }
      isOver.signal()
      ended.wait()
      let found = max(0, peak - before)
      result = found
      return found
    }

    /// The resident pages that are of no file: the second number less the third.
    private static func anonymous(_ file: Int32) -> Int {
      withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { bytes in
        let count = pread(file, bytes.baseAddress, bytes.count, 0)
        let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
        let pages = text.split(separator: " ").compactMap { Int($0) }
        return pages.count > 2 ? (pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE)) : 0
      }
    }
  }
}
#else
/// How much anonymous memory some work takes: not known on this system.
enum PeakMemory {
  /// Runs `body`.
  static func during(_ body: () throws -> Void) throws -> Int? {
    try body()
    return nil
  }
}
#endif
