import HoldfastConformance
import Synchronization

/// Reports of the suite on one or several backends, as one text.
enum ConformanceText {
  /// The reports in a format; `html` is of the first one alone.
  static func text(_ reports: [ConformanceReport], _ format: String) -> String {
    switch format {
    case "json":
      if reports.count == 1 { return reports[0].json }
      return "[" + reports.map(\.json).joined(separator: ",") + "]\n"
    case "junit": return junit(reports)
    case "html": return reports.first?.html ?? ""
    default:
      let text = reports.map(\.text).joined()
      return reports.count == 1 ? text : text + "all backends\n\(total(reports))\n"
    }
  }

  /// The closing line.
  static func total(_ reports: [ConformanceReport]) -> String {
    let passed = reports.reduce(0) { $0 + $1.passedCount + $1.unsupportedCount }
    let failed = reports.reduce(0) { $0 + $1.failedCount }
    return "\(passed) passed, \(failed) failed, 0 skipped"
  }

  /// The test suites of all reports in one document.
  private static func junit(_ reports: [ConformanceReport]) -> String {
    var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    for report in reports {
      let lines = report.junit.split(separator: "\n", omittingEmptySubsequences: false)
      for line in lines.dropFirst(2) where line != "</testsuites>" && !line.isEmpty {
        text += line + "\n"
      }
    }
    return text + "</testsuites>\n"
  }
}

/// Counts finished cases from any thread.
final class ConformanceCounter: Sendable {
  private let count = Mutex(0)

  /// One more than before.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
