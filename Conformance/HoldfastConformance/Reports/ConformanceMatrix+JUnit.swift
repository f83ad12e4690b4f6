extension ConformanceMatrix {
  /// The report as JUnit XML, for continuous integration: a test suite a backend.
  public var junit: String {
    let errors = reports.count { !$0.isComplete }
    let tests = reports.reduce(0) { $0 + $1.results.count } + errors
    let seconds = reports.reduce(0) { $0 + $1.seconds }
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      + "<testsuites name=\"holdfast conformance\" tests=\"\(tests)\" failures=\"\(failedCount)\""
      + " errors=\"\(errors)\" skipped=\"0\" time=\"\(ReportText.seconds(seconds))\">\n"
      + reports.map(Self.suite).joined() + "</testsuites>\n"
  }

  private static func suite(_ report: ConformanceReport) -> String {
    let errors = report.isComplete ? 0 : 1
    var out = "<testsuite name=\"\(ReportText.markup("holdfast." + report.backend))\""
    out += " tests=\"\(report.results.count + errors)\" failures=\"\(report.failedCount)\""
    out += " errors=\"\(errors)\" skipped=\"0\" time=\"\(ReportText.seconds(report.seconds))\">\n"
    let properties = [
      ("engine", report.engine), ("catalogue", String(Conformance.catalogueVersion)),
      ("seed", String(report.seed)), ("checks", String(report.checkCount)),
    ]
    out += "<properties>\n"
    for (name, value) in properties {
      out += "<property name=\"\(name)\" value=\"\(ReportText.markup(value))\"/>\n"
    }
    out += "</properties>\n" + report.results.map { test($0, report.backend) }.joined()
    if !report.isComplete {
      let message = "\(report.results.count) of \(Conformance.expectedCount) cases ran"
      out += "<testcase classname=\"\(ReportText.markup(report.backend)).catalogue\""
      out += " name=\"catalogue.complete\" time=\"0.000\">\n<error message=\"\(message)\"/>\n"
      out += "</testcase>\n"
    }
    return out + "</testsuite>\n"
  }

  private static func test(_ result: ConformanceResult, _ backend: String) -> String {
    var out = "<testcase classname=\"\(ReportText.markup("\(backend).\(result.entry.area)"))\""
    out += " name=\"\(ReportText.markup(result.entry.id))\" assertions=\"\(result.checkCount)\""
    out += " time=\"\(ReportText.seconds(result.seconds))\""
    switch result.status {
    case .passed: return out + "/>\n"
    case .unsupportedVerified:
      return out + ">\n<system-out>unsupported, verified</system-out>\n</testcase>\n"
    case .failed(let failures):
      out += ">\n<failure message=\"\(ReportText.markup(failures.first?.description ?? ""))\">"
      out += ReportText.markup(lines(result, backend).joined(separator: "\n"))
      return out + "</failure>\n</testcase>\n"
    }
  }
}
