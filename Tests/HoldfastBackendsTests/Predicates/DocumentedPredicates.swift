import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of `docs/Predicates.md`, in its order, so that it compiles and runs.
@Suite("docs/Predicates.md")
struct DocumentedPredicates {
  struct Book: Model, Equatable {
    var id: Int64?
    var title: String
    var author: String?
    var price: Double
    var stars: Int
    static let schema = Schema<Book>("book", key: \.id) { Index(\.author) }
  }
  struct Card: Decodable, Equatable {
    var title: String
    var price: Double
  }

  @Test("The code of the page does what it says")
  func code() async throws {
    let store = try Backends.open("memory:")
    let books = Repository<Book>(store)
    try await books.insert(
      contentsOf: (1...9).map { index in
        Book(
          title: "book \(index)",
          author: index % 3 == 0 ? nil : index % 3 == 1 ? "Ada" : "Bo",
          price: Double(index),
          stars: index % 6
        )
      }
    )
    var shelf: [String] = []
    var tokens: [PageToken?] = []

    let cheap = #Predicate<Book> { $0.price < 10 && ($0.author?.starts(with: "A") ?? false) }
    #expect(
      try await books.fetch(where: cheap, sort: [.descending(\.price)], limit: 20)
        .map(\.id) == [7, 4, 1]
    )
    #expect(
      try await books.fetch(where: \.author == "Ada" && \.price >= 3)
        .map(\.id) == [4, 7]
    )
    #expect(
      try await books.fetch(where: ["Ada", "Bo"] ~= \.author || !(5...9 ~= \.stars))
        .count == 9
    )

    let best = try books.where(\.stars > 3).sorted(by: .descending(\.stars), .ascending(\.title))
    let first = try await best.first()
    let count = try await best.count()
    let some = try await best.exists()
    let titles = try await best.limited(to: 10).values(\.id, \.title)
    let cards = try await best.fetch(as: Card.self)
    let dearest = try await best.figure(.maximum(\.price))
    let (total, mean) = try await best.figures(.sum(\.price), .average(\.stars))
    let groups = try await best.groups(by: \.author, figures: .count, .maximum(\.price))
    for try await book in best.stream() { shelf.append(book.title) }
    for try await page in best.pages(of: 50) { tokens.append(page.next) }
    #expect(first?.id == 5 && count == 2 && some && tokens == [nil])
    #expect(titles.map(\.1) == ["book 5", "book 4"] && shelf == titles.map(\.1))
    #expect(cards == [Card(title: "book 5", price: 5), Card(title: "book 4", price: 4)])
    #expect(total == 9 && mean == 4.5 && dearest == 5)
    #expect(groups.map(\.key) == ["Ada", "Bo"] && groups.map(\.figures.1) == [4, 5])

    let plan = try await books.where(\.price > 3 && \.title == "x").explain()
    let strict = Repository<Book>(store, scans: .forbid)
    let watched = Repository<Book>(store, scans: .warn { plan in print(plan) })
    #expect(plan.isFullScan && plan.helpfulIndex == ["title", "price"])
    let error = await #expect(throws: StorageError.self) {
      try await strict.count(where: \.price > 3)
    }
    #expect(error?.code == .fullScan && error?.message.contains("(price)") == true)
    #expect(try await watched.count(where: \.author == "Ada") == 3)

    try await best.update(set: .value(\.author, nil), .increment(\.stars, by: -1))
    try await best.delete()
    try await books.update(where: \.author == nil, set: .value(\.author, "unknown"))
    try await books.delete(where: \.price > 1000)
    try await books.increment(\.stars, of: 7)
    #expect(try await books.get(7)?.stars == 2)
    #expect(try await books.fetch(where: \.author == "unknown").map(\.id) == [3, 4, 6, 9])
  }

  @Test("Each line of the page's code is one of the test's")
  func lines() throws {
    let page = try String(
      contentsOf: repository.appendingPathComponent("docs/Predicates.md"),
      encoding: .utf8
    )
    let source = try String(contentsOf: URL(fileURLWithPath: #filePath), encoding: .utf8)
      .split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let blocks = page.components(separatedBy: "```").filter { $0.hasPrefix("swift\n") }
    #expect(blocks.count == 3)
    for line in blocks.flatMap({ $0.split(separator: "\n").dropFirst() }) {
      #expect(source.contains { $0.hasSuffix(line) }, "\(line)")
    }
  }

  @Test("Where Swift and the store differ, each is as the page says")
  func differences() throws {
    let notes = Repository<Book>(try Backends.open("memory:"))
    for title in ["\u{E9}", "\r\n", "👨‍👩‍👧", "e\u{301}"] {
      try notes.insert(Book(title: title, author: nil, price: 0, stars: 0))
    }
    let all = try notes.fetch()
    func check(_ predicate: Predicate<Book>, swift: [Int64], store: [Int64]) throws {
      #expect(try all.filter { try predicate.evaluate($0) }.map(\.id) == swift)
      #expect(try notes.fetch(where: predicate).map(\.id) == store)
    }
    let decomposed = "e\u{301}"
    try check(#Predicate { $0.title == decomposed }, swift: [1, 4], store: [4])
    try check(#Predicate { $0.title.contains("\n") }, swift: [], store: [2])
    try check(#Predicate { $0.title.contains("👩") }, swift: [], store: [3])
    try check(#Predicate { $0.title.starts(with: "e") }, swift: [], store: [4])
  }
}
