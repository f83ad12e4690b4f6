/// A failed check: what was looked at, what was expected, what came.
public struct ConformanceFailure: Sendable, Hashable {
  /// What was looked at; where nothing was compared, what is wrong.
  public let what: String
  /// What was expected, if two things were compared.
  public let expected: String?
  /// What came instead.
  public let got: String?
  /// The smallest list of steps that shows it, if one was searched for.
  public let history: [String]
  /// The file and line of the check.
  public let place: String

  init(
    _ what: String,
    expected: String? = nil,
    got: String? = nil,
    history: [String] = [],
    place: String
  ) {
    self.what = what
    self.expected = expected
    self.got = got
    self.history = history
    self.place = place
  }

  /// A file and a line as reports show them, without the module's name.
  static func place(_ fileID: String, _ line: Int) -> String {
    "\(fileID.split(separator: "/").last ?? ""):\(line)"
  }
}

extension ConformanceFailure: CustomStringConvertible {
  /// The failure in one line.
  public var description: String {
    let comparison = [expected.map { "expected \($0)" }, got.map { "got \($0)" }]
      .compactMap { $0 }.joined(separator: ", ")
    return [what, comparison].filter { !$0.isEmpty }.joined(separator: ": ")
  }
}
