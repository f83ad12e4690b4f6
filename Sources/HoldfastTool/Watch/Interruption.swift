import Dispatch
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// What ends a command that would go on for ever.
enum Interruption {
  /// Returns when the process is asked to end, by Ctrl-C among others, or nobody reads a descriptor
  /// any more.
  static func wait(orClosing descriptor: Int32) async {
    let (events, continuation) = AsyncStream<Void>.makeStream()
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      // The default would end the process before it closes its store.
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.yield() }
      source.resume()
      return source
    }
    Thread.detachNewThread {
      if isClosed(descriptor) { continuation.yield() }
    }
    for await _ in events { break }
    for source in sources { source.cancel() }
  }

  /// Waits until the other end of a pipe is closed; false for a descriptor that cannot tell.
  private static func isClosed(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: 0, revents: 0)
    while poll(&entry, 1, -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return Int32(entry.revents) & (POLLERR | POLLHUP) != 0
  }
}
