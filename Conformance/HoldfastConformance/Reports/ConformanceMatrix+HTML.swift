extension ConformanceMatrix {
  /// The report as one page that needs nothing else: cases down, backends across, failures first.
  public var html: String {
    """
    <!doctype html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(isSuccess ? "✓" : "✗") Holdfast conformance</title>
    <style>
    \(ReportPage.style)
    </style>
    </head>
    <body>
    <header>
    <p class="name">Holdfast conformance</p>
    <h1 class="\(isSuccess ? "ok" : "bad")">\(ReportText.markup(verdict))</h1>
    <p class="facts">\(ReportText.count(rows.count, "case")) ·
    \(ReportText.count(checkCount, "check")) ·
    catalogue \(Conformance.catalogueVersion) · seed \(seed)</p>
    </header>
    <main>
    <section class="backends" aria-label="Backends">
    \(reports.map(Self.card).joined())</section>
    \(tools)
    <table>
    <thead><tr>
    <th aria-sort="none"><button type="button" data-sort="id">Case and rule</button></th>
    <th aria-sort="none"><button type="button" data-sort="area">Area</button></th>
    \(reports.map { "<th class=\"cell\">\(ReportText.markup($0.backend))</th>" }.joined())
    <th class="checks" aria-sort="none">
    <button type="button" data-sort="checks">Checks</button></th>
    </tr></thead>
    \((rows.filter(\.isFailure) + rows.filter { !$0.isFailure }).map(html).joined())</table>
    <p id="none" hidden>No case matches.
    <button type="button" id="clear">Clear the filters</button></p>
    </main>
    <footer>\(closingLine)</footer>
    <script>
    \(ReportPage.script)
    </script>
    </body>
    </html>

    """
  }

  /// The outcome in one sentence.
  private var verdict: String {
    let backends =
      reports.count == 1
      ? reports[0].backend : ReportText.count(reports.count, "backend")
    if !isComplete { return "Incomplete: \(skippedCount) results are missing on \(backends)" }
    let failed = rows.count(where: \.isFailure)
    if failed > 0 {
      return "\(failed) of \(ReportText.count(rows.count, "case")) "
        + "\(failed == 1 ? "fails" : "fail") on \(backends)"
    }
    return rows.count == 1
      ? "The case passes on \(backends)"
      : "All \(ReportText.count(rows.count, "case")) pass on \(backends)"
  }

  /// The summary of one backend.
  private static func card(_ report: ConformanceReport) -> String {
    let plain = report.passedCount - report.unsupportedCount
    let unsupported =
      report.unsupportedCount == 0
      ? "" : "<p class=\"count soft\">\(report.unsupportedCount) unsupported, verified</p>\n"
    let isGood = report.isSuccess
    let missing = report.skippedCount > 0 ? ", <b>\(report.skippedCount)</b> did not run" : ""
    return """
      <article class="\(isGood ? "ok" : "bad")">
      <h2>\(ReportText.markup(report.backend))</h2>
      <p class="engine">\(ReportText.markup(report.engine))</p>
      <p class="count"><b>\(ReportText.grouped(report.passedCount))</b> passed</p>
      \(unsupported)<p class="count failed\(isGood ? "" : " bad")"><b>\(report.failedCount)</b> failed\(missing)</p>
      <div class="bar" aria-hidden="true"><i class="ok" style="flex-grow:\(plain)"></i>\
      <i class="some" style="flex-grow:\(report.unsupportedCount)"></i>\
      <i class="bad" style="flex-grow:\(report.failedCount + report.skippedCount)"></i></div>
      <p class="soft time">\(ReportText.count(report.checkCount, "check")) in \
      \(ReportText.seconds(report.seconds).dropLast(2)) s</p>
      </article>

      """
  }

  /// The filters and the order, shown once the script runs.
  private var tools: String {
    let failed = rows.count(where: \.isFailure)
    let unsupported = rows.count(where: \.isUnsupported)
    let statuses = [
      ("", "All", rows.count), ("failed", "Failed", failed),
      ("unsupported", "Unsupported", unsupported),
      ("passed", "Passed", rows.count - failed - unsupported),
    ]
    let choices = statuses.map { value, label, count in
      "<label><input type=\"radio\" name=\"status\" value=\"\(value)\""
        + "\(value.isEmpty ? " checked" : "")><span>\(label) <small>\(count)</small></span></label>"
    }
    var areas: [String] = []
    for row in rows where !areas.contains(row.entry.area) { areas.append(row.entry.area) }
    let options = areas.map { "<option>\(ReportText.markup($0))</option>" }
    return """
      <form class="tools" hidden>
      <input type="search" id="text" placeholder="Filter by id, rule or failure text"
      aria-label="Filter by text">
      <fieldset aria-label="Status">\(choices.joined())</fieldset>
      <select id="area" aria-label="Area"><option value="">All areas</option>
      \(options.joined())</select>
      <select id="sort" aria-label="Order"><option value="status">Failures first</option>
      <option value="id">By id</option><option value="area">By area</option>
      <option value="checks">Most checks</option></select>
      <output id="shown"></output>
      </form>
      """
  }

  /// One case: its line, and what failed, to be opened.
  private func html(_ row: Row) -> String {
    let entry = row.entry
    let status = row.isFailure ? "failed" : row.isUnsupported ? "unsupported" : "passed"
    var out = "<tbody data-id=\"\(ReportText.markup(entry.id))\""
    out += " data-area=\"\(ReportText.markup(entry.area))\""
    out += " data-status=\"\(status)\" data-checks=\"\(row.checkCount)\">\n<tr><th scope=\"row\">"
    out += "<code>\(ReportText.markup(entry.id))</code>"
    out += "<span class=\"rule\">\(ReportText.markup(entry.statement))</span></th>"
    out += "<td class=\"area\">\(ReportText.markup(entry.area))</td>"
    for (report, result) in zip(reports, row.results) {
      let (style, sign, words) =
        switch result?.status {
        case .passed: ("ok", "✓", "passed")
        case .failed: ("bad", "✗", "failed")
        case .unsupportedVerified: ("some", "○", "unsupported, verified")
        case nil: ("bad", "?", "did not run")
        }
      out += "<td class=\"cell \(style)\" title=\"\(ReportText.markup(report.backend)): \(words)\">"
      out += "<span class=\"backend\">\(ReportText.markup(report.backend))</span>"
      out += "<span aria-label=\"\(words)\" role=\"img\">\(sign)</span></td>"
    }
    out += "<td class=\"checks\">\(ReportText.grouped(row.checkCount))"
    out += "<span class=\"unit\"> \(row.checkCount == 1 ? "check" : "checks")</span></td></tr>\n"
    let failed = zip(reports, row.results).compactMap { report, result in
      result.flatMap { $0.isFailure ? (backend: report.backend, result: $0) : nil }
    }
    if !failed.isEmpty {
      let names = failed.map(\.backend).joined(separator: ", ")
      out += "<tr class=\"why\"><td colspan=\"\(reports.count + 3)\"><details><summary>"
      out += "<span>\(ReportText.markup(summary(failed[0].result)))</span> "
      out += "<small>on \(ReportText.markup(names))</small></summary>\n"
      out += failed.map { Self.html($0.result, $0.backend) }.joined()
      out += "</details></td></tr>\n"
    }
    return out + "</tbody>\n"
  }

  /// The first failed check, short enough for a line or two.
  private func summary(_ result: ConformanceResult) -> String {
    ReportText.clipped(result.failures.first?.description ?? "", 160)
  }

  /// All that is known of one failure.
  private static func html(_ result: ConformanceResult, _ backend: String) -> String {
    var out = "<section class=\"failure\"><h3>\(ReportText.markup(backend))</h3>\n"
    for failure in result.failures {
      let what = failure.what.isEmpty ? "the check" : failure.what
      out += "<dl><dt>check</dt><dd class=\"text\">\(ReportText.markup(what))"
      out += " <span class=\"place\">\(ReportText.markup(failure.place))</span></dd>"
      for (label, text) in [("expected", failure.expected), ("got", failure.got)] {
        guard let text else { continue }
        out += "<dt>\(label)</dt><dd class=\"\(label)\"><pre>\(ReportText.markup(text))</pre></dd>"
      }
      if !failure.history.isEmpty {
        let lines = ReportText.markup(failure.history.joined(separator: "\n"))
        out += "<dt>history</dt><dd><pre>\(lines)</pre></dd>"
      }
      out += "</dl>\n"
    }
    if result.failureCount > result.failures.count {
      let more = result.failureCount - result.failures.count
      out += "<p>and \(ReportText.count(more, "more failed check"))</p>\n"
    }
    out += "<dl>"
    if !result.trace.isEmpty {
      let steps = result.trace.map { "<li>\(ReportText.markup($0))</li>" }
      out += "<dt>steps</dt><dd><ol>\(steps.joined())</ol></dd>"
    }
    if let section = result.entry.section {
      let place = ReportText.markup(section)
      out += "<dt>rule in</dt><dd><a href=\"\(place)\">\(place)</a></dd>"
    }
    out += "<dt>seed</dt><dd>\(result.seed)</dd>"
    out += "<dt>again</dt><dd><pre>\(ReportText.markup(command(result, backend)))</pre></dd>"
    return out + "</dl></section>\n"
  }
}
