import Foundation
import Holdfast
import HoldfastBackends
import Observation
import Synchronization
import Testing

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

@Suite("Observing models")
struct ObservationTests {
  struct Author: Model, Equatable {
    var id: UUID
    var name: String
  }
  struct Post: Model, Equatable {
    var id: Int64?
    var author: UUID
    var text: String
    static let schema = Schema<Post>("post", key: \.id) {
      Reference(\.author, to: Author.self, onDelete: .cascade)
    }
  }
  struct Seat: Model {
    var hall: String
    var number: Int
    static let schema = Schema<Seat>("seat", key: \.hall, \.number)
  }
  /// What the probe writes.
  struct Event: Model, Equatable {
    var id: Int64?
    var user: Int
    var at: Date
    var text: String
    static let schema = Schema<Event>("event", key: \.id) { Index(\.user, \.id) }
  }

  private let ada = Author(id: UUID(), name: "ada")

  @Test("Changes come with typed keys, of cascades too", arguments: EveryBackend.schemes)
  func changes(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let (authors, posts) = (Repository<Author>(store), Repository<Post>(store))
      try await store.prepare(Author.self, Post.self)
      var people = authors.changes().makeAsyncIterator()
      var writings = posts.changes().makeAsyncIterator()
      try await store.write { transaction in
        try authors.insert(ada, in: transaction)
        let new = (1...3).map { Post(author: ada.id, text: "\($0)") }
        try posts.insert(contentsOf: new, in: transaction)
        try posts.delete(2, in: transaction)
      }
      try await posts.update(Post(id: 3, author: ada.id, text: "new"))
      try await authors.delete(ada.id)
      #expect(try await people.next()?.inserted(as: UUID.self) == [ada.id])
      #expect(try await people.next()?.deleted(as: UUID.self) == [ada.id])
      let inserted = try await writings.next()
      #expect(inserted?.isComplete == true && inserted?.commits == 1)
      #expect(try inserted?.inserted(as: Int64.self) == [1, 3])
      #expect(try await posts.get(inserted?.inserted ?? []).map { $0?.id } == [nil, nil])
      #expect(try await writings.next()?.updated(as: Int.self) == [3])
      let cascade = try await writings.next()
      #expect(try cascade?.deleted(as: Int64.self) == [1, 3])
      #expect(throws: StorageError.self) { try cascade?.deleted(as: String.self) }
    }
  }

  @Test("More keys than an event names are told as one change", arguments: EveryBackend.schemes)
  func collapsed(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let seats = Repository<Seat>(store)
      try await store.prepare(Seat.self)
      var changes = seats.changes().makeAsyncIterator()
      try await seats.insert(contentsOf: (0...10_000).map { Seat(hall: "a", number: $0) })
      try await seats.insert(Seat(hall: "b", number: 1))
      let all = try await changes.next()
      #expect(all?.isComplete == false && all?.inserted == [])
      let one = try await changes.next()
      #expect(one?.inserted == [["b", 1]])
      #expect(throws: StorageError.self) { try one?.inserted(as: String.self) }
    }
  }

  @Test("A query gives its result, and again after each commit", arguments: EveryBackend.schemes)
  func query(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let authors = Repository<Author>(store)
      let names = ["a", "b", "c", "d"]
      var results = authors.observe(
        where: #Predicate { $0.name > "a" },
        sort: [.descending(\.name)],
        limit: 2
      ).makeAsyncIterator()
      func next() async throws -> [String]? { try await results.next()?.map(\.name) }
      // Not even the collection is there yet.
      #expect(try await next() == [])
      for name in names { try await authors.insert(Author(id: UUID(), name: name)) }
      // Four commits are heard of as one.
      #expect(try await next() == ["d", "c"])
      try await authors.deleteAll(where: .equal("name", "c"))
      #expect(try await next() == ["d", "b"])
      // Others' collections and what is undone are silent.
      try await Repository<Seat>(store).insert(Seat(hall: "a", number: 1))
      struct Undone: Error {}
      await #expect(throws: Undone.self) {
        try await store.write { transaction in
          try authors.insert(Author(id: UUID(), name: "x"), in: transaction)
          throw Undone()
        }
      }
      try await authors.insert(Author(id: UUID(), name: "e"))
      #expect(try await next() == ["e", "d"])
      try store.close()
      #expect(try await next() == nil)
    }
  }

  @Test("No commit goes unseen between results", arguments: EveryBackend.schemes)
  func noGap(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let seats = Repository<Seat>(store)
      let count = 200
      let writer = Task {
        for number in 1...count { try await seats.insert(Seat(hall: "a", number: number)) }
      }
      var seen: [Int] = []
      for try await number in store.observe(in: "seat", reading: { try seats.count(in: $0) }) {
        seen.append(number)
        if number == count { break }
      }
      try await writer.value
      #expect(seen == seen.sorted() && seen.count <= count + 1)
    }
  }

  @Test("Cancelling ends it, and an error does", arguments: EveryBackend.schemes)
  func ending(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let seats = Repository<Seat>(store)
      try await store.prepare(Seat.self)
      let (started, starting) = AsyncStream<Void>.makeStream()
      let task = Task {
        var count = 0
        for try await _ in seats.observe() {
          count += 1
          starting.yield()
        }
        return count
      }
      for await _ in started { break }
      task.cancel()
      #expect(try await task.value == 1)
      var failing = seats.observe(where: .equal("nothing", 1)).makeAsyncIterator()
      let error = await storageError { _ = try await failing.next() }
      #expect(error?.code == .unknownField)
    }
  }

  @Test("A suspended store is waited for", arguments: EveryBackend.schemes)
  func suspended(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let seats = Repository<Seat>(store)
      try await seats.insert(Seat(hall: "a", number: 1))
      var counts = store.observe(in: "seat") { try seats.count(in: $0) }.makeAsyncIterator()
      try store.suspend()
      let resuming = Task { try store.resume() }
      #expect(try await counts.next() == 1)
      try await resuming.value
    }
  }

  @Test("Results for the user interface follow the store", arguments: EveryBackend.schemes)
  func observable(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in try await follow(store) }
  }

  @MainActor
  private func follow(_ store: Store) async throws {
    let authors = Repository<Author>(store)
    try await authors.insert(ada)
    var results: ObservedResults<Author>? = ObservedResults(
      authors.observe(sort: [.ascending(\.name)])
    )
    weak let weakly = results
    try await Self.wait { results?.isLoaded }
    #expect(results?.elements == [ada])
    let bob = Author(id: UUID(), name: "bob")
    try await authors.insert(bob)
    try await Self.wait { results?.elements.count == 2 }
    #expect(results?.elements == [ada, bob] && results?.error == nil)
    results = nil
    #expect(weakly == nil)
    let failed = ObservedResults(authors.observe(where: .equal("nothing", 1)))
    try await Self.wait { failed.error != nil }
    #expect((failed.error as? StorageError)?.code == .unknownField)
  }

  /// Waits until something observable is true.
  @MainActor
  private static func wait(_ condition: @MainActor () -> Bool?) async throws {
    while condition() == false {
      let (changes, continuation) = AsyncStream<Void>.makeStream()
      let isTrue = withObservationTracking {
        condition() != false
      } onChange: {
        continuation.yield()
      }
      if isTrue { return }
      for await _ in changes { break }
    }
  }

  @Test(
    "Commits of another process arrive within 200 ms of their end",
    arguments: ["sqlite", "lmdb", "json", "plist"]
  )
  func otherProcess(_ scheme: String) async throws {
    let name = UUID().uuidString
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = "\(scheme):\(folder.path)/store"
    let store = try Backends.open(url)
    #expect(store.capabilities.noticesExternalChanges)
    let events = Repository<Event>(store)
    try await store.prepare(Event.self)
    var changes = events.changes().makeAsyncIterator()
    var results = events.observe(limit: 100).makeAsyncIterator()
    #expect(try await results.next()?.count == 0)

    let process = Process()
    process.executableURL = try probe()
    process.arguments = ["answers", url, "0"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    var delays: [UInt64] = []
    for round in 1...9 {
      try input.fileHandleForWriting.write(contentsOf: Data("go\n".utf8))
      let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      let committed = try #require(UInt64(line.trimmingCharacters(in: .newlines)))
      let change = try await changes.next()
      let now = try uptime()
      delays.append(now > committed ? now - committed : 0)
      #expect(change?.isComplete == false && change?.commits == 0)
      #expect(try await results.next()?.count == round)
    }
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    let median = delays.sorted()[delays.count / 2]
    #expect(median <= 200_000_000, "\(delays)")
    try store.close()
  }
}

/// The time since the machine began to run, in nanoseconds; the same for all processes.
private func uptime() throws -> UInt64 {
  var time = timespec()
  try #require(clock_gettime(CLOCK_MONOTONIC, &time) == 0)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
