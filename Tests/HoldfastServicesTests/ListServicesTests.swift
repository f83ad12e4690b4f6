import Holdfast
import HoldfastBackends
import HoldfastServices
import Testing

@Suite struct ListServicesTests {
  @Test func `Contacts are created, added, renamed, deleted and listed`() throws {
    let contacts = ContactService(try Backends.open("memory:"))
    #expect(try contacts.create() == .created)
    #expect(try contacts.create() == .existed)
    for name in ["a", "b", "a"] {
      try contacts.add(Contact(name: name, address: "'; --", phone: ""))
    }
    #expect(try contacts.rename("a", to: "c") == 2)
    #expect(try contacts.rename("a", to: "c") == 0)
    #expect(try contacts.list().map(\.name) == ["c", "b", "c"])
    #expect(try contacts.delete(named: "c") == 2)
    #expect(try contacts.delete(named: "c") == 0)
    #expect(try contacts.list() == [Contact(id: 2, name: "b", address: "'; --", phone: "")])
  }

  @Test func `Vegetable prices are checked, each fault with its own code`() throws {
    let prices = VegetablePriceService(try Backends.open("memory:"))
    #expect(errorCode { try prices.remove("leek") } == .notFound)
    #expect(try prices.add("leek", price: 2).id == 1)
    #expect(errorCode { try prices.add("leek", price: 3) } == .uniqueViolation)
    for name in ["", " ", "\n\t"] {
      #expect(errorCode { try prices.add(name, price: 3) } == .invalidValue)
    }
    for price in [0, -1, -0.0, .nan, .infinity, -.infinity] as [Double] {
      #expect(errorCode { try prices.add("x", price: price) } == .invalidValue)
      #expect(errorCode { try prices.changePrice(of: "leek", to: price) } == .invalidValue)
    }
    #expect(errorCode { try prices.changePrice(of: "x", to: 1) } == .notFound)
    #expect(try prices.changePrice(of: "leek", to: 0.5).price == 0.5)
    #expect(try prices.list() == [VegetablePrice(id: 1, name: "leek", price: 0.5)])
    try prices.remove("leek")
    #expect(errorCode { try prices.remove("leek") } == .notFound)
    #expect(try prices.list().isEmpty)
  }

  @Test func `Asynchronous versions do the same`() async throws {
    let store = try Backends.open("memory:")
    let contacts = ContactService(store)
    try await contacts.add(Contact(name: "a", address: "", phone: "1"))
    #expect(try await contacts.rename("a", to: "b") == 1)
    #expect(try await contacts.list().map(\.name) == ["b"])
    let prices = VegetablePriceService(store)
    try await prices.add("leek", price: 1)
    #expect(try await prices.find("leek")?.price == 1)
    try await prices.remove("leek")
    #expect(try await prices.list().isEmpty)
  }
}
