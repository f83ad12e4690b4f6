/// Models on their way from rows to an array.
///
/// In code that is generic over the model, each `append` to an array looks the array's type up at run
/// time, and so would each call of this one's methods; inlined, they need the model's type alone, which
/// is at hand.
struct ModelBuffer<M: Decodable>: ~Copyable {
  private var memory: UnsafeMutablePointer<M>
  private var capacity: Int
  private(set) var count = 0

  /// Makes room for some models, of the number that will come at most.
  @inline(__always)
  init(limit: Int?) {
    capacity = min(max(limit ?? 64, 1), 64)
    memory = .allocate(capacity: capacity)
  }

  deinit {
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  /// Appends the model that a row holds.
  ///
  /// - Throws: as `RowDecoder.decode(_:from:)`.
  @inline(__always)
  mutating func append(_ row: RowView, _ decoder: RowDecoder) throws {
    if count == capacity { grow() }
    try decoder.decode(M.self, from: row, into: memory + count)
    count += 1
  }

  @inline(__always)
  private mutating func grow() {
    capacity *= 2
    let larger = UnsafeMutablePointer<M>.allocate(capacity: capacity)
    larger.moveInitialize(from: memory, count: count)
    memory.deallocate()
    memory = larger
  }

  /// The models, which are no longer here.
  @inline(__always)
  mutating func takeAll() -> [M] {
    let models = [M](unsafeUninitializedCapacity: count) { array, initialized in
      array.baseAddress?.moveInitialize(from: memory, count: count)
      initialized = count
    }
    count = 0
    return models
  }
}
