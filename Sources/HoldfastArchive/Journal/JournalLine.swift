import Holdfast

/// The lines that close a journal's groups, and its header: their text, both ways.
///
/// A group is a line for each change and a closing line. Closing lines and the header end with a
/// check, the XXH64 of everything from the start of the group up to the check itself:
/// ```
/// {"journal":"holdfast","format":1,"store":"…","base":7,"check":"89abcdef01234567"}
/// {"put":1,"row":{"id":5,"name":"Ada"}}
/// {"delete":1,"key":[4]}
/// {"clear":2}
/// {"create":{"definition":{…},"id":3,"indexes":[],"physicalName":"pet"}}
/// {"redefine":3,"as":{"definition":{…},…},"sources":[{"field":{"_0":0}},{"value":{"_0":{"integer":1}}}]}
/// {"drop":2}
/// {"counter":1,"last":40}
/// {"migrations":["first","second"]}
/// {"commit":8,"from":82,"synced":82,"check":"…"}
/// ```
enum JournalLine {
  /// The newest format of journals that this version reads and writes.
  static let format = 1
  /// The length of `,"check":"0123456789abcdef"}` and a newline.
  static let checkLength = 29

  /// The header of a journal whose groups follow the commit `base`.
  static func header(store: String, base: Int64) -> [UInt8] {
    var line = Array(
      "{\"journal\":\"holdfast\",\"format\":\(format),\"store\":\"\(store)\",\"base\":\(base)".utf8
    )
    appendCheck(to: &line)
    return line
  }

  /// Closes the group that was written as a commit.
  static func appendCommit(
    _ sequence: Int64,
    from offset: Int,
    synced: Int,
    to writer: inout JSONWriter
  ) {
    append("{\"commit\":", sequence, to: &writer)
    append(",\"from\":", Int64(offset), to: &writer)
    append(",\"synced\":", Int64(synced), to: &writer)
    appendCheck(to: &writer.bytes)
  }

  private static func append(_ name: String, _ value: Int64, to writer: inout JSONWriter) {
    writer.bytes.append(contentsOf: name.utf8)
    writer.beginText()
    writer.integer(value)
  }

  /// The line that says which content the record files have once a checkpoint is done.
  static func checkpoint(
    _ sequence: Int64,
    files: [Int: FileDigest],
    from offset: Int,
    synced: Int
  ) -> [UInt8] {
    let list = files.sorted { $0.key < $1.key }.map { id, digest in
      "[\(id),\"\(XXHash64.text(digest.hash))\",\(digest.size)]"
    }
    var line = Array(
      "{\"checkpoint\":\(sequence),\"files\":[\(list.joined(separator: ","))]".utf8
    )
    line.append(contentsOf: ",\"from\":\(offset),\"synced\":\(synced)".utf8)
    appendCheck(to: &line)
    return line
  }

  private static func appendCheck(to bytes: inout [UInt8]) {
    let hash = bytes.withUnsafeBytes { XXHash64.hash($0) }
    bytes.append(contentsOf: ",\"check\":\"".utf8)
    XXHash64.appendText(hash, to: &bytes)
    bytes.append(contentsOf: "\"}\n".utf8)
  }

  /// The lines of a group's changes.
  static func lines(
    of bytes: UnsafeRawBufferPointer
  ) -> some Sequence<UnsafeRawBufferPointer> {
    sequence(state: 0) { (start: inout Int) -> UnsafeRawBufferPointer? in
      guard start < bytes.count else { return nil }
      let end = bytes[start...].firstIndex(of: 0x0A) ?? bytes.count
      defer { start = end + 1 }
      return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }
  }

  /// Whether a line begins as one that closes a group.
  static func isClosing(_ line: UnsafeRawBufferPointer) -> Bool {
    line.starts(with: "{\"commit\":".utf8) || line.starts(with: "{\"checkpoint\":".utf8)
  }

  /// Whether a group, its newline included, ends with its own check.
  static func isIntact(_ group: UnsafeRawBufferPointer) -> Bool {
    guard group.count > checkLength else { return false }
    let covered = UnsafeRawBufferPointer(rebasing: group[..<(group.count - checkLength)])
    let check = ",\"check\":\"\(XXHash64.text(XXHash64.hash(covered)))\"}\n"
    return group.suffix(checkLength).elementsEqual(check.utf8)
  }
}

/// A closing line or header as it was read, its check apart.
struct JournalMark {
  enum Kind {
    case header
    case commit
    case checkpoint
  }

  var kind: Kind
  /// The commit's or checkpoint's sequence; a header's base.
  var sequence: Int64
  var format = 0
  var store = ""
  var from = 0
  var synced = 0
  var files: [(id: Int, digest: FileDigest)] = []

  /// Reads a line; nil if it is not what this version or a newer one writes.
  init?(_ line: UnsafeRawBufferPointer) {
    var reader = JSONReader(ByteSource(line))
    kind = .header
    sequence = -1
    do throws(StorageError) {
      guard try reader.next() == .beginObject else { return nil }
      while try reader.next() == .key { try member(reader.text, &reader) }
      guard try reader.next() == .end, sequence >= 0 else { return nil }
    } catch {
      return nil
    }
  }

  private mutating func member(_ name: String, _ reader: inout JSONReader) throws(StorageError) {
    let token = try reader.next()
    switch (name, token) {
    case ("commit", .integer(let value)):
      kind = .commit
      sequence = value
    case ("checkpoint", .integer(let value)):
      kind = .checkpoint
      sequence = value
    case ("base", .integer(let value)): sequence = value
    case ("format", .integer(let value)): format = Int(value)
    case ("from", .integer(let value)) where value >= 0: from = Int(value)
    case ("synced", .integer(let value)) where value >= 0: synced = Int(value)
    case ("store", .string): store = reader.text
    case ("files", .beginArray):
      while try reader.next() == .beginArray { files.append(try file(&reader)) }
    default: try reader.skipValue(after: token)
    }
  }

  private func file(
    _ reader: inout JSONReader
  ) throws(StorageError) -> (id: Int, digest: FileDigest) {
    guard case .integer(let id) = try reader.next(), try reader.next() == .string,
      let hash = UInt64(reader.text, radix: 16), case .integer(let size) = try reader.next(),
      try reader.next() == .endArray
    else { throw reader.error(.corrupt, "a damaged list of files") }
    return (Int(id), FileDigest(hash: hash, size: Int(size)))
  }
}
