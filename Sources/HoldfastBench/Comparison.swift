import Holdfast

/// Which of the two does the work.
enum Side: Hashable {
  case ours
  case floor
}

/// The figures of ours and the floor, taken in turn in one run.
///
/// What counts is the round whose ratio is the median of all: its two figures were taken one after the
/// other, so that a machine whose clock changes in between rounds does not change the ratio.
struct Comparison {
  private var figures: [Side: Double] = [:]

  /// Measures both once to warm up, then `rounds` times each, the one and the other first by turns.
  ///
  /// - Parameters:
  ///   - rounds: how many rounds count.
  ///   - measure: gives the figure of one side in a round; round 0 is the warm-up.
  init(rounds: Int, _ measure: (Side, _ round: Int) throws -> Double) rethrows {
    var all: [[Side: Double]] = []
    for round in 0...rounds {
      var figures: [Side: Double] = [:]
      for side in round % 2 == 0 ? [Side.ours, .floor] : [.floor, .ours] {
        figures[side] = try measure(side, round)
      }
      if round > 0 { all.append(figures) }
    }
    figures = Self.middle(all) { ($0[.ours] ?? .nan) / ($0[.floor] ?? .nan) } ?? [:]
  }

  /// One side's figure in the round that counts.
  subscript(side: Side) -> Double { figures[side] ?? .nan }

  /// The round whose figure is the median; nil if there are none.
  static func middle<Round>(_ rounds: [Round], by figure: (Round) -> Double) -> Round? {
    let sorted = rounds.sorted { figure($0) < figure($1) }
    return sorted.isEmpty ? nil : sorted[sorted.count / 2]
  }
}

extension Bench {
  /// The median of figures; not a number if there are none.
  static func median(_ figures: [Double]?) -> Double {
    guard let sorted = figures?.sorted(), !sorted.isEmpty else { return .nan }
    return sorted[sorted.count / 2]
  }
}

/// The microseconds that each of the operations took which `body` says it did.
func timed(_ body: () throws -> Int) rethrows -> Double {
  let clock = ContinuousClock()
  var operations = 1
  let elapsed = try clock.measure { operations = try body() }
  return elapsed.seconds * 1e6 / Double(operations)
}
