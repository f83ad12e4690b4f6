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

  // No call leaves an access to these open while it calls out, so there is nothing to check.
  private let bytes = ByteBuffer()
  @exclusivity(unchecked) private var places: [Place] = []
  @exclusivity(unchecked) private var isSorted = true
  /// How many bytes all entries begin with.
  @exclusivity(unchecked) private var commonCount = 0

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
    let common = UnsafeRawBufferPointer(rebasing: bytes.bytes[..<commonCount])
    let start = UnsafeRawBufferPointer(rebasing: entry.prefix(commonCount))
    if Bytes.compare(common, start) != 0 {
      commonCount = zip(common, start).prefix { $0 == $1 }.count
    }
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

  /// Sorts by the sixteen bytes, a byte at a time from the last one that differs (Knuth, The Art of
  /// Computer Programming, volume 3, 5.2.5), then those that are equal in them as a whole.
  ///
  /// O(n) for each byte that differs.
  private func sort() {
    let first = start(of: entry(places[0]))
    var differing = (high: UInt64(0), low: UInt64(0))
    for index in places.indices {
      let start = start(of: entry(places[index]))
      places[index].start = start
      differing.high |= start.high ^ first.high
      differing.low |= start.low ^ first.low
    }
    var sorted = places
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing.low >> shift & 0xFF != 0 {
      Self.distribute(places, into: &sorted) { Int($0.low >> shift & 0xFF) }
      swap(&places, &sorted)
    }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing.high >> shift & 0xFF != 0 {
      Self.distribute(places, into: &sorted) { Int($0.high >> shift & 0xFF) }
      swap(&places, &sorted)
    }
    sortEqualStarts()
  }

  /// Puts places in the order of one byte, those with the same byte as they were.
  @inline(__always)
  private static func distribute(
    _ places: [Place],
    into sorted: inout [Place],
    _ byte: ((high: UInt64, low: UInt64)) -> Int
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 256) { next in
      next.initialize(repeating: 0)
      places.withUnsafeBufferPointer { places in
        for place in places { next[byte(place.start)] &+= 1 }
        var sum = 0
        for value in next.indices {
          let count = next[value]
          next[value] = sum
          sum &+= count
        }
        sorted.withUnsafeMutableBufferPointer { sorted in
          for place in places {
            let value = byte(place.start)
            sorted[next[value]] = place
            next[value] &+= 1
          }
        }
      }
    }
  }

  private func sortEqualStarts() {
    var begin = 0
    while begin < places.count {
      var end = begin + 1
      while end < places.count, places[end].start == places[begin].start { end += 1 }
      if end - begin > 1 {
        places[begin..<end].sort { Bytes.compare(entry($0), entry($1)) < 0 }
      }
      begin = end
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
