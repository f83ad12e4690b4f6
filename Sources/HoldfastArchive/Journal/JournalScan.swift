import Holdfast

/// The intact groups of a stretch of a journal, and what is behind them.
struct JournalScan {
  struct Group {
    var mark: JournalMark
    /// The group's bytes, its closing line included, within the stretch.
    var range: Range<Int>
    /// The bytes of the changes alone.
    var changes: Range<Int>
  }

  private(set) var groups: [Group] = []
  /// The end of the last intact group, within the stretch.
  private(set) var end: Int
  /// The largest offset of the file that a group says was synced.
  private(set) var synced: Int

  /// Scans a stretch of a journal.
  ///
  /// - Parameters:
  ///   - bytes: the stretch.
  ///   - offset: where it begins in the file.
  ///   - sequence: the last commit before it.
  ///   - synced: the offset that is known to have been synced.
  ///   - name: the journal's path, for errors.
  /// - Throws: `StorageError.Code.corrupt` for damage below an offset that was synced. Anything
  ///   else that is not intact is a torn tail, and ends the scan.
  init(
    _ bytes: UnsafeRawBufferPointer,
    at offset: Int,
    after sequence: Int64,
    synced: Int,
    name: String
  ) throws(StorageError) {
    var position = 0
    var expected = sequence
    self.synced = synced
    end = 0
    while let group = Self.group(bytes, at: position) {
      let isNext =
        group.mark.kind == .commit
        ? group.mark.sequence == expected + 1 : group.mark.sequence == expected
      guard group.mark.from == offset + position, isNext else { break }
      groups.append(group)
      expected = group.mark.sequence
      position = group.range.upperBound
      end = position
      self.synced = max(self.synced, group.mark.synced)
    }
    guard position < bytes.count || offset + position < self.synced else { return }
    let damaged = offset + position
    let later = Self.largestSynced(bytes, from: position, at: offset)
    guard damaged >= max(self.synced, later) else {
      throw StorageError(
        .corrupt,
        "\(name) is damaged at byte \(damaged), before a place that was made durable; "
          + "restore it from a backup (nothing was changed)",
        backend: "archive"
      )
    }
  }

  /// The group that begins at a position, if it is intact.
  private static func group(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Group? {
    var line = start
    while let next = endOfLine(bytes, from: line) {
      let text = UnsafeRawBufferPointer(rebasing: bytes[line..<next])
      if JournalLine.isClosing(text) {
        let whole = UnsafeRawBufferPointer(rebasing: bytes[start..<next])
        guard JournalLine.isIntact(whole), let mark = JournalMark(text) else { return nil }
        return Group(mark: mark, range: start..<next, changes: start..<line)
      }
      line = next
    }
    return nil
  }

  /// The largest synced offset that an intact group behind the damage tells of.
  private static func largestSynced(
    _ bytes: UnsafeRawBufferPointer,
    from start: Int,
    at offset: Int
  ) -> Int {
    var largest = 0
    var line = start
    while let next = endOfLine(bytes, from: line) {
      let text = UnsafeRawBufferPointer(rebasing: bytes[line..<next])
      if JournalLine.isClosing(text), let mark = JournalMark(text) {
        let first = mark.from - offset
        if first >= start, first <= line,
          JournalLine.isIntact(UnsafeRawBufferPointer(rebasing: bytes[first..<next]))
        {
          largest = max(largest, mark.synced)
        }
      }
      line = next
    }
    return largest
  }

  /// The position behind the next newline.
  private static func endOfLine(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count else { return nil }
    return bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 }
  }
}
