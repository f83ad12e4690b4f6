import Foundation
import Holdfast
import HoldfastBackends
import Testing

@Suite("References of models")
struct ReferencesTests {
  struct Author: Model, Equatable {
    var id: Int64?
    var name: String
    /// A ring of two models: each refers to the other.
    var pinned: Int64?
    static let schema = Schema<Author>("author", key: \.id) {
      Reference(\.pinned, to: Post.self, onDelete: .setNull)
    }
  }
  struct Post: Model, Equatable {
    var id: Int64?
    var author: Int64
    var editor: Int64?
    var text: String
    /// A ring of one.
    var replyTo: Int64?
    enum CodingKeys: String, CodingKey {
      case id, text
      case author = "author_id"
      case editor = "editor_id"
      case replyTo = "reply_to"
    }
    static let schema = Schema<Post>("post", key: \.id) {
      Index(\.author, \.text)
      Reference(\.author, to: Author.self, onDelete: .cascade)
      Reference(\.editor, to: Author.self)
      Reference(\.replyTo, to: Post.self, onDelete: .cascade)
    }
  }
  struct Hall: Model, Equatable {
    var city: String
    var number: Int
    var seats: Int
    static let schema = Schema<Hall>("hall", key: \.city, \.number)
  }
  struct Ticket: Model, Equatable {
    var id: UUID
    var city: String
    var hall: Int
    static let schema = Schema<Ticket>("ticket", key: \.id) {
      Reference(\.city, \.hall, to: Hall.self, onDelete: .cascade)
    }
  }

  private struct Repositories {
    let authors: Repository<Author>
    let posts: Repository<Post>
    init(_ store: Store) {
      authors = Repository(store)
      posts = Repository(store)
    }

    /// Authors 1 ada, 2 bob, 3 cy; posts 1 to 7 of them, the last two of bob's replying to 1.
    func fill() async throws {
      try await authors.insert(contentsOf: ["ada", "bob", "cy"].map { Author(name: $0) })
      try await posts.insert(contentsOf: [
        Post(author: 1, text: "a"), Post(author: 2, editor: 3, text: "c"),
        Post(author: 1, text: "b"), Post(author: 2, text: "b"), Post(author: 1, text: "c"),
        Post(author: 2, text: "re", replyTo: 1), Post(author: 2, text: "re re", replyTo: 6),
      ])
    }
  }

