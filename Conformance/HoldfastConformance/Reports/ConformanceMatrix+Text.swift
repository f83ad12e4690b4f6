extension ConformanceMatrix {
  /// How many failed checks of one case are shown in full.
  private static let shownFailures = 5

  /// The report for people: failures in full, then a line of figures a backend, then the counts.
  public var text: String {
    var lines: [String] = []
    for report in reports {
      for result in report.results where result.isFailure {
        lines += Self.lines(result, report.backend) + [""]
      }
    }
    for report in reports where report.unsupportedCount > 0 {
      let ids = report.results.filter { $0.status == .unsupportedVerified }.map(\.entry.id)
      lines.append("unsupported, verified, on \(report.backend): \(ids.joined(separator: ", "))")
    }
    if lines.last?.isEmpty == false { lines.append("") }
    lines += ReportText.table([Self.heading] + reports.map(Self.figures), numbersFrom: 2)
    for report in reports where !report.isComplete {
      lines.append(
        "INCOMPLETE: \(report.results.count) cases ran on \(report.backend), "
          + "the catalogue has \(Conformance.expectedCount)"
      )
    }
    lines.append(
      "\(ReportText.count(rows.count, "case")) and \(ReportText.count(checkCount, "check")) "
        + "on \(ReportText.count(reports.count, "backend")), "
        + "catalogue \(Conformance.catalogueVersion), seed \(seed)"
    )
    lines.append(closingLine)
    return lines.joined(separator: "\n") + "\n"
  }

  private static let heading = [
    "backend", "engine", "cases", "checks", "passed", "failed", "unsupported, verified", "seconds",
  ]

  private static func figures(_ report: ConformanceReport) -> [String] {
    [
      report.backend, report.engine, ReportText.grouped(report.results.count),
      ReportText.grouped(report.checkCount), ReportText.grouped(report.passedCount),
      ReportText.grouped(report.failedCount), ReportText.grouped(report.unsupportedCount),
      ReportText.seconds(report.seconds),
    ]
  }

  /// One failed case, for people and for JUnit.
  static func lines(_ result: ConformanceResult, _ backend: String) -> [String] {
    var lines = ["FAILED \(result.entry.id) on \(backend)"]
    func add(_ label: String, _ text: String) {
      let width = 11
      let texts = ReportText.visible(text).split(separator: "\n", omittingEmptySubsequences: false)
      for (index, text) in texts.enumerated() {
        let label = index == 0 ? label : ""
        lines.append("  \(label)\(String(repeating: " ", count: width - label.count))\(text)")
      }
    }
    add("rule", result.entry.statement)
    if let section = result.entry.section { add("", section) }
    for failure in result.failures.prefix(shownFailures) {
      add(
        "check",
        failure.what.isEmpty ? "at \(failure.place)" : "\(failure.what) (\(failure.place))"
      )
      if let expected = failure.expected { add("expected", expected) }
      if let got = failure.got { add("got", got) }
      for (index, step) in failure.history.enumerated() { add(index == 0 ? "history" : "", step) }
    }
    if result.failureCount > shownFailures {
      add("", "and \(result.failureCount - shownFailures) more failed checks")
    }
    for (index, step) in result.trace.enumerated() { add(index == 0 ? "steps" : "", step) }
    add("seed", "\(result.seed)")
    add("again", command(result, backend))
    return lines
  }
}

extension ConformanceResult {
  /// The result for people: a failure in full, else one line.
  public func text(on backend: String) -> String {
    switch status {
    case .passed: "passed \(entry.id) on \(backend)"
    case .unsupportedVerified: "unsupported, verified \(entry.id) on \(backend)"
    case .failed: ConformanceMatrix.lines(self, backend).joined(separator: "\n")
    }
  }
}
