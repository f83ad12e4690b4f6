import Holdfast

/// Which of the two does the work.
enum Side: Hashable {
  case ours
  case floor
}

/// The figures of ours and the floor, taken in turn in one run.
struct Comparison {
  private var figures: [Side: [Double]] = [:]

  /// Measures both once to warm up, then `rounds` times each, the one and the other first by turns.
  ///
  /// - Parameters:
  ///   - rounds: how many rounds count.
  ///   - measure: gives the figure of one side in a round; round 0 is the warm-up.
  init(rounds: Int, _ measure: (Side, _ round: Int) throws -> Double) rethrows {
    for round in 0...rounds {
      for side in round % 2 == 0 ? [Side.ours, .floor] : [.floor, .ours] {
        let figure = try measure(side, round)
        if round > 0 { figures[side, default: []].append(figure) }
      }
    }
  }

  /// The median of one side's figures.
  subscript(side: Side) -> Double { Bench.median(figures[side]) }
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
