import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// The code of the article "Testing with the memory backend".
@Suite struct TestingWithMemoryArticle {
  struct Entry: Model {
    var id: Int64?
    var name: String
  }

  /// What an application would have.
  struct Basket {
    let entries: Repository<Entry>
    init(_ store: Store) { entries = Repository(store) }
    func add(_ name: String) async throws { try await entries.insert(Entry(name: name)) }
    func names() async throws -> [String] { try await entries.fetch().map(\.name) }
  }

  @Test func `a store of one test is private`() async throws {
    let store = try Backends.open("memory:")
    let basket = Basket(store)
    try await basket.add("leek")
    #expect(try await basket.names() == ["leek"])
    #expect(try await Basket(try Backends.open("memory:")).names() == [])
  }

  @Test func `a named one is opened again`() async throws {
    let name = UUID().uuidString

    let first = try Backends.open("memory:\(name)")
    try await Basket(first).add("leek")
    try first.close()
    let again = try Backends.open("memory:\(name)")
    let kept = try await Basket(again).names()
    try again.close()
    try Backends.destroy(StorageURL("memory:\(name)"))

    #expect(kept == ["leek"])
    #expect(try await Basket(try Backends.open("memory:\(name)")).names() == [])
    try Backends.destroy(StorageURL("memory:\(name)"))
  }
}
