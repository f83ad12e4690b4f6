import Holdfast
import HoldfastBackends
import HoldfastServices
import Testing

@Suite struct StudentStoreTests {
  static let pairs = StorageURL.Scheme.allCases.flatMap { template in
    StorageURL.Scheme.allCases.map { (template, $0) }
  }

  @Test(arguments: pairs)
  func `A shipped store is copied on first use, whatever the backends`(
    template: StorageURL.Scheme,
    place: StorageURL.Scheme
  ) throws {
    let folder = try TemporaryFolder()
    let shipped = try folder.open(template, "template")
    let students = Repository<Student>(shipped)
    try students.insert(contentsOf: [
      Student(name: "张伟", age: 19), Student(id: 7, name: "O'Neil; --", age: 20),
    ])
    try shipped.close()

    let store = try folder.open(place, "place")
    let first = try StudentStore.open(
      template: { try folder.open(template, "template") },
      in: store
    )
    #expect(first.opening == .created)
    #expect(try first.insert(name: "new", age: 18).id == 8)
    #expect(errorCode { try first.insert(name: " ", age: 18) } == .invalidValue)
    #expect(errorCode { try first.insert(name: "x", age: -1) } == .invalidValue)
    try store.close()

    let again = try folder.open(place, "place")
    let second = try StudentStore.open(
      template: { throw StorageError(.cannotOpen, "the template is not needed again") },
      in: again
    )
    #expect(second.opening == .existed)
    #expect(try second.list().map(\.name) == ["张伟", "O'Neil; --", "new"])
    try again.close()
    let unchanged = try folder.open(template, "template")
    #expect(try Repository<Student>(unchanged).count() == 2)
    try unchanged.close()
  }

  @Test func `A template that cannot be opened leaves nothing behind`() async throws {
    let store = try Backends.open("memory:")
    let failing: @Sendable () throws -> Store = {
      throw StorageError(.cannotOpen, "there is no template")
    }
    let error = await #expect(throws: StorageError.self) {
      try await StudentStore.open(template: failing, in: store)
    }
    #expect(error?.code == .cannotOpen)
    #expect(try await store.read { try $0.catalog.collections.count } == 0)
  }
}
