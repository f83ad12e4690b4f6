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
public enum ForkDetector {
  private static let forks = Atomic<Int>(0)
  private static let isRegistered: Bool = {
    // Touch the counter, so that the child's handler finds it initialised.
    _ = forks.load(ordering: .relaxed)
    return pthread_atfork(nil, nil, { ForkDetector.count() }) == 0
  }()

  private static func count() {
    forks.add(1, ordering: .relaxed)
  }

  /// Starts counting; to be called before the first ``generation`` that is kept.
  public static func start() {
    precondition(isRegistered, "the system takes no more fork handlers")
  }

  /// How many forks lie between the first store and this process.
  public static var generation: Int { forks.load(ordering: .relaxed) }
}
