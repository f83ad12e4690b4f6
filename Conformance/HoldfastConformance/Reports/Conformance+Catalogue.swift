extension Conformance {
  /// The command that writes `docs/Conformance.md`.
  public static let documentCommand =
    "holdfast conformance --list --format markdown -o docs/Conformance.md"

  /// Cases with their area and rule, a line each in three columns, and a last line with their number.
  public static func listing(_ cases: [ConformanceCase]) -> String {
    cases.map { "\($0.id)\t\($0.area)\t\($0.statement)\n" }.joined()
      + "\(ReportText.count(cases.count, "case"))\n"
  }

  /// Cases for programs, with their number.
  public static func json(_ cases: [ConformanceCase]) -> String {
    let entries = cases.map { entry in
      let needs = entry.needs.map(\.rawValue).sorted().map(ReportText.json)
      return "\n{\"id\":\(ReportText.json(entry.id)),\"area\":\(ReportText.json(entry.area)),"
        + "\"rule\":\(ReportText.json(entry.statement)),"
        + "\"section\":\(entry.section.map(ReportText.json) ?? "null"),"
        + "\"needs\":[\(needs.joined(separator: ","))]}"
    }
    return "{\"catalogueVersion\":\(catalogueVersion),\"count\":\(cases.count),\"cases\":["
      + entries.joined(separator: ",") + "\n]}\n"
  }

  /// Cases as the page `docs/Conformance.md`: by area, with the section that holds the rules.
  public static func markdown(_ cases: [ConformanceCase]) -> String {
    let areas = ConformanceArea.all.compactMap { area in
      let own = cases.filter { $0.area == area.name }
      return own.isEmpty ? nil : (area: area, cases: own)
    }
    var out = """
      # Conformance

      What every backend must do, case by case: \(ReportText.count(cases.count, "case")) in \
      \(ReportText.count(areas.count, "area")), catalogue version \(catalogueVersion). The rules \
      stand in [Semantics](Semantics.md); `holdfast conformance --backend all` checks them, and \
      [Writing a backend](WritingABackend.md) shows how another backend runs them.

      A case without an entry under “needs” is mandatory. Where a backend does not declare what a \
      case needs, the suite checks what then applies, and reports “unsupported, verified”.

      <!-- Generated: \(documentCommand) -->

      | area | cases | about | rules |
      |---|--:|---|---|

      """
    for (area, cases) in areas {
      let link = "[\(area.anchor)](Semantics.md#\(area.anchor))"
      out += "| [\(area.name)](#\(area.name)) | \(cases.count) | \(area.summary) | \(link) |\n"
    }
    for (area, cases) in areas {
      out += "\n## \(area.name)\n\n"
      out += "The rules: [Semantics, \(area.anchor)](Semantics.md#\(area.anchor)).\n\n"
      out += "| case | rule | needs |\n|---|---|---|\n"
      for entry in cases {
        let needs = entry.needs.map(\.rawValue).sorted().joined(separator: ", ")
        out += "| `\(entry.id)` | \(markdown(entry.statement)) | \(needs) |\n"
      }
    }
    return out
  }

  /// Text in a cell of a Markdown table.
  private static func markdown(_ text: String) -> String {
    var out = ""
    for scalar in text.unicodeScalars {
      if "\\|<*_`[".unicodeScalars.contains(scalar) { out += "\\" }
      out.unicodeScalars.append(scalar)
    }
    return out
  }
}
