import Foundation

/// Runs the steps of a case's tasks each on a thread of its own, so that a case which blocks for good
/// holds up nothing but itself.
final class OwnThreads: TaskExecutor {
  static let shared = OwnThreads()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    Thread.detachNewThread { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
