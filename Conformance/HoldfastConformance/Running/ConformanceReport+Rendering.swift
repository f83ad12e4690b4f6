extension ConformanceReport {
  /// The report for people: failures in full, then one line of counts.
  public var text: String {
    var lines: [String] = []
    for result in results where result.isFailure {
      lines.append("FAILED \(result.entry.id) on \(backend): \(result.entry.statement)")
      for failure in result.failures.prefix(20) { lines.append("  \(failure)") }
      if result.failures.count > 20 { lines.append("  and \(result.failures.count - 20) more") }
      for line in result.trace.suffix(20) { lines.append("  trace: \(line)") }
      lines.append("  again: --filter \(result.entry.id) --seed \(result.seed)")
    }
    if !isComplete {
      lines.append(
        "INCOMPLETE: \(results.count) cases ran, the catalogue has \(Conformance.expectedCount)"
      )
    }
    lines.append(
      "\(backend), catalogue \(Conformance.catalogueVersion), seed \(seed), "
        + "\(unsupportedCount) verified as unsupported"
    )
    lines.append(
      "\(passedCount + unsupportedCount) passed, \(failedCount) failed, 0 skipped"
    )
    return lines.joined(separator: "\n") + "\n"
  }

  /// The report for programs.
  public var json: String {
    var out = "{\"backend\":\(Self.string(backend)),"
    out += "\"catalogueVersion\":\(Conformance.catalogueVersion),\"seed\":\(seed),"
    out += "\"complete\":\(isComplete),\"passed\":\(passedCount),\"failed\":\(failedCount),"
    out += "\"unsupportedVerified\":\(unsupportedCount),\"cases\":["
    let entries = results.map { result -> String in
      var entry = "\n{\"id\":\(Self.string(result.entry.id)),"
      entry += "\"area\":\(Self.string(result.entry.area)),"
      entry += "\"statement\":\(Self.string(result.entry.statement)),"
      entry += "\"status\":\"\(Self.name(result.status))\","
      entry += "\"seconds\":\(Self.seconds(result.seconds)),\"failures\":["
      entry += result.failures.map(Self.string).joined(separator: ",") + "],\"trace\":["
      return entry + result.trace.map(Self.string).joined(separator: ",") + "]}"
    }
    return out + entries.joined(separator: ",") + "\n]}\n"
  }

  static func name(_ status: ConformanceResult.Status) -> String {
    switch status {
    case .passed: "passed"
    case .failed: "failed"
    case .unsupportedVerified: "unsupported-verified"
    }
  }

  /// Seconds with three decimals.
  static func seconds(_ seconds: Double) -> String {
    let milliseconds = Int((seconds * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
  }

  private static func string(_ text: String) -> String {
    var out = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: out.unicodeScalars.append(scalar)
      }
    }
    return out + "\""
  }
}
