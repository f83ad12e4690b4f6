/// Entries of one index that a write transaction has yet to store.
///
/// Entries that come in the index's order fill its pages one after the other, where those of records
/// in key order would go to and fro between all of them.
final class IndexBacklog {
  /// From how many bytes of entries on the backlog wants to be stored: what bounds its memory.
  static let limit = 4 << 20

  /// Where an entry is.
  private struct Place {
    /// The first eight bytes, the first of them the most significant, zeros behind a shorter entry.
    var start: UInt64
    var offset: Int
    var count: Int
  }

  private let bytes = ByteBuffer()
  private var places: [Place] = []
  private var isSorted = true

  /// Whether there is nothing to store.
  var isEmpty: Bool { places.isEmpty }
  /// Whether it has grown to its limit.
  var isFull: Bool { bytes.count >= Self.limit }

  /// Adds the full bytes of an entry, which is not there yet.
  func append(_ entry: UnsafeRawBufferPointer) {
    var start: UInt64 = 0
    withUnsafeMutableBytes(of: &start) { start in
      start.copyMemory(from: UnsafeRawBufferPointer(rebasing: entry[..<min(8, entry.count)]))
    }
    let place = Place(start: start.bigEndian, offset: bytes.count, count: entry.count)
    bytes.append(entry)
    if isSorted, let last = places.last { isSorted = precedes(last, place) }
    places.append(place)
  }

  /// Calls `body` with each entry in the order of their bytes, and empties the backlog.
  ///
  /// - Throws: what the body throws; the backlog is empty then, too.
  func drain(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {
    if !isSorted { places.sort(by: precedes) }
    defer { removeAll() }
    for place in places { try body(entry(place)) }
  }

  /// Forgets the entries.
  func removeAll() {
    bytes.removeAll()
    places.removeAll(keepingCapacity: places.count < 1024)
    isSorted = true
  }

  private func entry(_ place: Place) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes.bytes[place.offset..<place.offset + place.count])
  }

  @inline(__always)
  private func precedes(_ left: Place, _ right: Place) -> Bool {
    if left.start != right.start { return left.start < right.start }
    return Bytes.compare(entry(left), entry(right)) < 0
  }
}
