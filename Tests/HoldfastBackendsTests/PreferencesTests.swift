import Foundation
import Holdfast
import HoldfastBackends
import Testing

/// Typed settings on every backend: values, defaults, what is stored by others, and observation.
@Suite("Preferences on every backend")
struct PreferencesTests {
  private struct Window: Codable, Equatable, Sendable {
    var title: String
    var size: [Double]
    var opened: Date?
  }
  private static let size = PreferenceKey("size", default: 12)
  private static let window = PreferenceKey<Window?>("window", default: nil)
  private static let colour = PreferenceKey("colour", default: "blue")

  @Test("Values of any coded type are there after reopening", arguments: EveryBackend.schemes)
  func reopening(_ scheme: String) async throws {
    try await EveryBackend.withFolder(scheme) { open in
      let window = Window(title: "窓; \"1\"\u{0}", size: [0.1, .infinity], opened: .distantPast)
      for round in 0..<2 {
        let store = try open()
        let preferences = Preferences(store)
        if round == 0 {
          #expect(try await preferences.get(Self.size) == 12)
          #expect(try await preferences.get(Self.window) == nil)
          try await preferences.set(Self.size, to: 14)
          try await preferences.set(Self.window, to: window)
          try await preferences.set(Self.colour, to: "red")
          #expect(try await preferences.remove(Self.colour))
        }
        #expect(try await preferences.get(Self.size) == 14)
        #expect(try await preferences.get(Self.window) == window)
        #expect(try await preferences.get(Self.colour) == "blue")
        let nan = await #expect(throws: StorageError.self) {
          try await preferences.set(PreferenceKey("ratio", default: 0.5), to: .nan)
        }
        #expect(nan?.code == .invalidValue)
        try store.close()
      }
    }
  }

  @Test(
    "What others have stored is a typed error that holds no value",
    arguments: EveryBackend.schemes
  )
  func hostile(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let preferences = Preferences(store)
      let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
      try await preferences.set(Self.size, to: 1)
      for text in ["\"secret\"", "null", "{}", "1.5", "9223372036854775808", deep] {
        try await store.write {
          try $0.put(["name": "size", "value": .text(text)], in: Preferences.collectionName)
        }
        let error = await #expect(throws: StorageError.self) {
          try await preferences.get(Self.size)
        }
        #expect(error?.code == .typeMismatch, "\(text.prefix(20))")
        #expect(error?.message.contains("size") == true)
        #expect(error?.message.contains("secret") == false)
      }
      #expect(try await preferences.remove(Self.size))
      #expect(try await preferences.get(Self.size) == 12)
    }
  }

  @Test("A collection of that name with other fields is refused", arguments: EveryBackend.schemes)
  func otherCollection(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      try await store.write { transaction in
        let fields = [FieldDefinition("name", .text), FieldDefinition("value", .integer)]
        try transaction.createCollection(
          CollectionDefinition(Preferences.collectionName, fields: fields, key: ["name"])
        )
        try transaction.insert(["name": "size", "value": 4], into: Preferences.collectionName)
      }
      let preferences = Preferences(store)
      let reading = await #expect(throws: StorageError.self) {
        try await preferences.get(Self.size)
      }
      #expect(reading?.code == .corrupt)
      let writing = await #expect(throws: StorageError.self) {
        try await preferences.set(Self.size, to: 5)
      }
      #expect(writing?.code == .schemaMismatch)
    }
  }

  @Test("Observation gives the value of now, then what is set", arguments: EveryBackend.schemes)
  func observation(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let preferences = Preferences(store)
      var sizes = preferences.values(of: Self.size).makeAsyncIterator()
      #expect(try await sizes.next() == 12)
      try await preferences.set(Self.colour, to: "red")
      try await preferences.set(Self.size, to: 13)
      #expect(try await sizes.next() == 13)
      // The same again, another key and what was rolled back are silent.
      try await preferences.set(Self.size, to: 13)
      await #expect(throws: CocoaError.self) {
        try await store.write { transaction in
          try preferences.set(Self.size, to: 99, in: transaction)
          throw CocoaError(.userCancelled)
        }
      }
      for size in 14...20 { try await preferences.set(Self.size, to: size) }
      #expect(try await sizes.next() == 20)
      try await preferences.remove(Self.size)
      #expect(try await sizes.next() == 12)
      var later = preferences.values(of: Self.size).makeAsyncIterator()
      #expect(try await later.next() == 12)
      try store.close()
      #expect(try await sizes.next() == nil)
      #expect(try await later.next() == nil)
    }
  }

  @Test("An observer waits while the store is suspended", arguments: EveryBackend.schemes)
  func observationOfSuspended(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let preferences = Preferences(store)
      var sizes = preferences.values(of: Self.size).makeAsyncIterator()
      #expect(try await sizes.next() == 12)
      try await preferences.set(Self.size, to: 13)
      try store.suspend()
      let resuming = Task { try store.resume() }
      #expect(try await sizes.next() == 13)
      try await resuming.value
    }
  }

  @Test("An observer goes on after a value that it cannot read", arguments: EveryBackend.schemes)
  func observationOfHostileValues(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let preferences = Preferences(store)
      var sizes = preferences.values(of: Self.size).makeAsyncIterator()
      #expect(try await sizes.next() == 12)
      try await preferences.set(PreferenceKey("size", default: ""), to: "large")
      do {
        let size = try await sizes.next()
        Issue.record("got \(String(describing: size))")
      } catch let error as StorageError {
        #expect(error.code == .typeMismatch)
      }
      try await preferences.set(Self.size, to: 15)
      #expect(try await sizes.next() == 15)
    }
  }

  @Test(
    "Nothing arrives after cancellation, and every last value arrives",
    arguments: EveryBackend.schemes
  )
  func cancellation(_ scheme: String) async throws {
    try await EveryBackend.withStore(scheme) { store in
      let preferences = Preferences(store)
      let (seen, report) = AsyncStream.makeStream(of: Int.self)
      let observers = (0..<4).map { _ in
        Task {
          var last = -1
          for try await size in preferences.values(of: Self.size) {
            last = size
            report.yield(size)
            if size == 50 { break }
          }
          return last
        }
      }
      let cancelled = Task {
        var count = 0
        for try await _ in preferences.values(of: Self.size) {
          count += 1
          withUnsafeCurrentTask { $0?.cancel() }
        }
        return count
      }
      #expect(try await cancelled.value == 1)
      var first = seen.makeAsyncIterator()
      #expect(await first.next() == 12)
      for size in 13...50 { try await preferences.set(Self.size, to: size) }
      for observer in observers { #expect(try await observer.value == 50) }
    }
  }
}
