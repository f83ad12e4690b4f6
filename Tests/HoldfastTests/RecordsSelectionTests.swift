import Foundation
import Holdfast
import Testing

@Suite struct RecordsSelectionTests {
  struct Order: Model, Equatable {
    var id: Int64?
    var city: String?
    var item: String
    var price: Double
    var amount: Int8
    var stars: Int?
    var weight: Float = 0.5
    var tags: [String] = []
    static let schema = Schema<Order>("order", key: \.id) {
      Index(\.city, \.price)
      Unique(\.item)
    }
  }

  private let orders: Repository<Order>

  init() throws {
    orders = Repository<Order>(try memoryStore())
    let rows: [(String?, Double, Int8, Int?)] = [
      ("York", 3, 1, nil), ("Bath", 1.5, 2, 4), (nil, 9, 3, 5), ("York", 0.25, 4, nil),
      ("Bath", 7, 5, 1),
    ]
    try orders.insert(
      contentsOf: rows.enumerated().map { index, row in
        Order(city: row.0, item: "item \(index)", price: row.1, amount: row.2, stars: row.3)
      }
    )
  }

  @Test func `A selection is translated once and run often`() throws {
    let dear = try orders.where(\.price > 1).sorted(by: .descending(\.city), .ascending(\.price))
    #expect(try dear.fetch().map(\.id) == [1, 2, 5, 3])
    #expect(try dear.first()?.id == 1)
    #expect(try dear.count() == 4)
    #expect(try dear.exists())
    #expect(try dear.limited(to: 2, offset: 1).fetch().map(\.id) == [2, 5])
    #expect(try dear.limited(to: 2, offset: 3).count() == 1)
    #expect(try dear.limited(to: 2, offset: 9).count() == 0)
    #expect(try dear.limited(to: 0).exists() == false)
    #expect(try dear.limited(to: 0).first() == nil)
    #expect(try orders.where(\.city == "Rome").exists() == false)
    #expect(try orders.all.count() == 5)
    let page = try dear.page(of: 3)
    #expect(page.elements.map(\.id) == [1, 2, 5])
    #expect(try dear.page(of: 3, after: page.next).elements.map(\.id) == [3])
    #expect(try dear.after(try #require(page.next)).count() == 1)
    #expect(
      #expect(throws: StorageError.self) { try dear.limited(to: -1).count() }?.code == .invalidQuery
    )
  }

  @Test func `Tuples and smaller models decode only what they need`() throws {
    struct Line: Decodable, Equatable {
      var item: String
      var city: String?
    }
    let bath = try orders.where(\.city == "Bath")
    #expect(try bath.fetch(as: Line.self).first == Line(item: "item 1", city: "Bath"))
    let pairs = try bath.values(\.price, \.stars)
    #expect(pairs.map(\.0) == [1.5, 7] && pairs.map(\.1) == [4, 1])
    let cities: [String?] = try orders.all.values(\.city)
    #expect(cities == ["York", "Bath", nil, "York", "Bath"])
    struct Wrong: Decodable { var town: String? }
    let error = #expect(throws: StorageError.self) { try bath.fetch(as: Wrong.self) }
    #expect(error?.code == .typeMismatch && error?.message.contains("town") == true)
  }

  @Test func `Figures and groups have the types of their properties`() throws {
    let (count, total, mean, low, high) = try orders.all.figures(
      .count,
      .sum(\.price),
      .average(\.stars),
      .minimum(\.city),
      .maximum(\.stars)
    )
    #expect(count == 5 && total == 20.75 && mean == 10.0 / 3 && low == "Bath" && high == 5)
    #expect(try orders.all.figure(.sum(\.amount)) == 15)
    #expect(try orders.all.figure(.sum(\.weight)) == 2.5)
    #expect(try orders.all.figure(.count) == 5)
    let nothing = try orders.where(\.city == "Rome").figures(
      .count,
      .sum(\.price),
      .maximum(\.item)
    )
    #expect(nothing == (0, nil, nil))
    let groups = try orders.all.groups(by: \.city, figures: .count, .sum(\.price))
    #expect(groups.map(\.key) == [nil, "Bath", "York"])
    #expect(groups.map(\.figures.0) == [1, 2, 2])
    #expect(groups.map(\.figures.1) == [9, 8.5, 3.25])
    let pairs = try orders.all.groups(by: \.city, \.stars, figures: .count)
    #expect(pairs.map(\.figures) == [1, 1, 1, 2])
    let limited = #expect(throws: StorageError.self) {
      try orders.all.limited(to: 1).figure(.count)
    }
    #expect(limited?.code == .invalidQuery)
    for _ in 0..<9 { try orders.update(where: \.amount < 100, set: .increment(\.amount, by: 10)) }
    let narrow = #expect(throws: StorageError.self) { try orders.all.figure(.sum(\.amount)) }
    #expect(narrow?.code == .typeMismatch)
  }

  @Test func `Updates by query change what they name and load nothing`() throws {
    #expect(
      try orders.update(where: \.city == "York", set: .value(\.city, nil), .increment(\.stars)) == 2
    )
    #expect(try orders.fetch(where: \.city == nil).map(\.stars) == [nil, 5, nil])
    #expect(try orders.update(where: \.stars != nil, set: .increment(\.stars, by: -2)) == 3)
    #expect(try orders.fetch().map(\.stars) == [nil, 2, 3, nil, -1])
    #expect(
      try orders.update(where: #Predicate { $0.price > 5 }, set: .value(\.tags, ["dear"])) == 2
    )
    #expect(try orders.fetch(where: \.tags == ["dear"]).map(\.id) == [3, 5])
    #expect(
      try orders.where(\.price > 1).sorted(by: .descending(\.price)).limited(to: 1).delete() == 1
    )
    #expect(try orders.fetch().map(\.id) == [1, 2, 4, 5])
    #expect(try orders.delete(where: \.city == nil) == 2)
    #expect(try orders.count() == 2)
  }

  @Test func `An update that goes wrong changes nothing`() throws {
    let before = try orders.fetch()
    func refuse(_ code: StorageError.Code, _ assignments: Assignment<Order>) {
      let error = #expect(throws: StorageError.self) {
        try orders.update(where: \.price > 0, set: .value(\.city, "Rome"), assignments)
      }
      #expect(error?.code == code)
    }
    refuse(.uniqueViolation, .value(\.item, "one"))
    refuse(.overflow, .increment(\.amount, by: 124))
    refuse(.overflow, .increment(\.stars, by: .max))
    refuse(.invalidValue, .value(\.id, 9))
    refuse(.invalidValue, .increment(\.id))
    refuse(.invalidValue, .value(\.price, .nan))
    refuse(.typeMismatch, .increment(\.weight, by: 0.1))
    #expect(try orders.fetch() == before)
  }

  @Test func `An increment gives the new value, or changes nothing`() async throws {
    #expect(try await orders.increment(\.amount, of: 1) == 2)
    #expect(try await orders.increment(\.price, by: 0.5, of: 1) == 3.5)
    #expect(try await orders.increment(\.amount, by: -5, of: 2) == -3)
    #expect(try await orders.increment(\.stars, by: 3, of: 2) == 7)
    #expect(try await orders.increment(\.stars, of: 1) == nil)
    let overflow = await #expect(throws: StorageError.self) {
      try await orders.increment(\.amount, by: 127, of: 1)
    }
    #expect(overflow?.code == .overflow)
    let missing = await #expect(throws: StorageError.self) {
      try await orders.increment(\.amount, of: 99)
    }
    #expect(missing?.code == .notFound)
    #expect(try await orders.get(1)?.amount == 2)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<100 { group.addTask { try await orders.increment(\.price, by: 2, of: 5) } }
      try await group.waitForAll()
    }
    #expect(try await orders.get(5)?.price == 207)
  }

  @Test func `Of a collection that was never written there is nothing`() async throws {
    let orders = Repository<Order>(try memoryStore())
    let all = orders.all
    #expect(try await all.fetch().isEmpty)
    #expect(try await all.first() == nil)
    #expect(try await all.count() == 0)
    let figures = try await all.figures(.count, .sum(\.price))
    #expect(figures.0 == 0 && figures.1 == nil)
    #expect(try await all.groups(by: \.city, figures: .count).isEmpty)
    #expect(try await all.values(\.id, \.city).isEmpty)
    #expect(try await all.page(of: 5).next == nil)
    #expect(try await all.delete() == 0)
    #expect(try await all.update(set: .value(\.price, 1)) == 0)
  }
}
