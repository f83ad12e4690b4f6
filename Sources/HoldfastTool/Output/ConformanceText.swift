import HoldfastConformance

/// The forms in which the suite prints its reports and its catalogue.
enum ConformanceText {
  /// A form of a report.
  static let reportFormats = ["text", "json", "junit", "html"]
  /// A form of the catalogue.
  static let listFormats = ["text", "json", "markdown"]

  /// A report in one of ``reportFormats``.
  static func text(_ matrix: ConformanceMatrix, _ format: String) -> String {
    switch format {
    case "json": matrix.json
    case "junit": matrix.junit
    case "html": matrix.html
    default: matrix.text
    }
  }

  /// A catalogue in one of ``listFormats``.
  static func text(_ cases: [ConformanceCase], _ format: String) -> String {
    switch format {
    case "json": Conformance.json(cases)
    case "markdown": Conformance.markdown(cases)
    default: Conformance.listing(cases)
    }
  }
}
