import Foundation
import Holdfast
import Testing

@Suite struct RecordsPreferencesTests {
  @Test func `A preference has its default until it is set, and again when it is removed`() throws {
    let preferences = Preferences(try memoryStore())
    let size = PreferenceKey("size", default: 12)
    #expect(try preferences.get(size) == 12)
    #expect(try preferences.remove(size) == false)
    try preferences.set(size, to: 14)
    #expect(try preferences.get(size) == 14)
    #expect(try preferences.remove(size))
    #expect(try preferences.get(size) == 12)
  }

  @Test func `Values of any coded type are kept`() async throws {
    let preferences = Preferences(try memoryStore())
    let address = PreferenceKey<Address?>("address", default: nil)
    let value = Address(street: "南京西路; \"1\"", lines: [], since: .distantPast)
    try await preferences.set(address, to: value)
    #expect(try await preferences.get(address) == value)
    try await preferences.set(address, to: nil)
    #expect(try await preferences.get(address) == nil)
    let ratio = PreferenceKey("ratio", default: 0.5)
    try await preferences.set(ratio, to: .infinity)
    #expect(try await preferences.get(ratio) == .infinity)
    let error = await #expect(throws: StorageError.self) {
      try await preferences.set(ratio, to: .nan)
    }
    #expect(error?.code == .invalidValue)
  }

  @Test func `A value of another type is a typed error, not a default`() throws {
    let preferences = Preferences(try memoryStore())
    try preferences.set(PreferenceKey("x", default: ""), to: "text")
    let error = #expect(throws: StorageError.self) {
      try preferences.get(PreferenceKey("x", default: 1))
    }
    #expect(error?.code == .typeMismatch)
  }
}
