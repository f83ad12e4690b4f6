import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Modelling".
@Suite struct ModellingArticle {
  enum Kind: String, Codable {
    case book, film
  }

  struct Place: Codable {
    var shelf: Int
    var row: String
  }

  struct Item: Model {
    var code: String
    var kind: Kind
    var place: Place
    var tags: [String]
    var lentTo: Int64?
    var bought: Date

    static let schema = Schema<Item>("item", key: \.code) {
      Index(\.kind, \.bought)
      Reference(\.lentTo, to: Friend.self, onDelete: .setNull)
    }
  }

  struct Friend: Model {
    var id: Int64?
    var name: String
    static let schema = Schema<Friend>("friend", key: \.id) { Unique(\.name) }
  }

  @Test(arguments: EveryBackend.schemes)
  func `the code of the article does what it says`(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let friends = Repository<Friend>(store)
      let items = Repository<Item>(store)
      do {
        let ada = try await friends.insert(Friend(id: 7, name: "Ada"))
        try await items.insert(
          Item(
            code: "B7",
            kind: .book,
            place: Place(shelf: 2, row: "c"),
            tags: ["sea"],
            lentTo: ada.id,
            bought: .now
          )
        )
        try await friends.delete(7)
        let book = try await items.get("B7")
        #expect(book != nil && book?.lentTo == nil && book?.place.row == "c")
      }
      let bo = try await friends.insert(Friend(name: "Bo"))
      var film = try #require(try await items.get("B7"))
      film.code = "F1"
      film.kind = .film
      film.lentTo = bo.id
      try await items.insert(film)

      let page = try await items.fetch(sort: [.descending(\.bought)], limit: 20)
      let borrowers = try await friends.referenced(by: \.lentTo, of: page)
      let lent = try await items.referring(to: bo, by: \.lentTo)

      #expect(
        Set(zip(page, borrowers).map { "\($0.code) \($1?.name ?? "-")" }) == ["B7 -", "F1 Bo"]
      )
      #expect(lent.map(\.code) == ["F1"])
    }
  }
}
