import Foundation
import Holdfast
import HoldfastArchive
import HoldfastBackends
import Testing

extension PreferenceKey<Int> {
  fileprivate static let fontSize = PreferenceKey("fontSize", default: 12)
}

/// The code of the article "The five ways to persist".
@Suite struct FiveWaysToPersistArticle {
  struct Vegetable: Model {
    var name: String
    var price: Double
    static let schema = Schema<Vegetable>("vegetable", key: \.name)
  }

  struct Notebook: Codable {
    var title: String
    var pages: [String]
  }

  struct User: Model {
    var id: Int64?
    var name: String
  }

  struct Status: Model {
    var id: Int64?
    var user: Int64?
    var text: String
    static let schema = Schema<Status>("status", key: \.id) {
      Reference(\.user, to: User.self, onDelete: .cascade)
    }
  }

  @Test func `the code of the article does what it says`() async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let vegetables = Repository<Vegetable>(
      try Backends.open("plist:\(folder)/vegetables?format=xml")
    )
    try await vegetables.insert(Vegetable(name: "Leek", price: 2.5))
    try vegetables.store.close()

    let archive = ObjectArchive<Notebook>("\(folder)/notebook.json")
    var notebook = try await archive.load() ?? Notebook(title: "New", pages: [])
    notebook.pages.append("First page")
    try await archive.save(notebook)
    #expect(try await archive.load()?.pages == ["First page"])

    let store = try Backends.open("sqlite:\(folder)/app.db")
    let users = Repository<User>(store)
    let ada = try await users.insert(User(name: "Ada"))

    let preferences = Preferences(store)
    let size = try await preferences.get(.fontSize)
    try await preferences.set(.fontSize, to: 14)
    #expect(size == 12)
    #expect(try await preferences.get(.fontSize) == 14)

    let statuses = Repository<Status>(store)
    try await statuses.insert(Status(user: ada.id, text: "Hello"))
    let page = try await statuses.fetch(limit: 20)
    let authors = try await users.referenced(by: \.user, of: page)
    #expect(authors.map { $0?.name } == ["Ada"])
    try store.close()
  }
}
