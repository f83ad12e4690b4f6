import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// Properties of every kind, as every backend keeps them.
@Suite("Models of every kind")
struct ModelsTests {
  enum Color: String, Codable, CaseIterable { case red, green = "grün" }
  enum Grade: Int, Codable { case low = -3, high = 9 }
  enum Figure: Codable, Hashable {
    case circle(radius: Double)
    case point
  }
  struct Price: Codable, Hashable {
    var amount: Decimal
    var currency: String
    enum CodingKeys: String, CodingKey {
      case amount = "value"
      case currency
    }
  }
  struct Address: Codable, Hashable {
    var city: String
    var since: Date?
    var code: UUID?
    var price: Price?
  }

  struct Thing: Model, Equatable {
    var id: Int64?
    var flag = true
    var small: Int8 = -8
    var wide: UInt64 = 1 << 62
    var real = 0.1
    var float: Float = 0.5
    var text = "é\u{0}🧑‍🚀"
    var date = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
    var data = Data([0, 255])
    var bytes: [UInt8] = [1, 2]
    var uuid = UUID()
    var url = URL(string: "https://a.test/?q=%20#f")
    var decimal = Decimal(string: "12345678901234567890.000000001") ?? 0
    var duration = Duration.nanoseconds(-1)
    var color = Color.green
    var grade = Grade.low
    var figure = Figure.circle(radius: .infinity)
    var address = Address(city: "Oslo")
    var tags = ["a", "ä"]
    var scores = ["x": 1]
    var byNumber = [7: Date(timeIntervalSinceReferenceDate: 0.5)]
    var byID: [UUID: Data] = [:]
    var prices: [Price] = []
    var matrix: [[Double?]] = [[1.5, nil], []]
    var maybeFlag: Bool?
    var maybeSmall: Int8?
    var maybeReal: Double?
    var maybeText: String?
    var maybeDate: Date?
    var maybeData: Data?
    var maybeUUID: UUID?
    var maybeURL: URL?
    var maybeDecimal: Decimal?
    var maybeDuration: Duration?
    var maybeColor: Color?
    var maybeFigure: Figure?
    var maybeAddress: Address?
    var maybeTags: [String]?
    var createdAt = Date(timeIntervalSinceReferenceDate: 1)

    enum CodingKeys: String, CodingKey {
      case id, flag, small, wide, real, float, text, date, data, bytes, uuid, url, decimal, duration
      case color, grade, figure, address, tags, scores, byNumber, byID, prices, matrix, maybeFlag
      case maybeSmall, maybeReal, maybeText, maybeDate, maybeData, maybeUUID, maybeURL, maybeDecimal
      case maybeDuration, maybeColor, maybeFigure, maybeAddress, maybeTags
      case createdAt = "created at"
    }
    static let schema = Schema<Thing>("thing", key: \.id) {
      Index(\.createdAt, \.color)
      Unique(\.uuid)
    }
  }

  /// All optional properties given.
  private static var full: Thing {
    var thing = Thing()
    thing.byID = [UUID(): Data([3]), UUID(): Data()]
    thing.prices = [Price(amount: Decimal(string: "0.12345678901234567891") ?? 0, currency: "NOK")]
    thing.maybeFlag = false
    thing.maybeSmall = 0
    thing.maybeReal = -.infinity
    thing.maybeText = ""
    thing.maybeDate = .distantPast
    thing.maybeData = Data()
    thing.maybeUUID = UUID()
    thing.maybeURL = URL(string: "file:///a%20b")
    thing.maybeDecimal = Decimal(string: "-0.00000000000000000000000000001")
    thing.maybeDuration = .seconds(90)
    thing.maybeColor = .red
    thing.maybeFigure = .point
    thing.maybeAddress = Address(
      city: "",
      since: .distantFuture,
      code: UUID(),
      price: Price(
        amount: Decimal(string: "123456789012345678901234567890.12345678") ?? 0,
        currency: "€"
      )
    )
    thing.maybeTags = []
    return thing
  }

  @Test("Every kind of property comes back equal, given or not", arguments: EveryBackend.schemes)
  func roundTrip(_ scheme: String) async throws {
    try await EveryBackend.withFolder(scheme) { open in
      var store = try open()
      let inserted = try await Repository<Thing>(store).insert(
        contentsOf: [Thing(), Self.full, Thing(address: Address(city: "Rome"))]
      )
      #expect(inserted.map(\.id) == [1, 2, 3])
      #expect(try await store.verify().filter(\.isFault).map(\.message) == [])
      if store.capabilities.isPersistent {
        try store.close()
        store = try open()
      }
      let things = Repository<Thing>(store)
      #expect(try await things.fetch() == inserted)
      let digits = try await things.get(2)?.maybeAddress?.price?.amount
      #expect(digits?.description == "123456789012345678901234567890.12345678")
      try store.close()
    }
  }

