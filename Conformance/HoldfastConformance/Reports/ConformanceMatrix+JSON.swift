extension ConformanceMatrix {
  /// The report for programs: one object, whatever the number of backends.
  public var json: String {
    let head = [
      "\"catalogueVersion\":\(Conformance.catalogueVersion)", "\"seed\":\(seed)",
      "\"complete\":\(isComplete)", "\"cases\":\(rows.count)", "\"checks\":\(checkCount)",
      "\"passed\":\(passedCount)", "\"failed\":\(failedCount)", "\"skipped\":\(skippedCount)",
    ]
    let backends = reports.map { report in
      let parts = [
        "\"backend\":\(ReportText.json(report.backend))",
        "\"engine\":\(ReportText.json(report.engine))", "\"complete\":\(report.isComplete)",
        "\"cases\":\(report.results.count)", "\"checks\":\(report.checkCount)",
        "\"passed\":\(report.passedCount)", "\"failed\":\(report.failedCount)",
        "\"skipped\":\(report.skippedCount)",
        "\"unsupportedVerified\":\(report.unsupportedCount)",
        "\"seconds\":\(ReportText.seconds(report.seconds))",
      ]
      return "\n{\(parts.joined(separator: ","))}"
    }
    return "{\(head.joined(separator: ",")),\n\"backends\":[\(backends.joined(separator: ","))],\n"
      + "\"results\":[\(rows.map(json).joined(separator: ","))]}\n"
  }

  private func json(_ row: Row) -> String {
    let entry = row.entry
    let needs = entry.needs.map(\.rawValue).sorted().map(ReportText.json)
    let results = zip(reports, row.results).compactMap { report, result in
      result.map { Self.json($0, report.backend) }
    }
    return "\n{\"id\":\(ReportText.json(entry.id)),\"area\":\(ReportText.json(entry.area)),"
      + "\"rule\":\(ReportText.json(entry.statement)),"
      + "\"section\":\(entry.section.map(ReportText.json) ?? "null"),"
      + "\"needs\":[\(needs.joined(separator: ","))],"
      + "\"on\":[\(results.joined(separator: ","))]}"
  }

  private static func json(_ result: ConformanceResult, _ backend: String) -> String {
    func list(_ texts: [String]) -> String {
      "[\(texts.map(ReportText.json).joined(separator: ","))]"
    }
    var parts = [
      "\"backend\":\(ReportText.json(backend))", "\"status\":\"\(result.status.name)\"",
      "\"checks\":\(result.checkCount)", "\"seconds\":\(ReportText.seconds(result.seconds))",
    ]
    guard result.isFailure else { return "{\(parts.joined(separator: ","))}" }
    let failures = result.failures.map { failure in
      "{\"what\":\(ReportText.json(failure.what)),\"place\":\(ReportText.json(failure.place)),"
        + "\"expected\":\(failure.expected.map(ReportText.json) ?? "null"),"
        + "\"got\":\(failure.got.map(ReportText.json) ?? "null"),"
        + "\"history\":\(list(failure.history))}"
    }
    parts += [
      "\"failedChecks\":\(result.failureCount)",
      "\"failures\":[\(failures.joined(separator: ","))]",
      "\"steps\":\(list(result.trace))", "\"again\":\(ReportText.json(command(result, backend)))",
    ]
    return "{\(parts.joined(separator: ","))}"
  }
}
