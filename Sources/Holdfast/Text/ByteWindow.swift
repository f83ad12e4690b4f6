import Foundation

/// The part of an input that a reader can see: from the start of the current token onwards.
///
/// Positions are offsets into the window. ``more()`` moves the window forward to `start`.
struct ByteWindow: ~Copyable {
  /// The first byte that is kept; readers put it at the start of the current token.
  var start = 0
  /// The next byte to read.
  var position = 0
  /// The number of bytes in the window.
  private(set) var end: Int
  /// The bytes; at least ``end`` of them.
  private(set) var base: UnsafePointer<UInt8>

  /// How many bytes went out of the window, and what they held.
  private(set) var discarded = 0
  private var discardedLines = 0
  private var lineStart = 0

  private let owned: Bool
  private var capacity: Int
  private var isAtEnd: Bool
  private let chunkSize: Int
  private let refill: ByteSource.Refill?
  private let maximumTokenLength: Int

  init(_ source: ByteSource, maximumTokenLength: Int) {
    self.maximumTokenLength = maximumTokenLength
    refill = source.refill
    chunkSize = source.chunkSize
    if source.refill == nil, let memory = source.memory.baseAddress {
      base = memory.assumingMemoryBound(to: UInt8.self)
      end = source.memory.count
      capacity = 0
      owned = false
      isAtEnd = true
    } else {
      capacity = max(source.chunkSize, 16)
      base = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: capacity))
      end = 0
      owned = true
      isAtEnd = source.refill == nil
    }
  }

  deinit {
    if owned { base.deallocate() }
  }

  /// Brings at least one more byte into the window; false at the end of the input.
  ///
  /// - Throws: what the source throws; ``StorageError/Code/malformedInput`` for a token that is
  ///   longer than allowed.
  mutating func more() throws(StorageError) -> Bool {
    guard !isAtEnd, let refill else { return false }
    let kept = end - start
    guard kept < maximumTokenLength else {
      throw StorageError(
        .malformedInput,
        "a value at \(place(start)) is longer than \(maximumTokenLength) bytes; shorten it"
      )
    }
    noteDiscarded(upTo: start)
    var wanted = max(kept + chunkSize, 16)
    if wanted > capacity { wanted = max(wanted, kept * 2) }
    if wanted > capacity || (capacity > 1 << 20 && wanted * 4 < capacity) {
      let fresh = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
      fresh.update(from: base + start, count: kept)
      base.deallocate()
      base = UnsafePointer(fresh)
      capacity = wanted
    } else if start > 0 {
      memmove(UnsafeMutablePointer(mutating: base), base + start, kept)
    }
    position -= start
    start = 0
    end = kept
    let room = UnsafeMutableRawBufferPointer(
      start: UnsafeMutablePointer(mutating: base) + kept,
      count: min(chunkSize, capacity - kept)
    )
    let count = try refill(room)
    precondition(count >= 0 && count <= room.count, "a refill stays inside its buffer")
    end += count
    isAtEnd = count == 0
    return count > 0
  }

  /// The line and column of a position in the window, both from 1, and the byte's offset.
  func location(_ position: Int) -> (line: Int, column: Int, offset: Int) {
    var line = discardedLines
    var lineBegin = lineStart
    for index in 0..<min(position, end) where base[index] == 0x0A {
      line += 1
      lineBegin = discarded + index + 1
    }
    return (line + 1, discarded + position - lineBegin + 1, discarded + position)
  }

  /// A position as errors give it.
  func place(_ position: Int) -> String {
    let (line, column, offset) = location(position)
    return "line \(line), column \(column) (byte \(offset))"
  }

  private mutating func noteDiscarded(upTo count: Int) {
    for index in 0..<count where base[index] == 0x0A {
      discardedLines += 1
      lineStart = discarded + index + 1
    }
    discarded += count
  }
}
