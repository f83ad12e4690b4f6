import Foundation
import Holdfast
import HoldfastBackends

/// A shelf of books that has seen three versions: `Bookshelf URL`, with any storage URL.
@main
struct Bookshelf {
  static func main() async throws {
    // This one string says where and how the data is kept.
    let url = CommandLine.arguments.dropFirst().first ?? "memory:shelf"
    try await runVersion1(url)

    let store = try Backends.open(url)
    let report = try await store.prepare(Author.self, Book.self, migrations: migrations)
    print("migrated: \(report.steps.map(\.name).joined(separator: "; "))")
    print("then added: \(report.additions.joined(separator: "; "))")
    let shelf = Shelf(store)
    try await shelf.show()
    try await shelf.watch()
    try await shelf.remove("王小波")
    try store.close()
  }

  /// What the first version of the application left behind.
  private static func runVersion1(_ url: String) async throws {
    let store = try Backends.open(url)
    try await Repository<Version1.Book>(store).insert(contentsOf: [
      Version1.Book(name: "The Left Hand of Darkness", author: "Ursula K. Le Guin", rating: "5"),
      Version1.Book(name: "黄金时代", author: "王小波", rating: nil),
      Version1.Book(name: "The Dispossessed", author: "Ursula K. Le Guin", rating: "4"),
    ])
    try store.close()
  }
}

/// The books and their authors, whichever the backend.
struct Shelf: Sendable {
  let store: Store
  let authors: Repository<Author>
  let books: Repository<Book>

  init(_ store: Store) {
    self.store = store
    authors = Repository(store)
    books = Repository(store)
  }

  /// Queries, and references looked up in one batch and one snapshot.
  func show() async throws {
    let lines = try await store.read { [books, authors] transaction in
      let all = try books.fetch(sort: [.descending(\.stars), .ascending(\.title)], in: transaction)
      let writers = try authors.referenced(by: \.author, of: all, in: transaction)
      return zip(all, writers).map { book, author in
        "\(book.title) by \(author?.name ?? "nobody"), \(book.stars.map { "\($0) stars" } ?? "unread")"
      }
    }
    for line in lines { print(line) }
    let good = try await books.fetch(where: #Predicate { ($0.stars ?? 0) > 4 })
    print("more than four stars: \(good.map(\.title).joined(separator: ", "))")
    print("unread: \(try await books.count(where: .isNull("stars")))")
  }

  /// Hears of changes while another task writes.
  func watch() async throws {
    var results = books.observe(where: .isNull("stars"), sort: [.ascending(\.title)])
      .makeAsyncIterator()
    print("watching: \(try await results.next()?.map(\.title) ?? [])")
    let author = try await authors.insert(Author(name: "Tove Jansson"))
    guard let id = author.id else { return }
    try await books.insert(Book(title: "Sommarboken", author: id, year: 1972))
    print("watching: \(try await results.next()?.map(\.title) ?? [])")
    do {
      try await books.insert(Book(title: "By nobody", author: 99))
    } catch let error as StorageError where error.code == .referenceViolation {
      print("a book needs an author")
    }
  }

  /// Deletes an author, and by the reference's rule the books.
  func remove(_ name: String) async throws {
    try await authors.deleteAll(where: .equal("name", .text(name)))
    let titles = try await books.fetch(sort: [.ascending(\.title)]).map(\.title)
    print("left: \(titles.joined(separator: ", "))")
  }
}
