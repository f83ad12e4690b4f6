import Foundation

/// A chart of the ratios of a run, as SVG that needs nothing else.
///
/// One panel per backend, a bar per workload from 1 to its ratio on a logarithmic scale, and a mark
/// where the target is. It has a ground of its own, light or dark as the reader's system is.
public struct Chart {
  private let measurements: [Bench.Measurement]
  private let labelWidth = 170.0
  private let plotWidth = 420.0
  private let valueWidth = 110.0
  private let rowHeight = 20.0
  private let panelHead = 46.0
  private let margin = 24.0
  private let head = 76.0

  /// Creates a chart of measurements, in their order.
  public init(_ measurements: [Bench.Measurement]) {
    self.measurements = measurements.filter { $0.ratio.isFinite && $0.ratio > 0 }
  }

  /// The document.
  public var svg: String {
    var backends: [String] = []
    for measurement in measurements where !backends.contains(measurement.backend) {
      backends.append(measurement.backend)
    }
    var y = head
    var panels = ""
    for backend in backends {
      let rows = measurements.filter { $0.backend == backend }
      panels += panel(backend, rows, at: y)
      y += panelHead + rowHeight * Double(rows.count) + 10
    }
    let width = margin * 2 + labelWidth + plotWidth + valueWidth
    let height = y + margin
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.text(width)) \(Self.text(height))" \
      width="\(Self.text(width))" height="\(Self.text(height))" role="img" \
      aria-labelledby="title description">
      <title id="title">Holdfast against the engines' own C APIs</title>
      <desc id="description">\(Self.escape(summary))</desc>
      <style>\(Self.style)</style>
      <rect class="ground" width="100%" height="100%" rx="8"/>
      <text class="title" x="\(Self.text(margin))" y="36">Time of Holdfast ÷ time of the same work \
      in the engine's C API</text>
      <text class="note" x="\(Self.text(margin))" y="57">less is better; the bar starts at 1, where \
      both are equal; the upright mark is the target, and orange bars miss theirs</text>
      \(panels)</svg>

      """
  }

  /// All figures in words, for those who do not see them.
  private var summary: String {
    measurements.map { measurement in
      let target = measurement.target.map { ", target \(Self.text($0))" } ?? ""
      return "\(measurement.backend) \(measurement.workload): \(Self.ratio(measurement))\(target)."
    }.joined(separator: " ")
  }

  // MARK: Parts

  private func panel(_ backend: String, _ rows: [Bench.Measurement], at top: Double) -> String {
    let first = top + panelHead
    let bottom = first + rowHeight * Double(rows.count)
    var result = "<g>\n"
    result += "<text class=\"backend\" x=\"\(Self.text(margin))\" y=\"\(Self.text(top + 36))\">"
    result += "\(Self.escape(backend))</text>\n"
    for tick in ticks {
      let x = Self.text(position(tick))
      result += "<line class=\"\(tick == 1 ? "one" : "grid")\" x1=\"\(x)\" x2=\"\(x)\" "
      result += "y1=\"\(Self.text(first - 4))\" y2=\"\(Self.text(bottom))\"/>\n"
      result += "<text class=\"tick\" x=\"\(x)\" y=\"\(Self.text(first - 9))\">"
      result += "\(Self.text(tick))</text>\n"
    }
    for (number, row) in rows.enumerated() {
      result += bar(row, at: first + rowHeight * Double(number))
    }
    return result + "</g>\n"
  }

  private func bar(_ row: Bench.Measurement, at top: Double) -> String {
    let (from, to) = (position(1), position(row.ratio))
    let middle = Self.text(top + rowHeight / 2 + 4)
    let isMissed = row.isMet == false
    var result = "<text class=\"name\" x=\"\(Self.text(margin + labelWidth - 12))\" "
    result += "y=\"\(middle)\">"
    result += "\(Self.escape(row.workload))</text>\n"
    result += "<rect class=\"\(isMissed ? "missed" : "bar")\" x=\"\(Self.text(min(from, to)))\" "
    result += "y=\"\(Self.text(top + 4))\" width=\"\(Self.text(max(1.5, abs(to - from))))\" "
    result += "height=\"\(Self.text(rowHeight - 8))\" rx=\"2\"/>\n"
    if let target = row.target {
      let x = Self.text(position(target))
      result += "<line class=\"target\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Self.text(top + 1))\" "
      result += "y2=\"\(Self.text(top + rowHeight - 1))\"/>\n"
    }
    let word = row.isMet.map { $0 ? " met" : " missed" } ?? ""
    result += "<text class=\"value\" x=\"\(Self.text(margin + labelWidth + plotWidth + 14))\" "
    result += "y=\"\(middle)\">\(Self.ratio(row))\(word)</text>\n"
    return result
  }

  // MARK: Scale

  /// The powers of two around all ratios.
  private var ticks: [Double] {
    let ratios = measurements.map(\.ratio) + [1, 2]
    let low = log2(ratios.min() ?? 1).rounded(.down)
    let high = log2(ratios.max() ?? 2).rounded(.up)
    return stride(from: low, through: high, by: 1).map { exp2($0) }
  }

  private func position(_ ratio: Double) -> Double {
    let ticks = ticks
    guard let first = ticks.first, let last = ticks.last else { return margin }
    let part = log2(ratio / first) / log2(last / first)
    return margin + labelWidth + plotWidth * min(1, max(0, part))
  }

  // MARK: Text

  private static func ratio(_ measurement: Bench.Measurement) -> String {
    String(format: "%.2f", measurement.ratio)
  }

  /// A number as short as it may be.
  private static func text(_ number: Double) -> String {
    let rounded = (number * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }

  private static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\t", "\n", " "..."\u{D7FF}", "\u{E000}"..."\u{FFFD}", "\u{10000}"...:
        result.unicodeScalars.append(scalar)
      // XML has no other characters.
      default: result += "\u{FFFD}"
      }
    }
    return result
  }

  private static let style = """

    text { font: 12px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 16px; font-weight: 600 }
    .backend { font-size: 14px; font-weight: 600 }
    .note, .tick { fill: #59636e }
    .tick { font-size: 11px; text-anchor: middle }
    .name { text-anchor: end }
    .value { font-variant-numeric: tabular-nums }
    .ground { fill: #ffffff; stroke: #d1d9e0 }
    .grid { stroke: #e4e8ec }
    .one { stroke: #59636e }
    .bar { fill: #2f6fb3 }
    .missed { fill: #c2571a }
    .target { stroke: #1f2328; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .note, .tick { fill: #9da7b3 }
    .ground { fill: #0d1117; stroke: #3d444d }
    .grid { stroke: #262c36 }
    .one { stroke: #9da7b3 }
    .bar { fill: #5b9bd8 }
    .missed { fill: #e08a4a }
    .target { stroke: #e6edf3 }
    }

    """
}
