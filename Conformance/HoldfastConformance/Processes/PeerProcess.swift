import Foundation
import Holdfast
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// A second process on a store, as a case sees it: it does as it is told, a line at a time.
///
/// See ``ConformancePeer`` for what it understands. Used by one thread at a time.
final class PeerProcess: Sendable {
  /// How long an answer may take; far more than any wait of a store.
  private static let answerTimeout: Int32 = 60_000

  private struct State {
    var received: [UInt8] = []
    var isRunning = true
  }

  private let id: pid_t
  private let socket: Int32
  private let state = Mutex(State())

  /// Starts the process.
  init(_ command: PeerCommand) throws {
    #if canImport(Darwin)
    let kind = SOCK_STREAM
    #else
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Self.failure("socketpair") }
    defer { close(ends[1]) }
    #if canImport(Darwin)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    var isQuiet: Int32 = 1
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &isQuiet, socklen_t(MemoryLayout<Int32>.size))
    var actions: posix_spawn_file_actions_t?
    #else
    var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    let words = [command.executable] + command.arguments
    let variables = ProcessInfo.processInfo.environment.map { "\($0)=\($1)" }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var environment: [UnsafeMutablePointer<CChar>?] = variables.map { strdup($0) } + [nil]
    defer { for word in arguments + environment { free(word) } }
    var child: pid_t = 0
    errno = posix_spawn(&child, command.executable, &actions, nil, &arguments, &environment)
    guard errno == 0 else {
      let error = Self.failure("starting \(command.executable)")
      close(ends[0])
      throw error
    }
    id = child
    socket = ends[0]
  }

  deinit {
    kill()
    close(socket)
  }

  private static func failure(_ what: String) -> StorageError {
    StorageError(
      .ioError,
      "the second process: \(what) failed: \(String(cString: strerror(errno)))"
    )
  }

  /// Sends a command and returns its answer.
  ///
  /// - Throws: the error that the process answered; `StorageError.Code.ioError` if none came.
  @discardableResult
  func ask(_ command: String) throws -> String {
    try send(command)
    return try receive(command)
  }

  /// Sends a command whose answer is received later.
  func send(_ command: String) throws {
    let bytes = Array("\(command)\n".utf8)
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, flags)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw Self.failure("sending \(command)") }
      sent += count
    }
  }

  /// Receives the answer to a command.
  @discardableResult
  func receive(_ command: String = "the last command") throws -> String {
    let line = try state.withLock { state -> String in
      while true {
        if let end = state.received.firstIndex(of: UInt8(ascii: "\n")) {
          defer { state.received.removeSubrange(...end) }
          return String(decoding: state.received[..<end], as: UTF8.self)
        }
        state.received += try more(for: command)
      }
    }
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    if words.first == "ok" { return String(line.dropFirst(3)) }
    guard words.first == "error", words.count == 3 else {
      throw StorageError(.ioError, "the second process answered \(command) with: \(line)")
    }
    throw StorageError(StorageError.Code(rawValue: String(words[1])), String(words[2]))
  }

  private func more(for command: String) throws -> [UInt8] {
    var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    var ready = poll(&waiting, 1, Self.answerTimeout)
    while ready < 0, errno == EINTR { ready = poll(&waiting, 1, Self.answerTimeout) }
    guard ready > 0 else {
      throw StorageError(.ioError, "the second process gave no answer to \(command)")
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      count = max(0, read(socket, buffer.baseAddress, 4096))
    }
    if bytes.isEmpty {
      throw StorageError(.ioError, "the second process ended instead of answering \(command)")
    }
    return bytes
  }

  /// Ends the process on the spot, as a crash would, and waits until it is gone.
  ///
  /// Idempotent.
  func kill() {
    let wasRunning = state.withLock { state in
      defer { state.isRunning = false }
      return state.isRunning
    }
    guard wasRunning else { return }
    _ = Foundation.kill(id, SIGKILL)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
  }
}