  @Test("Every kind of property is queried", arguments: EveryBackend.schemes)
  func querying(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let things = Repository<Thing>(store)
      let full = try await things.insert(contentsOf: [Thing(), Self.full])[1]
      func ids(_ predicate: Predicate<Thing>) async throws -> [Int64?] {
        try await things.fetch(where: predicate).map(\.id)
      }
      let (uuid, date, data, url) = (full.uuid, full.createdAt, Data(), full.maybeURL)
      let (red, low, decimal) = (Color.red, Grade.low, full.decimal)
      #expect(try await ids(#Predicate { $0.uuid == uuid }) == [2])
      #expect(try await ids(#Predicate { $0.createdAt <= date }) == [1, 2])
      #expect(try await ids(#Predicate { $0.maybeData == data }) == [2])
      #expect(try await ids(#Predicate { $0.maybeURL == url }) == [2])
      #expect(try await ids(#Predicate { $0.maybeColor == red }) == [2])
      #expect(try await ids(#Predicate { $0.grade == low }) == [1, 2])
      #expect(try await ids(#Predicate { $0.decimal == decimal }) == [1, 2])
      #expect(try await ids(#Predicate { $0.maybeTags == nil }) == [1])
      #expect(try await ids(#Predicate { $0.address.city == "Oslo" }) == [1, 2])
      #expect(try await ids(#Predicate { $0.maybeAddress?.price?.currency == "€" }) == [2])
      #expect(try await ids(#Predicate { $0.maybeFlag == false }) == [2])
      #expect(try await ids(#Predicate { $0.tags.contains("ä") }) == [1, 2])
      let sorted = try await things.fetch(sort: [.descending(\.createdAt), .ascending(\.maybeText)])
      #expect(sorted.map(\.id) == [1, 2])
    }
  }

  // MARK: Keys

  struct WrappedID: RawRepresentable, Codable, Hashable, KeyConvertible { var rawValue: Int64 }
  struct Code: Codable, Hashable, KeyConvertible {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
  struct ByID<ID: Codable & Hashable & Sendable>: Model, Equatable {
    var id: ID
    var note: String
    static var schema: Schema<ByID> { Schema("by_id", key: \.id) }
  }
  struct Constant: Model, Equatable {
    let id: Int32?
    var note: String
    init(id: Int32? = nil, note: String) {
      self.id = id
      self.note = note
    }
  }
  struct Composite: Model, Equatable {
    var color: ColorKey
    var code: Code
    var at: Date
    var note: String
    enum ColorKey: String, Codable, KeyConvertible { case red, green }
    static let schema = Schema<Composite>("composite", key: \.color, \.code, \.at)
  }

  private func check<ID: KeyConvertible & Codable & Hashable>(_ scheme: String, _ ids: [ID])
    async throws
  {
    try await EveryBackend.withStore(scheme) { store in
      let records = Repository<ByID<ID>>(store)
      for id in ids.reversed() {
        let given = ByID(id: id, note: "\(id)")
        #expect(try await records.insert(given) == given)
      }
      #expect(try await records.fetch().map(\.id) == ids, "in key order")
      #expect(try await records.get(ids).map { $0?.id } == ids)
      let twice = await storageError { try await records.insert(ByID(id: ids[0], note: "")) }
      #expect(twice?.code == .duplicateKey)
      try await records.update(ByID(id: ids[0], note: "new"))
      try await records.put(ByID(id: ids[1], note: "newer"))
      #expect(try await records.get(ids[0])?.note == "new")
      #expect(try await records.delete(ids[0]))
      #expect(try await records.get(ids[0]) == nil)
      #expect(try records.key(of: ByID(id: ids[1], note: "")) == ids[1].storedKey())
    }
  }

  @Test("Keys of every type", arguments: EveryBackend.schemes)
  func keys(_ scheme: String) async throws {
    try await check(scheme, [Int64.min, -1, 0, Int64.max])
    try await check(scheme, [Int.min, 3])
    try await check(scheme, [Int8.min, 3])
    try await check(scheme, [UInt32(3), .max])
    try await check(scheme, [UInt64(3), 1 << 62])
    try await check(scheme, ["", "a", "a\u{0}", "ä"])
    try await check(scheme, [UUID(), UUID(), UUID()].sorted { $0.uuidString < $1.uuidString })
    try await check(scheme, [Data(), Data([0]), Data([0, 1]), Data([255])])
    try await check(scheme, [Date.distantPast, Date(timeIntervalSinceReferenceDate: 0.25)])
    try await check(scheme, [WrappedID(rawValue: -4), WrappedID(rawValue: 9)])
    try await check(scheme, [Code("a"), Code("b")])
    try await check(scheme, [Composite.ColorKey.green, .red])
  }

  @Test("Automatic keys come back with the model", arguments: EveryBackend.schemes)
  func automatic(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let wide = Repository<ByID<Int64?>>(store)
      let first = try await wide.insert(ByID(id: nil, note: "a"))
      #expect(first.id == 1)
      #expect(try await wide.get(first.id)?.note == "a")
      let error = await #expect(throws: StorageError.self) { try await wide.get(Int64?.none) }
      #expect(error?.code == .invalidValue)
      #expect(try await wide.insert(ByID(id: 7, note: "b")).id == 7)
      #expect(try await wide.put(ByID(id: nil, note: "c")).id == 8)
      #expect(try await wide.delete(8))
      #expect(try await wide.insert(contentsOf: [ByID(id: nil, note: "d")]).map(\.id) == [9])
      let constants = Repository<Constant>(store)
      #expect(try await constants.insert(Constant(note: "x")) == Constant(id: 1, note: "x"))
    }
    try await EveryBackend.withStore(scheme) { store in
      let wrapped = Repository<ByID<WrappedID?>>(store)
      let first = try await wrapped.insert(ByID(id: nil, note: "a"))
      #expect(first.id == WrappedID(rawValue: 1))
      #expect(try await wrapped.get(WrappedID(rawValue: 1))?.note == "a")
    }
  }

  @Test("Composite keys of wrapped parts", arguments: EveryBackend.schemes)
  func composite(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let records = Repository<Composite>(store)
      let noon = Date(timeIntervalSinceReferenceDate: 43_200)
      let all = ["a", "b"].flatMap { code in
        [Composite.ColorKey.green, .red].map {
          Composite(color: $0, code: Code(code), at: noon, note: "\($0) \(code)")
        }
      }
      try await records.insert(contentsOf: all)
      #expect(
        try await records.fetch().map(\.note) == ["green a", "green b", "red a", "red b"]
      )
      let key = try Key(parts: Composite.ColorKey.red, Code("a"), noon)
      #expect(try await records.get(key)?.note == "red a")
      #expect(try records.key(of: all[1]) == key)
      let short = await storageError { _ = try await records.get(Code("a")) }
      #expect(short?.code == .typeMismatch)
    }
  }

  // MARK: Models that refuse made-up values

  struct Email: Codable, Hashable {
    var text: String
    init(_ text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      text = try container.decode(String.self)
      if !text.contains("@") {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no address")
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
  struct Account: Model, Equatable {
    var id: Int64?
    var email: Email
  }
  struct Range: Model, Equatable {
    var id: Int64?
    var low: Int
    var high: Int
    enum CodingKeys: String, CodingKey { case id, low, high }
    init(low: Int, high: Int) {
      self.low = low
      self.high = high
    }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      id = try container.decodeIfPresent(Int64.self, forKey: .id)
      low = try container.decode(Int.self, forKey: .low)
      high = try container.decode(Int.self, forKey: .high)
      if low >= high {
        throw DecodingError.dataCorruptedError(
          forKey: .low,
          in: container,
          debugDescription: "empty"
        )
      }
    }
  }
  struct GoodAccount: Model, Equatable {
    var id: Int64?
    var email: Email
    static let schema = Schema<GoodAccount>(
      "account",
      samples: [GoodAccount(id: 1, email: Email("a@b"))]
    )
  }

  @Test(
    "A model that refuses made-up values says so, and takes samples",
    arguments: EveryBackend.schemes
  )
  func samples(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let account = await storageError {
        try await Repository<Account>(store).insert(Account(email: Email("a@b")))
      }
      #expect(account?.code == .invalidSchema)
      #expect(account?.message.contains("property email of Account") == true)
      let line = #"static let schema = Schema<Account>("account", samples: [Account(…)])"#
      #expect(account?.message.contains(line) == true)
      let range = await storageError {
        try await Repository<Range>(store).insert(Range(low: 1, high: 2))
      }
      #expect(range?.code == .invalidSchema)
      #expect(range?.message.contains("property low of Range") == true)
      let accounts = Repository<GoodAccount>(store)
      let inserted = try await accounts.insert(GoodAccount(email: Email("x@y")))
      #expect(try await accounts.fetch() == [inserted] && inserted.id == 1)
    }
  }
}
