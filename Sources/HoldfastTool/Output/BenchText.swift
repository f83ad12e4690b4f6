import Foundation
import HoldfastBench

/// The figures of the bench as lines of text.
enum BenchText {
  /// The names of the columns.
  static let head = row(["backend", "workload", "records", "ours", "floor", "ratio"])

  /// The line of a measurement.
  static func line(_ measurement: Bench.Measurement) -> String {
    let cells = [
      measurement.backend, measurement.workload, String(measurement.records),
      microseconds(measurement.ours), microseconds(measurement.floor),
      String(format: "%.2f", measurement.ratio),
    ]
    let notes = notes(measurement)
    return row(cells) + (notes.isEmpty ? "" : "  " + notes.joined(separator: ", "))
  }

  private static func notes(_ measurement: Bench.Measurement) -> [String] {
    var notes: [String] = []
    if let isMet = measurement.isMet {
      let target =
        measurement.target.map { String(format: "%.2f", $0) }
        ?? measurement.targetTime.map(microseconds) ?? ""
      notes.append("target \(target) \(isMet ? "met" : "missed")")
    }
    if let growth = measurement.growth { notes.append(String(format: "growth %.2f", growth)) }
    if let ours = measurement.ourGain, let floor = measurement.floorGain {
      notes.append(String(format: "gain %.2f / %.2f", ours, floor))
    }
    if let ours = measurement.ourPeak, let floor = measurement.floorPeak {
      notes.append("peak \(mebibytes(ours)) / \(mebibytes(floor)) MiB")
    }
    if let ours = measurement.ourSize, let floor = measurement.floorSize {
      notes.append("disk \(mebibytes(Int(ours))) / \(mebibytes(Int(floor))) MiB")
    }
    return notes
  }

  private static func row(_ cells: [String]) -> String {
    let widths = [8, 17, 9, 11, 11, 7]
    return zip(cells, widths).enumerated().map { index, cell in
      let padding = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
      return index < 2 ? cell.0 + padding : padding + cell.0
    }.joined(separator: " ")
  }

  private static func microseconds(_ value: Double) -> String {
    String(format: value < 100 ? "%.2f" : "%.0f", value) + " µs"
  }

  private static func mebibytes(_ bytes: Int) -> String {
    String(format: "%.1f", Double(bytes) / 1_048_576)
  }
}
