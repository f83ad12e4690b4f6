import Holdfast

/// Primary keys: length, shape and order.
enum KeyCases {
  /// Inserts keys in a shuffled order and expects them back in ascending order by the oracle.
  static func expectOrder(_ context: ConformanceContext, _ type: FieldType, _ values: [Value])
    async throws
  {
    var generator = context.generator()
    let shuffled = values.shuffled(using: &generator)
    let store = try await context.open(creating: Shapes.keyed(type))
    try await store.write { transaction in
      for value in shuffled { try transaction.insert(["k0": value], into: "keyed") }
    }
    let sorted = values.sorted { Oracle.order($0, $1) < 0 }
    let ascending = try await store.read { try $0.column("k0", Query("keyed")) }
    context.expect(ascending, sorted, "the key's own order")
    let descending = try await store.read {
      try $0.column("k0", Query("keyed", sort: [.descending("k0")]))
    }
    context.expect(descending, sorted.reversed(), "descending")
    for value in values {
      let got = try await store.read { try $0.value("k0", of: Key(value), in: "keyed") }
      context.expect(got, value, "got by its key")
    }
    try await store.write { transaction in
      for (index, value) in sorted.enumerated() where index % 2 == 0 {
        context.expect(
          try transaction.delete(Key(value), from: "keyed"),
          true,
          "delete \(value.exactText)"
        )
      }
    }
    let kept = sorted.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
    context.expect(
      try await store.read { try $0.column("k0", Query("keyed")) },
      kept,
      "after deleting others"
    )
  }

