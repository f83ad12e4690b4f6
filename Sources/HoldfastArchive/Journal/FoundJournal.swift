import Holdfast

/// A journal as it was read from its folder.
struct FoundJournal {
  let file: OpenFile
  let content: FileBytes
  /// The commit that its first group follows.
  let base: Int64
  let headerEnd: Int
  let scan: JournalScan

  /// Reads the journal at a path, and nothing that is not intact; nil if there is none.
  ///
  /// - Throws: `StorageError.Code.newerFormat`; `StorageError.Code.corrupt` for damage before a place
  ///   that was made durable.
  static func read(_ path: String, writable: Bool) throws(StorageError) -> (
    journal: FoundJournal, store: String
  )? {
    guard let file = try OpenFile.open(path, writable: writable) else { return nil }
    let content = try FileBytes.read(file.descriptor, from: 0, path: path)
    defer { content.keepAlive() }
    let (header, headerEnd) = try header(content.bytes, path: path)
    let scan = try JournalScan(
      UnsafeRawBufferPointer(rebasing: content.bytes[headerEnd...]),
      at: headerEnd,
      after: header.sequence,
      synced: headerEnd,
      name: path
    )
    let journal = FoundJournal(
      file: file,
      content: content,
      base: header.sequence,
      headerEnd: headerEnd,
      scan: scan
    )
    return (journal, header.store)
  }

  /// Reads the header of a journal.
  ///
  /// - Returns: the header and where it ends.
  static func header(
    _ bytes: UnsafeRawBufferPointer,
    path: String
  ) throws(StorageError) -> (JournalMark, Int) {
    let end = (bytes.firstIndex(of: 0x0A) ?? bytes.count - 1) + 1
    let line = UnsafeRawBufferPointer(rebasing: bytes[..<end])
    let mark = JournalMark(line)
    if let mark, mark.kind == .header, mark.format > JournalLine.format {
      throw StorageError(
        .newerFormat,
        "\(path) has format \(mark.format), and this version of Holdfast reads up to "
          + "\(JournalLine.format); use a newer version",
        backend: "archive"
      )
    }
    guard let mark, mark.kind == .header, JournalLine.isIntact(line) else {
      throw StorageError(
        .corrupt,
        "\(path) is damaged in its first line; restore it from a backup (nothing was changed)",
        backend: "archive"
      )
    }
    return (mark, end)
  }

  /// The changes of a group; they live as long as ``content``.
  func changes(_ group: JournalScan.Group) -> UnsafeRawBufferPointer {
    let range = (headerEnd + group.changes.lowerBound)..<(headerEnd + group.changes.upperBound)
    return UnsafeRawBufferPointer(rebasing: content.bytes[range])
  }

  /// The end of the last intact group.
  var end: Int { headerEnd + scan.end }

  /// Where an open archive goes on.
  var position: JournalPosition {
    JournalPosition(
      file: file,
      base: base,
      stamp: content.stamp,
      end: end,
      synced: scan.synced,
      tail: Array(content.bytes[..<end].suffix(JournalLine.checkLength))
    )
  }
}
