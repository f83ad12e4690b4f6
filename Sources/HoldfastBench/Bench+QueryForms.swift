import Foundation
import Holdfast
import HoldfastBackends

/// What it costs to write a query as a predicate, against the same query as a plain value.
extension Bench {
  /// The forms of one query: the newest records of a user from a number on, at most five.
  private enum Form: String, CaseIterable {
    /// A `#Predicate`, made and translated at each call.
    case predicate
    /// A condition on key paths, made and translated at each call.
    case condition
    /// A ``Selection``, translated once.
    case selection
    /// A `Filter` value: what the others are compared with.
    case filter

    /// Fetches `count` times in one snapshot.
    func run(_ records: Repository<BenchStatus>, count: Int, user: Int64) throws -> Int {
      let selection = try records.where(\.user == user && \.id > 0)
        .sorted(by: .descending(\.id)).limited(to: 5)
      let filter: Filter = .equal("user", .integer(user)) && .greater("id", 0)
      return try records.store.read { transaction in
        var found = 0
        for _ in 0..<count {
          switch self {
          case .predicate:
            found += try records.fetch(
              where: #Predicate { $0.user == user && $0.id > 0 },
              sort: [.descending(\.id)],
              limit: 5,
              in: transaction
            ).count
          case .condition:
            found += try records.fetch(
              where: \.user == user && \.id > 0,
              sort: [.descending(\.id)],
              limit: 5,
              in: transaction
            ).count
          case .selection: found += try selection.fetch(in: transaction).count
          case .filter:
            found += try records.fetch(
              where: filter,
              sort: [.descending(\.id)],
              limit: 5,
              in: transaction
            ).count
          }
        }
        return found
      }
    }
  }

  /// Measures `query-predicate`, `query-condition` and `query-selection` against the plain value, in
  /// turn.
  func queryFormsPart(_ backend: String) -> Part {
    let forms = Form.allCases.dropLast()
    return Part(titles: forms.map { "query-\($0.rawValue)" }) { folder, report in
      let place = try BenchPlace(folder, backend, .none)
      defer { place.remove() }
      let store = try Backends.open(place.url())
      let records = Repository<BenchStatus>(store)
      let count = min(size.records, 5_000)
      try records.insert(contentsOf: (1...count).map { BenchStatus.sample(Int64($0)) })
      var times: [[Form: Double]] = []
      // Each round is short, so there are more of them.
      for round in 0...rounds * 5 {
        var figures: [Form: Double] = [:]
        for form in round % 2 == 0 ? Form.allCases : Form.allCases.reversed() {
          figures[form] = try timed {
            let found = try form.run(records, count: size.lookups / 8, user: Int64(round % 7))
            guard found > 0 else { throw FloorError(description: "no rows by a \(form)") }
            return size.lookups / 8
          }
        }
        if round > 0 { times.append(figures) }
      }
      try store.close()
      for form in forms {
        // As ``Comparison`` does it.
        let round = Comparison.middle(times) { ($0[form] ?? .nan) / ($0[.filter] ?? .nan) }
        try report(
          Measurement(
            backend: backend,
            workload: "query-\(form.rawValue)",
            records: count,
            ours: round?[form] ?? .nan,
            floor: round?[.filter] ?? .nan
          )
        )
      }
    }
  }
}