  static let all: [ConformanceCase] = [
    ConformanceCase("keys.integerOrder", "Integer keys are in numeric order, all of Int64.") {
      try await expectOrder($0, .integer, Pools.integers)
    },
    ConformanceCase("keys.realOrder", "Real keys are in numeric order, infinities at the ends.") {
      try await expectOrder($0, .real, Pools.reals)
    },
    ConformanceCase("keys.textOrder", "Text keys are in the order of their UTF-8 bytes.") {
      try await expectOrder($0, .text, Pools.texts)
    },
    ConformanceCase("keys.blobOrder", "Blob keys are in the order of their bytes.") {
      try await expectOrder($0, .blob, Pools.blobs)
    },
    ConformanceCase("keys.boolOrder", "False comes before true.") {
      try await expectOrder($0, .bool, Pools.bools)
    },
    ConformanceCase("keys.dateOrder", "Date keys are in the order of time.") {
      try await expectOrder($0, .date, Pools.dates)
    },
    ConformanceCase("keys.uuidOrder", "UUID keys are in the order of their bytes.") {
      try await expectOrder($0, .uuid, Pools.uuids)
    },
    ConformanceCase("keys.randomOrder", "Random integer keys of every size are in order.") {
      context in
      var generator = context.generator()
      var values: Set<Int64> = []
      while values.count < 1000 {
        values.insert(Int64(bitPattern: generator.next()) >> Int64(generator.below(64)))
      }
      try await expectOrder(context, .integer, values.sorted().map { .integer($0) })
    },
    ConformanceCase(
      "keys.lengthAtLimit",
      "A key of 479 or 480 encoded bytes fits on every backend."
    ) { context in
      let store = try await context.open(creating: Shapes.keyed(.text))
      // A text takes two bytes more than its UTF-8.
      let keys = [477, 478].map { Key(.text(String(repeating: "k", count: $0))) }
      try await store.write { transaction in
        for key in keys { try transaction.insert(["k0": key[0]], into: "keyed") }
      }
      for key in keys {
        let got = try await store.read { try $0.get(key, in: "keyed")?.key }
        context.expect(got, key, "got by its key")
      }
    },
    ConformanceCase("keys.tooLong", "A key of 481 encoded bytes or far more is keyTooLong.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.blob))
      try await store.write { transaction in
        try transaction.insert(["k0": .blob([1])], into: "keyed")
        for count in [479, 600, 100_000] {
          let long = Value.blob(Array(repeating: 7, count: count))
          context.expectError(.keyTooLong, "insert \(count)") {
            try transaction.insert(["k0": long], into: "keyed")
          }
          context.expectError(.keyTooLong, "put \(count)") {
            try transaction.put(["k0": long], in: "keyed")
          }
        }
      }
      context.expect(try await store.read { try $0.count("keyed") }, 1, "records")
    },
    ConformanceCase("keys.zerosCountDouble", "A zero byte in a key takes two of the 480 bytes.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.blob))
      try await store.write { transaction in
        let fits = Value.blob(Array(repeating: 0, count: 239))
        try transaction.insert(["k0": fits, "label": 1], into: "keyed")
        context.expect(
          try transaction.value("label", of: Key(fits), in: "keyed"),
          1,
          "239 zeros"
        )
        context.expectError(.keyTooLong, "240 zeros") {
          try transaction.insert(["k0": .blob(Array(repeating: 0, count: 240))], into: "keyed")
        }
      }
    },
    ConformanceCase("keys.compositeTooLong", "The parts of a composite key count together.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.text, .text))
      try await store.write { transaction in
        let half = Value.text(String(repeating: "h", count: 238))
        try transaction.insert(["k0": half, "k1": half], into: "keyed")
        context.expectError(.keyTooLong) {
          try transaction.insert(
            ["k0": half, "k1": .text(String(repeating: "h", count: 239))],
            into: "keyed"
          )
        }
        context.expect(try transaction.count("keyed"), 1, "records")
      }
    },
    ConformanceCase(
      "keys.compositeOrder",
      "A composite key sorts by its first part, then the next."
    ) { context in
      let store = try await context.open(creating: Shapes.keyed(.text, .integer, .blob))
      var keys: [[Value]] = []
      for text in ["", "\u{0}", "a", "a\u{0}", "ab", "b"] as [Value] {
        for number in [-300, -1, 0, 255, 256] as [Value] {
          for blob in [[], [0], [0, 255], [255]] as [[UInt8]] {
            keys.append([text, number, .blob(blob)])
          }
        }
      }
      var generator = context.generator()
      let shuffled = keys.shuffled(using: &generator)
      try await store.write { transaction in
        for key in shuffled {
          try transaction.insert(["k0": key[0], "k1": key[1], "k2": key[2]], into: "keyed")
        }
      }
      let sorted = keys.sorted { Oracle.order($0, $1) < 0 }
      let got = try await store.read { try $0.fetch(Query("keyed")).map(\.key.values) }
      context.expect(got, sorted, "keys")
    },
    ConformanceCase(
      "keys.compositePrefixAmbiguity",
      "(\"a\", \"bc\") and (\"ab\", \"c\") are two keys."
    ) { context in
      let store = try await context.open(creating: Shapes.keyed(.text, .text))
      let keys: [[Value]] = [
        ["a", "bc"], ["ab", "c"], ["abc", ""], ["", "abc"], ["a\u{0}", "bc"], ["a", "\u{0}bc"],
      ]
      try await store.write { transaction in
        for (label, key) in keys.enumerated() {
          try transaction.insert(
            ["k0": key[0], "k1": key[1], "label": .integer(Int64(label))],
            into: "keyed"
          )
        }
      }
      for (label, key) in keys.enumerated() {
        let got = try await store.read { try $0.value("label", of: Key(key), in: "keyed") }
        context.expect(got, .integer(Int64(label)), "label of \(key.exactText)")
      }
    },
    ConformanceCase("keys.wrongShape", "A key of another shape or kind is typeMismatch.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.text, .integer))
      try await store.write { transaction in
        try transaction.insert(["k0": "a", "k1": 1], into: "keyed")
        for key in [["a"], ["a", 1, 2], [1, "a"], ["a", "1"]] as [[Value]] {
          context.expectError(.typeMismatch, "get \(key.exactText)") {
            _ = try transaction.get(Key(key), in: "keyed")
          }
          context.expectError(.typeMismatch, "delete \(key.exactText)") {
            try transaction.delete(Key(key), from: "keyed")
          }
        }
        context.expect(try transaction.count("keyed"), 1, "records")
      }
    },
    ConformanceCase("keys.nullRefused", "A null in a key is invalidValue.") { context in
      let store = try await context.open(creating: Shapes.keyed(.text, .integer))
      try await store.write { transaction in
        context.expectError(.invalidValue, "insert") {
          try transaction.insert(["k0": "a"], into: "keyed")
        }
        context.expectError(.invalidValue, "get") {
          _ = try transaction.get(Key(["a", .null]), in: "keyed")
        }
        context.expect(try transaction.count("keyed"), 0, "records")
      }
    },
    ConformanceCase("keys.lenientLookup", "Keys are found by any spelling of the same value.") {
      context in
      let store = try await context.open(
        creating: Shapes.keyed(.date, name: "dated"),
        Shapes.keyed(.decimal, name: "priced")
      )
      try await store.write { transaction in
        try transaction.insert(["k0": "2026-01-31", "label": 1], into: "dated")
        try transaction.insert(["k0": "1.50", "label": 2], into: "priced")
        context.expect(
          try transaction.value("label", of: "2026-01-31T00:00:00Z", in: "dated"),
          1,
          "a date"
        )
        context.expect(
          try transaction.value("label", of: "1.5", in: "priced"),
          2,
          "a decimal"
        )
        context.expectError(.duplicateKey) {
          try transaction.insert(["k0": "1.500"], into: "priced")
        }
      }
    },
  ]
}
