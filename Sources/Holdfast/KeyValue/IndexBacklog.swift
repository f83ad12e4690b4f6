/// Entries of one index that a write transaction has yet to store.
///
/// Entries that come in the index's order fill its pages one after the other, where those of records
/// in key order would go to and fro between all of them.
final class IndexBacklog {
  /// From how many bytes of entries on the backlog wants to be stored: what bounds its memory.
  static let limit = 4 << 20

  /// Where an entry is.
  private struct Place {
    /// The first sixteen bytes behind those that all entries begin with, the first of them the most
    /// significant, zeros behind a shorter entry; made for sorting.
    var start: (high: UInt64, low: UInt64) = (0, 0)
    var offset: UInt32
    var count: UInt32
  }

  private let bytes = ByteBuffer()
  private var places: [Place] = []
  private var isSorted = true
  /// How many bytes all entries begin with.
  private var commonCount = 0

  /// Whether there is nothing to store.
  var isEmpty: Bool { places.isEmpty }
  /// Whether it has grown to its limit.
  var isFull: Bool { bytes.count >= Self.limit }

  /// Adds the full bytes of an entry, which is not there yet.
  func append(_ entry: UnsafeRawBufferPointer) {
    let place = Place(offset: UInt32(bytes.count), count: UInt32(entry.count))
    bytes.append(entry)
    if isSorted, let last = places.last { isSorted = Bytes.compare(self.entry(last), entry) < 0 }
    if places.isEmpty { commonCount = entry.count }
    places.append(place)
    // All begin as the first does, which is at the start of the bytes.
    let limit = min(commonCount, entry.count)
    var count = 0
    while count < limit, bytes.bytes[count] == entry[count] { count += 1 }
    commonCount = count
  }

  /// Calls `body` with each entry in the order of their bytes, and empties the backlog.
  ///
  /// - Throws: what the body throws; the backlog is empty then, too.
  func drain(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {
    if !isSorted { sort() }
    defer { removeAll() }
    for place in places { try body(entry(place)) }
  }

  /// Forgets the entries.
  func removeAll() {
    bytes.removeAll()
    places.removeAll(keepingCapacity: places.count < 1024)
    isSorted = true
  }

  private func sort() {
    places.withUnsafeMutableBufferPointer { places in
      for index in places.indices { places[index].start = start(of: entry(places[index])) }
    }
    places.sort { left, right in
      if left.start != right.start { return left.start < right.start }
      return Bytes.compare(entry(left), entry(right)) < 0
    }
  }

  private func start(of entry: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
    (word(of: entry, at: commonCount), word(of: entry, at: commonCount + 8))
  }

  /// Eight bytes of an entry as a number, with zeros behind its end.
  @inline(__always)
  private func word(of entry: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
    if offset + 8 <= entry.count {
      return UInt64(bigEndian: entry.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    var word: UInt64 = 0
    for position in offset..<offset + 8 {
      word = word << 8 | (position < entry.count ? UInt64(entry[position]) : 0)
    }
    return word
  }

  private func entry(_ place: Place) -> UnsafeRawBufferPointer {
    let start = Int(place.offset)
    return UnsafeRawBufferPointer(rebasing: bytes.bytes[start..<start + Int(place.count)])
  }
}
