import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Observing".
@Suite struct ObservingArticle {
  struct Score: Model {
    var id: Int64?
    var points: Int
  }

  @Test(arguments: EveryBackend.schemes)
  func `the code of the article does what it says`(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let scores = Repository<Score>(store)
      try await scores.insert(Score(points: 11))
      let changes = scores.changes()
      var seen: [[Int]] = []
      var inserted: [Int64] = []

      for try await best in scores.observe(
        where: .greater("points", 10),
        sort: [.descending(\.points)]
      ) {
        seen.append(best.map(\.points))
        if seen.count == 2 { break }
        try await scores.insert(contentsOf: [Score(points: 30), Score(points: 3)])
      }
      #expect(seen == [[11], [30, 11]])

      for try await change in changes {
        inserted += try change.inserted(as: Int64.self)
        if inserted.count == 2 { break }
      }
      #expect(inserted == [2, 3])
    }
  }
}
