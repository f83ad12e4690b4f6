import Foundation

/// The names seen so far in the objects that are open, to find repeated ones.
///
/// Objects of few names compare hashes in a row; larger ones use a set, so that no input makes the
/// check slow.
struct JSONKeys: ~Copyable {
  private struct Entry {
    var hash: UInt64
    var start: Int
    var count: Int
  }
  private struct Frame {
    var firstEntry: Int
    var firstByte: Int
    var names: Set<[UInt8]>?
  }
  private static let linearLimit = 24

  private var arena = ByteStack()
  private var entries: [Entry] = []
  private var frames: [Frame] = []

  mutating func open() {
    frames.append(Frame(firstEntry: entries.count, firstByte: arena.count, names: nil))
  }

  mutating func close() {
    let frame = frames.removeLast()
    entries.removeSubrange(frame.firstEntry...)
    arena.truncate(to: frame.firstByte)
  }

  /// Adds a name to the innermost object; false if it has it already.
  mutating func insert(_ name: UnsafeRawBufferPointer) -> Bool {
    let last = frames.count - 1
    if frames[last].names != nil {
      return frames[last].names?.insert(Array(name)).inserted ?? false
    }
    var hash: UInt64 = UInt64(truncatingIfNeeded: name.count)
    for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    var index = frames[last].firstEntry
    while index < entries.count {
      let entry = entries[index]
      if entry.hash == hash, entry.count == name.count,
        Bytes.compare(bytes(of: entry), name) == 0
      {
        return false
      }
      index += 1
    }
    if entries.count - frames[last].firstEntry >= Self.linearLimit {
      var names = Set<[UInt8]>()
      for entry in entries[frames[last].firstEntry...] { names.insert(Array(bytes(of: entry))) }
      names.insert(Array(name))
      frames[last].names = names
      return true
    }
    entries.append(Entry(hash: hash, start: arena.count, count: name.count))
    arena.append(name)
    return true
  }

  private func bytes(of entry: Entry) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: arena.bytes[entry.start..<entry.start + entry.count])
  }
}
