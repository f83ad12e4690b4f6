extension ConformanceReport {
  /// The report as JUnit XML, for continuous integration.
  public var junit: String {
    let total = results.reduce(0) { $0 + $1.seconds }
    var out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
    out += "<testsuite name=\"\(Self.escaped("holdfast." + backend))\" tests=\"\(results.count)\""
    out += " failures=\"\(failedCount)\" errors=\"\(isComplete ? 0 : 1)\" skipped=\"0\""
    out += " time=\"\(Self.seconds(total))\">\n"
    for result in results {
      out += "<testcase classname=\"\(Self.escaped(backend + "." + result.entry.area))\""
      out += " name=\"\(Self.escaped(result.entry.id))\" time=\"\(Self.seconds(result.seconds))\""
      if let first = result.failures.first {
        out += ">\n<failure message=\"\(Self.escaped(first))\">"
        out += Self.escaped((result.failures + result.trace).joined(separator: "\n"))
        out += "</failure>\n</testcase>\n"
      } else {
        out += "/>\n"
      }
    }
    if !isComplete {
      out += "<system-err>\(results.count) of \(Conformance.expectedCount) cases ran</system-err>\n"
    }
    return out + "</testsuite>\n</testsuites>\n"
  }

  /// The report as a page.
  public var html: String {
    var out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    out += "<title>Conformance of \(Self.escaped(backend))</title><style>"
    out += "body{font:15px/1.5 system-ui;margin:2rem auto;max-width:70rem;padding:0 1rem}"
    out += "table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2rem .6rem;"
    out += "border-bottom:1px solid #8884;vertical-align:top}.failed{color:#b00020}"
    out += "pre{white-space:pre-wrap;margin:0}</style></head><body>\n"
    out += "<h1>Conformance of \(Self.escaped(backend))</h1>\n"
    out += "<p>\(passedCount + unsupportedCount) passed, \(failedCount) failed, 0 skipped; "
    out += "\(unsupportedCount) verified as unsupported; catalogue "
    out += "\(Conformance.catalogueVersion), seed \(seed)\(isComplete ? "" : "; INCOMPLETE").</p>\n"
    out += "<table><tr><th>Case</th><th>Rule</th><th>Status</th><th>Seconds</th></tr>\n"
    for result in results {
      let status = Self.name(result.status)
      out += "<tr class=\"\(status)\"><td>\(Self.escaped(result.entry.id))</td>"
      out += "<td>\(Self.escaped(result.entry.statement))"
      if result.isFailure {
        let lines = (result.failures + result.trace).joined(separator: "\n")
        out += "<pre>\(Self.escaped(lines))</pre>"
      }
      out += "</td><td>\(status)</td><td>\(Self.seconds(result.seconds))</td></tr>\n"
    }
    return out + "</table>\n</body></html>\n"
  }

  /// Text for XML and HTML: markup escaped, characters that XML cannot hold replaced.
  private static func escaped(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": out += "&amp;"
      case "<": out += "&lt;"
      case ">": out += "&gt;"
      case "\"": out += "&quot;"
      case "\n", "\t": out.unicodeScalars.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        out += "\u{FFFD}"
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out
  }
}
