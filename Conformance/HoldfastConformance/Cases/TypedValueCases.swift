import Foundation
import Holdfast

/// Values of Swift's own types, through the typed layer.
enum TypedValueCases {
  private enum Mood: String, Codable { case calm, wild }

  private struct Sample: Holdfast.Model {
    var id: Int64
    var big: UInt64 = 0
    var maybe: Int??
    var mood: Mood = .calm
    var tags: [String] = []
    var date = Date(timeIntervalSinceReferenceDate: 0)
  }

  private static func roundTrip(_ context: ConformanceContext, _ samples: [Sample]) async throws
    -> [Sample]
  {
    var store = try context.open()
    _ = try await Repository<Sample>(store).insert(contentsOf: samples)
    store = try context.reopen(store)
    return try await Repository<Sample>(store).get(samples.map(\.id)).compactMap { $0 }
  }

  private static func expectRefused(_ context: ConformanceContext, _ samples: [Sample]) async throws
  {
    let repository = Repository<Sample>(try context.open())
    _ = try await repository.insert(Sample(id: 1))
    for sample in samples {
      await context.expectError(.invalidValue, "insert \(sample.id)") {
        _ = try await repository.insert(sample)
      }
      var changed = sample
      changed.id = 1
      let update = changed
      await context.expectError(.invalidValue, "update \(sample.id)") {
        try await repository.update(update)
      }
    }
    context.expect(try await repository.count(), 1, "records")
  }

  static let all: [ConformanceCase] = [
    ConformanceCase(
      "values.uint64Overflow",
      "UInt64 above Int64.max is invalidValue; never a trap, never wrapped."
    ) { context in
      try await expectRefused(
        context,
        [Sample(id: 2, big: .max), Sample(id: 3, big: UInt64(Int64.max) + 1)]
      )
    },
    ConformanceCase("values.uint64", "UInt64 up to Int64.max comes back exactly.") { context in
      let numbers: [UInt64] = [0, 1, 1 << 53 + 1, UInt64(Int64.max) - 1, UInt64(Int64.max)]
      let samples = numbers.enumerated().map { Sample(id: Int64($0.offset), big: $0.element) }
      let got = try await roundTrip(context, samples)
      context.expect(got.map { "\($0.big)" }, numbers.map { "\($0)" }, "numbers")
    },
    ConformanceCase("values.nestedOptional", "An optional of an optional is a value or null.") {
      context in
      let got = try await roundTrip(
        context,
        [Sample(id: 1, maybe: 7), Sample(id: 2, maybe: nil), Sample(id: 3, maybe: .some(nil))]
      )
      context.expect(got.map { $0.maybe.flatMap { $0 } }, [7, nil, nil], "values")
      let store = try context.open()
      let nulls = try await store.read { try $0.ids(Query("sample", where: .isNull("maybe"))) }
      context.expect(nulls, [2, 3], "null in the store")
    },
    ConformanceCase("values.enumRaw", "An enum is kept as its raw value.") { context in
      let got = try await roundTrip(context, [Sample(id: 1), Sample(id: 2, mood: .wild)])
      context.expect(got.map(\.mood.rawValue), ["calm", "wild"], "moods")
      let store = try context.open()
      let stored = try await store.read { try $0.column("mood", Query("sample")) }
      context.expect(stored, ["calm", "wild"], "as stored")
    },
    ConformanceCase("values.arrayField", "An array comes back in order, empty ones and all.") {
      context in
      let tags = [[], ["a"], ["b", "", "a\u{0}", "\u{E9}", "e\u{301}", "\"\\"]]
      let got = try await roundTrip(
        context,
        tags.enumerated().map { Sample(id: Int64($0.offset), tags: $0.element) }
      )
      context.expect(got.map(\.tags), tags, "arrays")
    },
    ConformanceCase("values.datesDistant", "Date.distantPast and distantFuture come back equal.") {
      context in
      let dates = [Date.distantPast, .distantFuture, Date(timeIntervalSinceReferenceDate: 1e9)]
      let got = try await roundTrip(
        context,
        dates.enumerated().map { Sample(id: Int64($0.offset), date: $0.element) }
      )
      context.expect(
        got.map { "\($0.date.timeIntervalSinceReferenceDate)" },
        dates.map { "\($0.timeIntervalSinceReferenceDate)" },
        "dates"
      )
      let store = try context.open()
      let stored = try await store.read { try $0.column("date", Query("sample", limit: 1)) }
      context.expect(stored, ["0000-12-30T00:00:00.000000000Z"], "the distant past as stored")
    },
    ConformanceCase("values.dateOutOfRange", "A date outside the years 0 to 9999 is invalidValue.")
    {
      context in
      try await expectRefused(
        context,
        [3e11, -7e10, .infinity, .nan].enumerated().map { index, seconds in
          Sample(id: Int64(index + 2), date: Date(timeIntervalSinceReferenceDate: seconds))
        }
      )
    },
    ConformanceCase(
      "records.getManyOrderAndHoles",
      "Many keys give as many records, in the keys' order, nil where there is none."
    ) { context in
      let repository = Repository<Sample>(try context.open())
      _ = try await repository.insert(contentsOf: (1...20).map { Sample(id: $0) })
      let keys: [Int64] = [7, 99, 3, 3, -1, 20, 1, .max, .min, 8]
      let got = try await repository.get(keys).map { $0?.id }
      context.expect(got, [7, nil, 3, 3, nil, 20, 1, nil, nil, 8], "records")
      context.expect(try await repository.get([] as [Int64]).count, 0, "of no key")
    },
  ]
}
