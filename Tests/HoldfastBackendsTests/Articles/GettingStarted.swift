import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Getting started".
@Suite struct GettingStartedArticle {
  struct Note: Model {
    var id: Int64?
    var title: String
    var stars: Int
  }

  @Test func `the code of the article does what it says`() async throws {
    let store = try Backends.open("memory:")
    let notes = Repository<Note>(store)

    var note = try await notes.insert(Note(title: "Buy leeks", stars: 2))
    guard let id = note.id else { return }
    note.stars = 5
    try await notes.update(note)
    let same = try await notes.get(id)
    let best = try await notes.fetch(
      where: #Predicate { $0.stars > 3 },
      sort: [.ascending(\.title)]
    )
    let wasThere = try await notes.delete(id)

    #expect(note.id == 1 && same?.stars == 5 && best.map(\.id) == [1] && wasThere)
    #expect(try await notes.get(1) == nil)
  }
}
