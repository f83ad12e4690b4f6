import Foundation
import Holdfast
import Testing

/// What the store finds by a predicate is what Swift's own evaluation finds.
@Suite struct RecordsPredicateTests {
  struct Item: Model, Equatable {
    var id: Int64?
    var name: String
    var city: String?
    var price: Double
    var count: Int?
    var isNew: Bool
    var isOld: Bool?
    var mood: Mood
    var made: Date
    var tags: [String]
    var data: Data
    static let schema = Schema<Item>("item", key: \.id) {
      Index(\.price)
      Index(\.city)
    }
  }

  private let repository: Repository<Item>
  private let items: [Item]

  init() throws {
    let cities: [String?] = [nil, "", "北京", "London", "Lon%don"]
    let names = ["", "a", "ab", "x%y", "王芳", "b; --"]
    let moods: [Mood] = [.calm, .wild]
    var items: [Item] = []
    for index in 0..<120 {
      items.append(
        Item(
          id: Int64(index),
          name: names[index % 6],
          city: cities[index / 2 % 5],
          price: Double(index % 7) - 2.5,
          count: index % 4 == 0 ? nil : index % 9,
          isNew: index % 3 == 0,
          isOld: index % 5 == 0 ? nil : index % 5 == 1,
          mood: moods[index / 3 % 2],
          made: Date(timeIntervalSinceReferenceDate: Double(index % 11) * 1e7 + 1e8),
          tags: index % 2 == 0 ? [] : ["t"],
          data: Data([UInt8(index), 1, 2])
        )
      )
    }
    self.items = items
    repository = Repository<Item>(try memoryStore())
    try repository.insert(contentsOf: items)
  }

  private func check(
    _ predicate: Predicate<Item>,
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let expected = try items.filter { try predicate.evaluate($0) }
    #expect(try repository.fetch(where: predicate) == expected, sourceLocation: location)
    #expect(try repository.count(where: predicate) == expected.count, sourceLocation: location)
  }

  @Test func `Comparisons with literals and captured values`() throws {
    let low = 1.5
    let item = items[3]
    try check(#Predicate { $0.name == "ab" })
    try check(#Predicate { "ab" != $0.name })
    try check(#Predicate { $0.price < low })
    try check(#Predicate { low <= $0.price })
    try check(#Predicate { $0.price > -0.5 && $0.price <= 2.5 })
    try check(#Predicate { $0.id == 7 })
    try check(#Predicate { $0.made >= item.made })
    try check(#Predicate { $0.data == item.data })
    try check(#Predicate { $0.tags == item.tags })
    let calm = Mood.calm
    try check(#Predicate { $0.mood == calm })
    try check(#Predicate { $0.mood != calm })
  }

  @Test func `Null and optional fields`() throws {
    let city: String? = nil
    try check(#Predicate { $0.city == nil })
    try check(#Predicate { $0.city != nil })
    try check(#Predicate { $0.city == city })
    try check(#Predicate { $0.city != "London" })
    try check(#Predicate { $0.count == 5 })
    try check(#Predicate { ($0.count ?? 3) > 2 })
    try check(#Predicate { ($0.count ?? 3) != 3 })
    try check(#Predicate { ($0.count ?? 0) == 0 })
    try check(#Predicate { $0.city?.contains("don") == true })
    try check(#Predicate { $0.city?.contains("don") != true })
    try check(#Predicate { $0.city?.contains("don") == false })
    try check(#Predicate { $0.city?.contains("don") == nil })
    try check(#Predicate { $0.city?.starts(with: "Lon") ?? false })
    try check(#Predicate { $0.city?.isEmpty ?? true })
    try check(#Predicate { if let city = $0.city { city == "北京" } else { false } })
    try check(#Predicate { if let count = $0.count { count > 4 } else { $0.isNew } })
  }

  @Test func `Booleans, logic and conditions`() throws {
    try check(#Predicate { $0.isNew })
    try check(#Predicate { !$0.isNew })
    try check(#Predicate { $0.isNew == false })
    try check(#Predicate { $0.isOld == true })
    try check(#Predicate { $0.isOld ?? true })
    try check(#Predicate { $0.isOld ?? false })
    try check(#Predicate { $0.isNew || $0.price > 1 && !($0.name == "a") })
    try check(#Predicate { $0.isNew ? $0.price > 0 : $0.city == nil })
    try check(#Predicate { _ in true })
    try check(#Predicate { _ in false })
  }

  @Test func `Text, lists and ranges`() throws {
    let ids: [Int64?] = [1, 3, 500]
    let names = ["a", "王芳"]
    let cities: Set<String?> = [nil, "London"]
    try check(#Predicate { $0.name.contains("b") })
    try check(#Predicate { $0.name.contains("") })
    try check(#Predicate { $0.name.starts(with: "a") })
    try check(#Predicate { !$0.name.starts(with: "x%") })
    try check(#Predicate { $0.name.isEmpty })
    try check(#Predicate { ids.contains($0.id) })
    try check(#Predicate { names.contains($0.name) && $0.isNew })
    try check(#Predicate { cities.contains($0.city) })
    try check(#Predicate { (0.0...2.0).contains($0.price) })
    try check(#Predicate { (0.5..<2.5).contains($0.price) })
    let range = -1.5...0.5
    try check(#Predicate { range.contains($0.price) })
  }

  @Test func `What cannot be translated is an error that names it`() throws {
    let predicates: [(Predicate<Item>, String)] = [
      (#Predicate { $0.price + $0.price > 2 }, "Arithmetic"),
      (#Predicate { $0.price * 0 > 2 }, "Arithmetic"),
      (#Predicate { ($0.count ?? 0) % 2 == 1 }, "IntRemainder"),
      (#Predicate { $0.name.count == 2 }, "KeyPath"),
      (#Predicate { $0.tags.contains { $0 == "t" } }, "SequenceContainsWhere"),
      (#Predicate { $0.tags[0] == "t" }, "CollectionIndexSubscript"),
      (#Predicate { $0.name != $0.name }, "NotEqual"),
      (#Predicate { $0.tags.allSatisfy { $0 == "t" } }, "SequenceAllSatisfy"),
    ]
    for (predicate, name) in predicates {
      let error = #expect(throws: StorageError.self) { try repository.fetch(where: predicate) }
      #expect(error?.code == .invalidQuery)
      #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }
  }

  @Test func `Paging and deleting by predicate`() throws {
    let page = try repository.page(
      where: #Predicate { $0.isNew },
      sort: [.descending(\.id)],
      limit: 3
    )
    #expect(page.elements.map(\.id) == [117, 114, 111])
    let next = try repository.page(
      where: #Predicate { $0.isNew },
      sort: [.descending(\.id)],
      limit: 3,
      after: page.next
    )
    #expect(next.elements.map(\.id) == [108, 105, 102])
    #expect(try repository.delete(where: #Predicate { $0.isNew }) == 40)
    #expect(try repository.count() == 80)
  }
}
