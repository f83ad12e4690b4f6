import Foundation
import Holdfast
import HoldfastBackends
import Testing

@Suite("Predicates against Foundation's own evaluation")
struct PredicatePropertyTests {
  private static let seed: UInt64 = 20_261
  private static let predicateCount = 3_000
  private static let itemCount: Int64 = 120

  /// Predicates with the keys of the items that Foundation finds.
  private static func questions(_ items: [Item]) throws -> [(Predicate<Item>, [Int64])] {
    var random = SeededRandom(state: seed)
    return try (0..<predicateCount).map { _ in
      let predicate = PredicateGenerator.predicate(&random)
      return (predicate, try items.filter { try predicate.evaluate($0) }.map(\.id))
    }
  }

  private static func onEveryBackend(
    _ items: [Item],
    _ body: (Repository<Item>, _ backend: String) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for url in ["memory:", "sqlite:a.db", "lmdb:l", "json:j", "plist:p"] {
      let store = try Backends.open(
        url.replacing(":", with: url == "memory:" ? ":" : ":\(folder.path)/")
      )
      let repository = Repository<Item>(store)
      try repository.insert(contentsOf: items)
      try body(repository, store.capabilities.backend)
      try store.close()
    }
  }

  @Test("Thousands of random predicates find what evaluate finds, on every backend")
  func randomPredicates() throws {
    var random = SeededRandom(state: Self.seed &+ 1)
    let items = (1...Self.itemCount).map { random.item($0) }
    let questions = try Self.questions(items)
    // The odd ones are asked as a count too, which takes another way.
    try Self.onEveryBackend(items) { repository, backend in
      try repository.store.read { transaction in
        for (index, (predicate, expected)) in questions.enumerated() {
          let selection = try repository.where(predicate)
          let found = try selection.values(\.id, in: transaction)
          #expect(found == expected, "\(backend), number \(index): \(selection.query)")
          if index % 2 == 0 { continue }
          let count = try selection.count(in: transaction)
          #expect(count == expected.count, "\(backend), number \(index): \(selection.query)")
        }
      }
    }
    // Neither all nor none: the questions tell items apart.
    let telling = questions.filter { !$0.1.isEmpty && $0.1.count < items.count }
    #expect(telling.count > Self.predicateCount / 2, "seed \(Self.seed)")
  }

  @Test("What key-path operators say is what they evaluate to, on every backend")
  func conditions() throws {
    var random = SeededRandom(state: Self.seed &+ 2)
    let items = (1...Self.itemCount).map { random.item($0) }
    let conditions: [Condition<Item>] = [
      \.name == "a", \.name != "a", \.city == nil, \.city != nil, \.city != "b", \.city > "a",
      \.price >= 1 && \.rank < 3, \.level <= 2 || \.level == nil, !(\.level > 0), \.isNew == true,
      \.isOld != false, \.mood == .wild, \.address.street == "a", \.address.zip == nil,
      \.address.floor > 2, \.made < Date(timeIntervalSinceReferenceDate: 4e8), \.gone == nil,
      ["a", "b"] ~= \.name, [nil, "a"] ~= \.city, -2...2 ~= \.rank, 0..<5 ~= \.price,
      \.rank > 0 && Condition(#Predicate { $0.name.contains("a") }), \.tags == [],
    ]
    try Self.onEveryBackend(items) { repository, backend in
      for (index, condition) in conditions.enumerated() {
        let expected = try items.filter { try condition.evaluate($0) }
        #expect(try repository.fetch(where: condition) == expected, "\(backend), number \(index)")
        #expect(!expected.isEmpty && expected.count < items.count, "number \(index)")
      }
    }
  }
}
