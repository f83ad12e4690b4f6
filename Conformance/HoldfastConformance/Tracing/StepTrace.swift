/// The last steps of a case up to its first failure, cheap to add to.
struct StepTrace: Sendable {
  /// One step, formatted only when it is shown.
  enum Step: Sendable {
    /// Something that was done.
    case text(String)
    /// Checks in a row at one line that were right.
    case checks(Int, _ fileID: String, _ line: Int)
    /// Calls of a storage in a row that are alike, with what the last one was about.
    case calls(Int, StorageCall, _ subject: String)
  }

  private static let kept = 40
  /// How many calls that are alike are shown one by one.
  private static let shownOfRun = 3

  private var steps: [Step] = []
  private var dropped = 0
  private var hasEnded = false
  private var run: (call: StorageCall, count: Int)?

  /// Adds a step, unless the trace has ended.
  mutating func add(_ step: Step) {
    if hasEnded { return }
    run = nil
    if case .checks(let count, let fileID, let line) = step,
      case .checks(let before, fileID, line)? = steps.last
    {
      steps[steps.count - 1] = .checks(before + count, fileID, line)
      return
    }
    append(step)
  }

  /// Adds a call of a storage; those after the first few that are alike in a row are one step.
  ///
  /// Parameter `subject`: what the call was about, in full or, for all but the first few, in short.
  mutating func add(_ call: StorageCall, _ subject: (_ isFull: Bool) -> String) {
    if hasEnded { return }
    let count = if let run, run.call == call { run.count + 1 } else { 1 }
    run = (call, count)
    if count <= Self.shownOfRun {
      append(.calls(1, call, subject(true)))
    } else if count == Self.shownOfRun + 1 {
      append(.calls(1, call, subject(false)))
    } else {
      steps[steps.count - 1] = .calls(count - Self.shownOfRun, call, subject(false))
    }
  }

  /// Adds a last step, the first time.
  mutating func end(_ step: String) {
    add(.text(step))
    hasEnded = true
  }

  private mutating func append(_ step: Step) {
    if steps.count == Self.kept * 2 {
      steps.removeFirst(Self.kept)
      dropped += Self.kept
    }
    steps.append(step)
  }

  /// The steps, a line each, oldest first.
  var lines: [String] {
    let shown = steps.suffix(Self.kept)
    let missing = dropped + steps.count - shown.count
    return (missing > 0 ? ["… \(missing) steps before"] : []) + shown.map(Self.text)
  }

  private static func text(_ step: Step) -> String {
    switch step {
    case .text(let text): text
    case .checks(let count, let fileID, let line):
      "\(count == 1 ? "the check" : "\(count) checks") passed at "
        + ConformanceFailure.place(fileID, line)
    case .calls(1, let call, let subject): call.text(subject)
    case .calls(let count, let call, let subject):
      call.text("… \(ReportText.grouped(count)) times, last \(subject)")
    }
  }
}
