import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Querying".
@Suite struct QueryingArticle {
  struct Book: Model {
    var id: Int64?
    var title: String
    var author: String?
    var stars: Int
    static let schema = Schema<Book>("book", key: \.id) { Index(\.author) }
  }

  @Test(arguments: EveryBackend.schemes)
  func `the code of the article does what it says`(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let books = Repository<Book>(store)
      try await books.insert(
        contentsOf: [
          Book(title: "Dunes", author: "Ada", stars: 5),
          Book(title: "Ashes", author: nil, stars: 4),
          Book(title: "Boats", author: "Bo", stars: 3),
          Book(title: "Clay", author: "Ada", stars: 1),
        ]
      )
      var seen: [String] = []

      let minimum = 3
      let good = try await books.fetch(
        where: #Predicate { $0.stars >= minimum && $0.author != nil }
      )
      let hers = try await books.fetch(where: \.author == "Ada" && \.stars > 1)
      #expect(good.map(\.title) == ["Dunes", "Boats"] && hers.map(\.title) == ["Dunes"])

      let top = try await books.fetch(sort: [.descending(\.stars), .ascending(\.title)], limit: 10)
      let page = try await books.page(sort: [.ascending(\.title)], limit: 2)
      let next = try await books.page(sort: [.ascending(\.title)], limit: 2, after: page.next)
      #expect(top.first?.title == "Dunes" && top.count == 4)
      #expect(page.elements.map(\.title) == ["Ashes", "Boats"])
      #expect(next.elements.map(\.title) == ["Clay", "Dunes"])

      let fine = try books.where(\.stars >= 3).sorted(by: .ascending(\.title))
      let count = try await fine.count()
      let first = try await fine.first()
      let titles = try await fine.values(\.title, \.stars)
      let (sum, most) = try await fine.figures(.sum(\.stars), .maximum(\.stars))
      let byAuthor = try await fine.groups(by: \.author, figures: .count)
      for try await book in fine.stream() { seen.append(book.title) }
      #expect(count == 3 && first?.title == "Ashes" && titles.map(\.1) == [4, 3, 5])
      #expect(sum == 12 && most == 5 && byAuthor.map(\.key) == [nil, "Ada", "Bo"])
      #expect(seen == ["Ashes", "Boats", "Dunes"])

      let plan = try await books.where(\.author == "Ada").explain()
      let strict = Repository<Book>(store, scans: .forbid)
      #expect(!plan.isFullScan)
      let error = await storageError { _ = try await strict.fetch(where: \.stars == 3) }
      #expect(error?.code == .fullScan && error?.message.contains("stars") == true)

      try await books.update(
        where: \.author == nil,
        set: .value(\.author, "unknown"),
        .increment(\.stars)
      )
      try await books.delete(where: \.stars < 2)
      #expect(try await books.fetch().map(\.stars) == [5, 5, 3])
    }
  }
}
