import Foundation
import Holdfast

/// Numbers, blobs and the logical types, bit for bit.
enum ValueCases {
  /// Writes values into one field, reads them back, reopens, and reads them again.
  static func roundTrip(
    _ context: ConformanceContext,
    _ type: FieldType,
    _ values: [Value],
    expected: [Value]? = nil
  ) async throws {
    var store = try await context.open(creating: Shapes.single(type))
    try await store.write { transaction in
      for (id, value) in values.enumerated() {
        try transaction.insert(["id": .integer(Int64(id)), "value": value], into: "single")
      }
    }
    let query = Query("single")
    context.expect(
      try await store.read { try $0.column("value", query) },
      expected ?? values,
      "as read"
    )
    store = try context.reopen(store)
    context.expect(
      try await store.read { try $0.column("value", query) },
      expected ?? values,
      "after reopening"
    )
    for (id, value) in (expected ?? values).enumerated() {
      let key = Key(.integer(Int64(id)))
      let got = try await store.read { try $0.value("value", of: key, in: "single") }
      context.expect(got, value, "got by key \(id)")
    }
  }

  /// Expects each value to be refused with a code, leaving nothing.
  static func refuse(
    _ context: ConformanceContext,
    _ type: FieldType,
    _ values: [Value],
    _ code: StorageError.Code
  ) async throws {
    let store = try await context.open(creating: Shapes.single(type))
    try await store.write { transaction in
      try transaction.insert(["id": 0, "value": .null], into: "single")
      for value in values {
        let what = value.exactText
        context.expectError(code, "insert \(what)") {
          try transaction.insert(["id": 1, "value": value], into: "single")
        }
        context.expectError(code, "put \(what)") {
          try transaction.put(["id": 1, "value": value], in: "single")
        }
        context.expectError(code, "update \(what)") {
          try transaction.update(0, set: ["value": value], in: "single")
        }
      }
    }
    let left = try await store.read { try $0.column("value", Query("single")) }
    context.expect(left, [.null], "what the refused writes left")
  }