  @Test("Models in a ring resolve, and are created together", arguments: EveryBackend.schemes)
  func ring(_ scheme: String) async throws {
    let definition = try Post.schema.definition
    #expect(
      definition.references == [
        ReferenceDefinition(["author_id"], to: "author", onDelete: .cascade),
        ReferenceDefinition(["editor_id"], to: "author"),
        ReferenceDefinition(["reply_to"], to: "post", onDelete: .cascade),
      ]
    )
    try await EveryBackend.withStore(scheme) { store in
      let all = Repositories(store)
      let orphan = await storageError { try await all.posts.insert(Post(author: 9, text: "x")) }
      #expect(orphan?.code == .referenceViolation)
      try await all.fill()
      let names = try await store.read { try $0.catalog.collections.map(\.name) }
      #expect(names == ["author", "post"])
      try await all.authors.update(Author(id: 1, name: "ada", pinned: 3))
      let wrong = await storageError {
        try await all.authors.update(Author(id: 1, name: "ada", pinned: 99))
      }
      #expect(wrong?.code == .referenceViolation)
      try await all.posts.delete(3)
      #expect(try await all.authors.get(1) == Author(id: 1, name: "ada"))
    }
  }

  @Test("A page comes with what it refers to", arguments: EveryBackend.schemes)
  func forward(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let all = Repositories(store)
      #expect(
        try await all.authors.referenced(by: \.author, of: [Post(author: 1, text: "")]) == [nil]
      )
      try await all.fill()
      let page = try await all.posts.fetch(sort: [.descending(\.id)], limit: 4)
      let authors = try await all.authors.referenced(by: \.author, of: page)
      #expect(authors.map { $0?.name } == ["bob", "bob", "ada", "bob"])
      let editors = try await all.authors.referenced(by: \.editor, of: try await all.posts.fetch())
      #expect(editors.map { $0?.name } == [nil, "cy", nil, nil, nil, nil, nil])
      let parents = try await store.read { transaction in
        try all.posts.referenced(by: \.replyTo, of: page, in: transaction).map { $0?.id }
      }
      #expect(parents == [6, 1, nil, nil])
      #expect(try await all.authors.referenced(by: \.author, of: [Post]()).isEmpty)
    }
  }

  @Test("Records that refer to a model, or to each of many", arguments: EveryBackend.schemes)
  func inverse(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let all = Repositories(store)
      let nobody = Author(id: 9, name: "")
      #expect(try await all.posts.referring(to: nobody, by: \.author).isEmpty)
      #expect(try await all.posts.referring(to: [nobody], by: \.author) == [[]])
      try await all.fill()
      let authors = try await all.authors.fetch()
      func ids(_ posts: [[Post]]) -> [[Int64]] { posts.map { $0.compactMap(\.id) } }
      let posts = all.posts
      #expect(
        ids(try await posts.referring(to: authors, by: \.author)) == [
          [1, 3, 5], [2, 4, 6, 7], [],
        ]
      )
      let backwards = [authors[2], authors[1], authors[1]]
      #expect(
        ids(try await posts.referring(to: backwards, by: \.author, sort: [.descending(\.text)]))
          == [[], [7, 6, 2, 4], [7, 6, 2, 4]]
      )
      #expect(
        ids(
          try await posts.referring(to: authors, by: \.author, sort: [.descending(\.id)], limit: 2)
        )
          == [[5, 3], [7, 6], []]
      )
      let edited = try await posts.referring(to: authors[2], by: \.editor)
      #expect(edited.map(\.id) == [2])
      let count = try await posts.count(
        where: try posts.filter(referringTo: authors[0], by: \.author)
      )
      #expect(count == 3)
      let unkeyed = await storageError {
        _ = try await posts.referring(to: Author(name: "new"), by: \.author)
      }
      #expect(unkeyed?.code == .invalidValue)
    }
  }

  @Test("References of several properties", arguments: EveryBackend.schemes)
  func composite(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let (halls, tickets) = (Repository<Hall>(store), Repository<Ticket>(store))
      for number in 1...2 { try await halls.insert(Hall(city: "Oslo", number: number, seats: 5)) }
      let sold = [1, 2, 2].map { Ticket(id: UUID(), city: "Oslo", hall: $0) }
      try await tickets.insert(contentsOf: sold)
      let orphan = await storageError {
        try await tickets.insert(Ticket(id: UUID(), city: "Oslo", hall: 3))
      }
      #expect(orphan?.code == .referenceViolation)
      let found = try await store.read { transaction in
        let keys = try sold.map { try Key(parts: $0.city, $0.hall) }
        return try halls.records(with: keys + [nil], in: transaction).map { $0?.number }
      }
      #expect(found == [1, 2, 2, nil])
      let of = try await tickets.referring(to: try await halls.fetch(), by: \.city, \.hall)
      #expect(of.map(\.count) == [1, 2])
      let few = await storageError {
        _ = try await tickets.referring(to: try await halls.fetch(), by: \.city)
      }
      #expect(few?.code == .invalidSchema)
      #expect(few?.message.contains("city, number") == true)
      try await halls.delete(try Key(parts: "Oslo", 2))
      #expect(try await tickets.fetch().map(\.id) == [sold[0].id])
    }
  }

  @Test("What a deletion takes with it", arguments: EveryBackend.schemes)
  func deleting(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let all = Repositories(store)
      try await all.fill()
      let needed = await storageError { try await all.authors.delete(3) }
      #expect(needed?.code == .referenceViolation)
      var changes = store.changes().makeAsyncIterator()
      try await all.authors.delete(1)
      // Post 1 and the replies to it, through two steps, go with the posts of the author.
      #expect(try await all.posts.fetch().compactMap(\.id) == [2, 4])
      let change = try await changes.next()
      #expect(change?.collections["author"]?.deleted == [1])
      #expect(change?.collections["post"]?.deleted == [1, 3, 5, 6, 7])
      #expect(change?.commits == 1)
    }
  }

  struct WrongType: Model {
    var id: Int64?
    var author: String
    static let schema = Schema<WrongType>("wrong_type", key: \.id) {
      Reference(\.author, to: Author.self)
    }
  }
  struct NeverNull: Model {
    var id: Int64?
    var author: Int64
    static let schema = Schema<NeverNull>("never_null", key: \.id) {
      Reference(\.author, to: Author.self, onDelete: .setNull)
    }
  }

  @Test(
    "A reference that makes no sense is an error that says why",
    arguments: EveryBackend.schemes
  )
  func senseless(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let wrong = await storageError {
        try await Repository<WrongType>(store).insert(WrongType(author: "ada"))
      }
      #expect(wrong?.code == .invalidSchema)
      #expect(wrong?.message.contains("must have the types of the key of author") == true)
      let never = await storageError {
        try await Repository<NeverNull>(store).insert(NeverNull(author: 1))
      }
      #expect(never?.code == .invalidSchema)
      #expect(never?.message.contains("cannot become null") == true)
      let count = try await store.read { try $0.catalog.collections.count }
      #expect(count == 0)
    }
  }
}
