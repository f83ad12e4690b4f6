import Foundation
import Holdfast
import HoldfastBackends
import HoldfastServices
import Testing

@Suite struct MicroblogTests {
  private let store: Store
  private let microblog: Microblog
  private let noon = Date(timeIntervalSinceReferenceDate: 788_961_600)

  init() throws {
    store = try Backends.open("memory:")
    microblog = try Microblog.open(store)
  }

  private func addUser(_ name: String) throws -> Int64 {
    try #require(try microblog.users.add(User(name: name, screenName: name.uppercased())).id)
  }

  @Test func `Opening says created once, then existed, and a lost store is created again`() throws {
    #expect(microblog.opening == .created)
    #expect(try Microblog.open(store).opening == .existed)
    #expect(try Microblog.open(try Backends.open("memory:")).opening == .created)
  }

  @Test func `Fields that were not given are empty, and modifying leaves others alone`() throws {
    let id = try addUser("ada")
    let user = try #require(try microblog.users.find(id))
    #expect(user.city == nil && user.membership == nil && user.profileImageURL == nil)
    try microblog.users.modify(id, UserChanges(membership: .set(3), city: .set("北京")))
    try microblog.users.modify(id, UserChanges(membership: .set(nil)))
    #expect(
      try microblog.users.find(id) == User(id: id, name: "ada", screenName: "ADA", city: "北京")
    )
    #expect(errorCode { try microblog.users.modify(77, UserChanges()) } == .notFound)
  }

  @Test func `Names are not unique: find gives the lowest id, remove acts on all`() throws {
    let first = try addUser("lin")
    _ = try addUser("lin")
    _ = try addUser("bo")
    #expect(try microblog.users.find(named: "lin")?.id == first)
    #expect(try microblog.users.find(named: "nobody") == nil)
    #expect(try microblog.users.remove(named: "lin") == 2)
    #expect(try microblog.users.remove(named: "lin") == 0)
    #expect(try microblog.users.list().map(\.name) == ["bo"])
  }

  @Test func `Users come in pages`() throws {
    for name in ["a", "b", "c"] { _ = try addUser(name) }
    let page = try microblog.users.page(count: 2)
    #expect(page.elements.map(\.name) == ["a", "b"])
    let next = try microblog.users.page(after: page.next, count: 2)
    #expect(next.elements.map(\.name) == ["c"])
    #expect(next.next == nil)
  }

  @Test func `A user who has statuses is not removed, alone or by name`() throws {
    let (one, two) = (try addUser("lin"), try addUser("lin"))
    let status = try microblog.statuses.add(
      Status(user: two, source: "", createdAt: noon, text: "")
    )
    #expect(errorCode { try microblog.users.remove(two) } == .referenceViolation)
    #expect(errorCode { try microblog.users.remove(named: "lin") } == .referenceViolation)
    #expect(try microblog.users.list().count == 2)
    #expect(try microblog.users.remove(one))
    #expect(try microblog.statuses.remove(try #require(status.id)))
    #expect(try microblog.users.remove(two))
    #expect(try microblog.users.remove(two) == false)
  }

  @Test func `A status needs its user`() throws {
    let orphan = Status(user: 5, source: "iPhone", createdAt: noon, text: "hi")
    #expect(errorCode { try microblog.statuses.add(orphan) } == .referenceViolation)
    #expect(orphan.sourceLabel == "from iPhone")
  }

  @Test func `Statuses are listed with their users, in id order and newest first`() throws {
    let users = [try addUser("a"), try addUser("b")]
    for index in 0..<7 {
      try microblog.statuses.add(
        Status(user: users[index % 2], source: "", createdAt: noon, text: "\(index)")
      )
    }
    let all = try microblog.statuses.list()
    #expect(all.map(\.status.id) == [1, 2, 3, 4, 5, 6, 7])
    #expect(all.map(\.user.name) == ["a", "b", "a", "b", "a", "b", "a"])
    #expect(try microblog.statuses.page(count: 3).map(\.status.id) == [7, 6, 5])
    #expect(try microblog.statuses.page(after: 5, count: 3).map(\.status.id) == [4, 3, 2])
    #expect(try microblog.statuses.page(after: 1, count: 3).isEmpty)
    #expect(try microblog.statuses.newer(than: 4, count: 2).map(\.status.id) == [7, 6])
    #expect(try microblog.statuses.newer(than: 7, count: 2).isEmpty)
    #expect(errorCode { _ = try microblog.statuses.page(count: -1) } == .invalidQuery)
    let modified = try microblog.statuses.modify(2, StatusChanges(text: .set("new")))
    #expect(try microblog.statuses.find(2)?.status == modified)
    #expect(modified.user == users[1] && modified.text == "new" && modified.createdAt == noon)
    #expect(try microblog.statuses.find(99) == nil)
    #expect(errorCode { try microblog.statuses.modify(99, StatusChanges()) } == .notFound)
  }

  @Test func `Asynchronous versions do the same`() async throws {
    let store = try Backends.open("memory:")
    let microblog = try await Microblog.open(store)
    #expect(microblog.opening == .created)
    let user = try await microblog.users.add(User(name: "a", screenName: "A"))
    let id = try #require(user.id)
    try await microblog.statuses.add(Status(user: id, source: "", createdAt: noon, text: "x"))
    #expect(try await microblog.statuses.list().map(\.user) == [user])
    #expect(try await microblog.users.find(named: "a") == user)
    await #expect(throws: StorageError.self) { try await microblog.users.remove(id) }
  }
}
