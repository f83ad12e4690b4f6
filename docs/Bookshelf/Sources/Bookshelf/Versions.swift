import Holdfast

/// What earlier versions of the application kept, as far as a migration reads it.
enum Version1 {
  /// A book with its author's name as text, and its rating as text too.
  struct Book: Model {
    var id: Int64?
    var name: String
    var author: String
    var rating: String?
    static let schema = Schema<Book>("book", key: \.id)
  }
}

enum Version2 {
  /// A book whose author is a record.
  struct Book: Model {
    var id: Int64?
    var name: String
    var author: Int64
    var rating: String?
    static let schema = Schema<Book>("book", key: \.id) {
      Reference(\.author, to: Author.self, onDelete: .cascade)
    }
  }
}

/// The steps from version 1 on.
///
/// A step that was released is never changed or removed.
let migrations = [
  Migration("2: authors are records") { transaction in
    // As it was in version 2: the model of today may have moved on.
    try transaction.createCollection(
      CollectionDefinition(
        "author",
        fields: [FieldDefinition("id", .integer), FieldDefinition("name", .text)],
        key: ["id"],
        automaticKey: true
      )
    )
    var known: [String: Int64] = [:]
    try transaction.convert(Version1.Book.self, to: Version2.Book.self) { old in
      if known[old.author] == nil {
        let key = try transaction.insert(["name": .text(old.author)], into: "author")
        if case .integer(let id) = key[0] { known[old.author] = id }
      }
      guard let author = known[old.author] else { return nil }
      return Version2.Book(id: old.id, name: old.name, author: author, rating: old.rating)
    }
  },
  Migration("3: titles, and ratings as numbers of stars") { transaction in
    try transaction.alterCollection(
      "book",
      .renameField("name", to: "title"),
      .renameField("rating", to: "stars"),
      .changeType("stars", to: .integer)
    )
  },
]
