import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

/// Tells whether this process was forked since a store was opened, for authors of backends.
///
/// A store carried over `fork` would share locks, threads and slots in tables of readers with the
/// parent, so ``Store`` refuses it in the child. A handler that counts forks costs a load where
/// comparing process numbers costs a system call.
public struct ForkDetector: Sendable {
  private static let forks = Atomic<Int>(0)
  private static let isRegistered: Bool = {
    // Touch the counter, so that the child's handler finds it initialised.
    _ = forks.load(ordering: .relaxed)
    return pthread_atfork(nil, nil, { ForkDetector.count() }) == 0
  }()

  private let generation: Int

  private static func count() {
    forks.add(1, ordering: .relaxed)
  }

  /// Remembers this process.
  public init() {
    precondition(Self.isRegistered, "the system takes no more fork handlers")
    generation = Self.forks.load(ordering: .relaxed)
  }

  /// Whether this process is a child of the one that was remembered.
  public var isForked: Bool { Self.forks.load(ordering: .relaxed) != generation }
}
