import Holdfast

/// Sizes and shapes at the edges: large blobs, deep documents, keys of nothing, pages elsewhere.
enum EdgeCases {
  static let all: [ConformanceCase] = [
    ConformanceCase("values.blob64MB", "A blob of 64 mebibytes comes back byte for byte.") {
      context in
      var bytes = [UInt8](repeating: 0x5A, count: 64 << 20)
      for place in stride(from: 0, to: bytes.count, by: 4093) {
        bytes[place] = UInt8(truncatingIfNeeded: place / 4093)
      }
      let large = bytes
      var store = try await context.open(creating: Shapes.single(.blob))
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": .blob(large)], into: "single")
        try transaction.insert(["id": 2, "value": .blob([1])], into: "single")
      }
      store = try context.reopen(store)
      let isWhole = try await store.read { transaction in
        let collection = try transaction.collection("single")
        guard let row = try transaction.get(1, in: collection) else { return false }
        return row.bytes(1).elementsEqual(large)
      }
      context.expect(isWhole, true, "the same bytes")
      let small = try await store.read { try $0.value("value", of: 2, in: "single") }
      context.expect(small, .blob([1]), "the other record")
    },
    ConformanceCase("values.deepDocument", "JSON nested too deep is a typed error, never a crash.")
    {
      context in
      let store = try await context.open(creating: Shapes.single(.json))
      func nested(_ depth: Int) -> Value {
        .text(String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
      }
      try await store.write { transaction in
        try transaction.insert(["id": 1, "value": nested(100)], into: "single")
        for depth in [5000, 1_000_000] {
          context.expectError(.invalidValue, "\(depth) deep") {
            try transaction.insert(["id": 2, "value": nested(depth)], into: "single")
          }
        }
      }
      let values = try await store.read { try $0.column("value", Query("single")) }
      context.expect(values, [nested(100)], "values")
    },
    ConformanceCase("keys.emptyText", "Empty text and an empty blob are keys like others.") {
      context in
      let store = try await context.open(
        creating: Shapes.keyed(.text),
        Shapes.keyed(.blob, name: "bytes")
      )
      for (name, empty, other) in [
        ("keyed", "" as Value, "a" as Value), ("bytes", .blob([]), .blob([0])),
      ] {
        try await store.write { transaction in
          try transaction.insert(["k0": other, "label": 2], into: name)
          try transaction.insert(["k0": empty, "label": 1], into: name)
          context.expectError(.duplicateKey, name) {
            try transaction.insert(["k0": empty], into: name)
          }
          context.expect(try transaction.value("label", of: Key(empty), in: name), 1, name)
          context.expect(try transaction.column("label", Query(name)), [1, 2], "\(name), in order")
          context.expect(try transaction.delete(Key(empty), from: name), true, "\(name), deleted")
          context.expect(try transaction.count(name), 1, "\(name), left")
        }
      }
    },
    ConformanceCase("keys.zeroByteInside", "Keys with a zero byte are whole keys, in order.") {
      context in
      let store = try await context.open(creating: Shapes.keyed(.text))
      let keys: [Value] = ["a", "a\u{0}", "a\u{0}\u{0}", "a\u{0}b", "a\u{1}", "ab"]
      try await store.write { transaction in
        for (label, key) in keys.enumerated().reversed() {
          try transaction.insert(["k0": key, "label": .integer(Int64(label))], into: "keyed")
        }
        context.expect(try transaction.column("k0", Query("keyed")), keys, "in order")
        for (label, key) in keys.enumerated() {
          context.expect(
            try transaction.value("label", of: Key(key), in: "keyed"),
            .integer(Int64(label)),
            key.exactText
          )
        }
        try transaction.delete("a\u{0}", from: "keyed")
        context.expect(try transaction.count("keyed"), 5, "after deleting one")
      }
    },
    ConformanceCase(
      "records.deleteMissing",
      "Deleting what is not there says so, and changes nothing."
    ) { context in
      let store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1, 3]) }
      try await store.write { transaction in
        for id in [0, 2, 4, .integer(.min), .integer(.max)] as [Value] {
          context.expect(try transaction.delete(Key(id), from: "item"), false, id.exactText)
        }
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1, 3], "ids")
    },
    ConformanceCase(
      "records.collectionsWithPrefixNames",
      "Collections whose names begin alike are apart."
    ) { context in
      let names = ["a", "aa", "a a", "a/", "a\u{1F600}", "a1", "a10", "a-"]
      var store = try context.open()
      try await store.write { transaction in
        for (number, name) in names.enumerated() {
          try transaction.createCollection(Shapes.item(name))
          try transaction.insertItems([number], into: name)
        }
        for name in names.dropFirst(5) { try transaction.deleteAll(in: name) }
      }
      store = try context.reopen(store)
      for (number, name) in names.enumerated() {
        let ids = try await store.read { try $0.ids(Query(name)) }
        context.expect(ids, number < 5 ? [.integer(Int64(number))] : [], name)
      }
    },
    ConformanceCase("query.countMatchesFetch", "Counting gives the number of records that match.") {
      context in
      let store = try await QueryCases.open(context)
      var generator = context.generator()
      for _ in 0..<60 {
        let filter = QueryCases.randomFilter(&generator, depth: 2)
        let (count, fetched) = try await store.read { transaction in
          (
            try transaction.count("item", where: filter),
            try transaction.fetch(Query("item", where: filter)).count
          )
        }
        context.expect(count, fetched, filter.text)
      }
    },
    ConformanceCase("sort.offsetPastEnd", "An offset past the end gives nothing, and no error.") {
      context in
      let store = try await QueryCases.open(context)
      for sort in [[], [Sort.ascending("rank")], [.descending("name")]] {
        for offset in [200, 201, 100_000, .max] {
          for limit in [nil, 1, .max] {
            let ids = try await store.read {
              try $0.ids(Query("item", sort: sort, limit: limit, offset: offset))
            }
            context.expect(ids, [], "\(sort), offset \(offset), limit \(limit.exactText)")
          }
        }
        let last = try await store.read {
          try $0.ids(Query("item", sort: sort, limit: 5, offset: 199))
        }
        context.expect(
          last,
          Array(Oracle.ids(QueryCases.records, sort: sort).suffix(1)),
          "\(sort), the last"
        )
      }
    },
    ConformanceCase(
      "paging.cursorOnAnotherBackend",
      "A token goes on over the same records on another backend, both ways."
    ) { context in
      let store = try await QueryCases.open(context)
      let other = Store(try KeyValueStorage(MemoryEngine(), options: ConformanceContext.quick))
      try await other.write { transaction in
        try transaction.createCollection(Shapes.item(indexes: QueryCases.indexes))
        for record in QueryCases.records { try transaction.insert(record, into: "item") }
      }
      for sort in [[Sort.ascending("name")], [.descending("score"), .ascending("rank")], []] {
        let expected = Oracle.ids(QueryCases.records, sort: sort)
        var ids: [Value] = []
        var query = Query("item", sort: sort, limit: 30)
        repeat {
          let current = query
          let page = try await [store, other][ids.count / 30 % 2].read {
            try $0.page(current) as Page<Record>
          }
          ids += page.elements.map { $0["id"] ?? .null }
          query.after = page.next
        } while query.after != nil && ids.count < 1000
        context.expect(ids, expected, "\(sort), pages from two backends in turn")
      }
      try other.close()
    },
    ConformanceCase(
      "persistence.allValues",
      "Every value of every type is the same after reopening."
    ) { context in
      var store = try context.open()
      try await store.write { transaction in
        for type in FieldType.allCases {
          try transaction.createCollection(Shapes.single(type, type.rawValue))
          for (id, value) in (Pools.values(of: type) + [.null]).enumerated() {
            try transaction.put(["id": .integer(Int64(id)), "value": value], in: type.rawValue)
          }
        }
      }
      for round in 1...2 {
        store = try context.reopen(store)
        for type in FieldType.allCases {
          let got = try await store.read { try $0.column("value", Query(type.rawValue)) }
          context.expect(got, Pools.values(of: type) + [.null], "\(type), round \(round)")
        }
      }
    },
    ConformanceCase(
      "persistence.emptyTransaction",
      "A transaction that writes nothing leaves records and schema as they were."
    ) { context in
      var store = try await context.open(creating: Shapes.item())
      try await store.write { try $0.insertItems([1]) }
      let before = try await store.read { try $0.catalog.schemaVersion }
      for _ in 0..<3 {
        try await store.write { _ in }
        try await store.write { transaction in
          try transaction.savepoint {}
          _ = try transaction.delete(9, from: "item")
        }
        store = try context.reopen(store)
      }
      context.expect(try await store.read { try $0.ids(Query("item")) }, [1], "ids")
      context.expect(try await store.read { try $0.catalog.schemaVersion }, before, "version")
    },
  ]
}
