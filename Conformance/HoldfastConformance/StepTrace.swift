/// The last steps of a case up to its first failure, cheap to add to.
struct StepTrace: Sendable {
  /// One step, formatted only when it is shown.
  enum Step: Sendable {
    /// Something that was done.
    case text(String)
    /// Checks in a row at one line that were right.
    case checks(Int, _ fileID: String, _ line: Int)
  }

  private static let kept = 40

  private var steps: [Step] = []
  private var dropped = 0
  private var hasEnded = false

  /// Adds a step, unless the trace has ended.
  mutating func add(_ step: Step) {
    if hasEnded { return }
    if case .checks(let count, let fileID, let line) = step,
      case .checks(let before, fileID, line)? = steps.last
    {
      steps[steps.count - 1] = .checks(before + count, fileID, line)
      return
    }
    if steps.count == Self.kept * 2 {
      steps.removeFirst(Self.kept)
      dropped += Self.kept
    }
    steps.append(step)
  }

  /// Adds a last step, the first time.
  mutating func end(_ step: String) {
    add(.text(step))
    hasEnded = true
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
    }
  }
}
