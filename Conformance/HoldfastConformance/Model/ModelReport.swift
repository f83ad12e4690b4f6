/// What came of a run of the model test.
public struct ModelReport: Sendable {
  /// The seed with which to run it again.
  public let seed: UInt64
  /// How many histories ran, the one that failed included.
  public internal(set) var histories = 0
  /// How many operations ran, on all backends together.
  public private(set) var operations = 0
  /// How many operations of each kind ran.
  public private(set) var operationsByKind: [String: Int] = [:]
  /// How many of them threw an error, as the model said.
  public private(set) var refusedByKind: [String: Int] = [:]
  /// In how many histories backends chose other automatic keys than each other, which they may after
  /// a rollback; their contents are then not compared with each other.
  public internal(set) var otherKeys = 0
  /// The first fault, if one was found.
  public internal(set) var fault: ModelFault?

  init(seed: UInt64) { self.seed = seed }

  mutating func count(_ word: String, _ outcome: ModelOutcome) {
    operations += 1
    operationsByKind[word, default: 0] += 1
    if case .threw = outcome { refusedByKind[word, default: 0] += 1 }
  }

  /// The report for people: the fault with its script, then counts.
  public var text: String {
    var out = ""
    if let fault { out += "FAULT on \(fault.backend)\n\(fault.text)\n\n\(fault.script)\n" }
    let kinds = operationsByKind.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    out +=
      kinds.map { kind in
        "\(kind.key) \(kind.value)" + (refusedByKind[kind.key].map { " (\($0) refused)" } ?? "")
      }.joined(separator: ", ") + "\n"
    if otherKeys > 0 { out += "\(otherKeys) histories with other automatic keys\n" }
    return out + "seed \(seed): \(histories) histories, \(operations) operations, "
      + "\(fault == nil ? 0 : 1) faults\n"
  }
}

/// A history that a backend runs otherwise than the model.
public struct ModelFault: Sendable {
  /// The backend, or the two that differ.
  public let backend: String
  /// What kind of difference it is.
  public let kind: String
  /// The step, what was expected and what came.
  public let text: String
  /// The smallest history found, as a script for ``ModelTest/replay(_:on:)``.
  public let script: String
  /// How many operations the script has.
  public let operations: Int
}

/// What came of running a script again.
public struct ModelReplay: Sendable {
  /// Each line of the script with what it gave, by backend; then the difference, if there is one.
  public let lines: [String]
  /// Whether everything was as the model says.
  public let isEqual: Bool
}