  static let all: [ConformanceCase] =
    [
      ConformanceCase("values.bools", "False, true and null come back as themselves.") {
        try await roundTrip($0, .bool, [false, true, .null])
      },
      ConformanceCase("values.boolRange", "A bool takes 0 and 1 only.") {
        try await refuse($0, .bool, [2, -1, .integer(.max)], .invalidValue)
      },
      ConformanceCase("values.integers", "All of Int64 comes back exactly.") {
        try await roundTrip($0, .integer, Pools.integers)
      },
      ConformanceCase("values.integersRandom", "Random integers come back exactly.") { context in
        var generator = context.generator()
        let values = (0..<300).map { _ in
          Value.integer(Int64(bitPattern: generator.next()) >> Int64(generator.below(64)))
        }
        try await roundTrip(context, .integer, values)
      },
      ConformanceCase("values.reals", "Every double comes back bit for bit, infinities included.") {
        try await roundTrip($0, .real, Pools.reals)
      },
      ConformanceCase("values.realsRandom", "Random bit patterns of doubles come back exactly.") {
        context in
        var generator = context.generator()
        let values = (0..<300).map { _ -> Value in
          let real = Double(bitPattern: generator.next())
          return .real(real.isNaN || real == 0 ? 0.5 : real)
        }
        try await roundTrip(context, .real, values)
      },
      ConformanceCase("values.wholeRealsStayReal", "A whole real is a real, not an integer.") {
        try await roundTrip($0, .real, [1.0, 0.0, -3.0, 1e15, 1e300, 9_007_199_254_740_992.0])
      },
      ConformanceCase("values.integerIntoReal", "An integer is taken by a real field, as a real.") {
        try await roundTrip(
          $0,
          .real,
          [1, 0, -7, .integer(1 << 53)],
          expected: [1.0, 0.0, -7.0, .real(0x1p53)]
        )
      },
      ConformanceCase("values.negativeZero", "−0.0 is stored as +0.0.") {
        try await roundTrip($0, .real, [.real(-0.0), 0.0], expected: [0.0, 0.0])
      },
      ConformanceCase("values.nanRefused", "NaN is invalidValue, and nothing is written.") {
        try await refuse(
          $0,
          .real,
          [.real(.nan), .real(-.nan), .real(.signalingNaN)],
          .invalidValue
        )
      },
      ConformanceCase("values.blobs", "Blobs keep every byte, and empty is not null.") {
        let every = (0...255).map { UInt8($0) }
        try await roundTrip(
          $0,
          .blob,
          [.blob([]), .null, .blob([0]), .blob(every), .blob([255, 0, 255])]
        )
      },
      ConformanceCase("values.blob1MB", "A blob of a mebibyte comes back.") { context in
        var generator = context.generator()
        let bytes = (0..<(1 << 20)).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        try await roundTrip(context, .blob, [.blob(bytes), .blob([1])])
      },
      ConformanceCase("values.dates", "Dates come back as the same text, from year 0 to 9999.") {
        try await roundTrip($0, .date, Pools.dates)
      },
      ConformanceCase("values.datesExact", "Ten thousand random dates come back equal.") {
        context in
        var generator = context.generator()
        let store = try await context.open(creating: Shapes.single(.date))
        let dates = (0..<10_000).map { _ in
          Date(timeIntervalSinceReferenceDate: Double.random(in: -6e10...2.5e11, using: &generator))
        }.filter { abs($0.timeIntervalSinceReferenceDate) > 97 * 86_400 }
        try await store.write { transaction in
          for (id, date) in dates.enumerated() {
            let text = DateCoding.encode(date)
            try transaction.insert(
              ["id": .integer(Int64(id)), "value": text.map { .text($0) } ?? .null],
              into: "single"
            )
          }
        }
        let stored = try await store.read { try $0.column("value", Query("single")) }
        context.expect(stored.count, dates.count, "records")
        for (date, value) in zip(dates, stored) {
          guard case .text(let text) = value, DateCoding.decode(text) == date else {
            context.fail(
              "the date \(date.timeIntervalSinceReferenceDate) came back as \(value.exactText)"
            )
            return
          }
        }
      },
      ConformanceCase("values.dateSpellings", "Dates in any RFC 3339 spelling become one text.") {
        try await roundTrip(
          $0,
          .date,
          ["2026-01-31", "2026-01-31T13:00:00+01:00", "2026-01-31T12:00:00.5Z"],
          expected: [
            "2026-01-31T00:00:00.000000000Z", "2026-01-31T12:00:00.000000000Z",
            "2026-01-31T12:00:00.500000000Z",
          ]
        )
      },
      ConformanceCase("values.dateRefused", "Text that is no date is invalidValue.") {
        try await refuse(
          $0,
          .date,
          ["", "yesterday", "2026-02-30", "2026-13-01", "10000-01-01T00:00:00.000000000Z"],
          .invalidValue
        )
      },
      ConformanceCase("values.uuid", "A UUID comes back as its 16 bytes, from text too.") {
        let bytes: [UInt8] = (0..<16).map { $0 * 17 }
        try await roundTrip(
          $0,
          .uuid,
          [.blob(bytes), "00112233-4455-6677-8899-AABBCCDDEEFF", .null],
          expected: [.blob(bytes), .blob(bytes), .null]
        )
      },
      ConformanceCase("values.uuidRefused", "A UUID of another length is invalidValue.") {
        try await refuse(
          $0,
          .uuid,
          [.blob([]), .blob([1, 2, 3]), .blob(Array(repeating: 0, count: 17))],
          .invalidValue
        )
      },
      ConformanceCase("values.decimal", "Decimals are kept as canonical text.") {
        try await roundTrip(
          $0,
          .decimal,
          ["1.00", "1", "0.1", "-12.50", 7],
          expected: ["1", "1", "0.1", "-12.5", "7"]
        )
      },
      ConformanceCase("values.json", "JSON is kept as canonical text with sorted keys.") {
        try await roundTrip(
          $0,
          .json,
          ["{ \"b\": [1, 2.5, null], \"a\" : true }", "[]", "\"text\""],
          expected: ["{\"a\":true,\"b\":[1,2.5,null]}", "[]", "\"text\""]
        )
      },
      ConformanceCase("values.any", "A field of mixed type keeps the kind of each value.") {
        try await roundTrip(
          $0,
          .any,
          [1, 1.0, "1", .blob([49]), .null, "", .blob([]), 0.5, .integer(.min)]
        )
      },
    ] + shapes
}
