import Holdfast

/// What a file of an object archive holds: a mark, the version, and the graph.
///
/// `{"holdfast": 1, "value": …, "version": 3}`, as JSON or as a property list. The mark's number is that
/// of the form itself.
struct ObjectEnvelope {
  private static let mark = "holdfast"
  private static let form: Int64 = 1

  var version: Int
  var root: ObjectValue

  init(version: Int, root: ObjectValue) {
    self.version = version
    self.root = root
  }

  var value: ObjectValue {
    [Self.mark: .integer(Self.form), "version": .integer(Int64(version)), "value": root]
  }

  /// Reads a file, whichever its format.
  ///
  /// - Throws: `StorageError.Code.corrupt`, `StorageError.Code.newerFormat`, naming the file.
  init(_ bytes: UnsafeRawBufferPointer, path: String, maximumSize: Int) throws(StorageError) {
    let file: ObjectValue
    do throws(StorageError) {
      // An XML property list begins with `<`, after white space or a byte order mark.
      let first = bytes.first { !($0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF) }
      file =
        if first == 0x3C || PropertyListReader.isBinary(bytes) {
          try ObjectValue(propertyList: bytes, ObjectBudget(bytes: maximumSize))
        } else {
          try ObjectValue(json: bytes)
        }
    } catch {
      throw StorageError(
        .corrupt,
        "\(path) cannot be read: \(error.message); restore it, or move it away",
        backend: "archive",
        underlying: error
      )
    }
    guard let form = file[Self.mark]?.integer, form >= 1 else {
      throw Self.isNone(path)
    }
    guard form == Self.form else {
      throw StorageError(
        .newerFormat,
        "\(path) was written by a newer version of Holdfast; update it",
        backend: "archive"
      )
    }
    guard let version = file["version"]?.integer.flatMap({ Int(exactly: $0) }), version >= 1,
      let root = file["value"]
    else { throw Self.isNone(path) }
    self.init(version: version, root: root)
  }

  private static func isNone(_ path: String) -> StorageError {
    StorageError(
      .corrupt,
      "\(path) is no object archive: it has no version and value; move it away",
      backend: "archive"
    )
  }
}
