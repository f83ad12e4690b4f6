import Holdfast
import HoldfastLMDB

/// Keys and values as strings, for tests.
extension KeyValueReader {
  func value(_ key: String, in table: KeyValueTable) throws -> String? {
    var key = key
    return try key.withUTF8 { bytes in
      try get(UnsafeRawBufferPointer(bytes), in: table).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  func keys(in table: KeyValueTable) throws -> [String] {
    let cursor = try openCursor(in: table)
    defer { cursor.close() }
    var keys: [String] = []
    while try keys.isEmpty ? cursor.first() : cursor.next() {
      keys.append(String(decoding: cursor.key, as: UTF8.self))
    }
    return keys
  }
}

extension KeyValueWriter {
  func put(_ key: String, _ value: String, in table: KeyValueTable) throws {
    try put(key, Array(value.utf8), in: table)
  }

  func put(_ key: String, _ value: [UInt8], in table: KeyValueTable) throws {
    var key = key
    try key.withUTF8 { key in
      try value.withUnsafeBytes { try put(UnsafeRawBufferPointer(key), $0, in: table) }
    }
  }

  func delete(_ key: String, in table: KeyValueTable) throws -> Bool {
    var key = key
    return try key.withUTF8 { try delete(UnsafeRawBufferPointer($0), in: table) }
  }
}

extension KeyValueCursor {
  func seek(_ key: String) throws -> Bool {
    var key = key
    return try key.withUTF8 { try seek(UnsafeRawBufferPointer($0)) }
  }

  var entry: String {
    String(decoding: key, as: UTF8.self) + "=" + String(decoding: value, as: UTF8.self)
  }
}

extension LMDBEngine {
  func write<T>(_ body: (LMDBWriter) throws -> T) throws -> T {
    let writer = try beginWriting(timeout: .seconds(5))
    defer { writer.end() }
    let result = try body(writer)
    try writer.commit()
    return result
  }

  func read<T>(_ body: (LMDBReader) throws -> T) throws -> T {
    let reader = try beginReading(timeout: .seconds(5))
    defer { reader.end() }
    return try body(reader)
  }
}

/// The code of the error that a body throws; nil if it throws none.
func code(_ body: () throws -> Void) -> StorageError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StorageError)?.code ?? StorageError.Code(rawValue: "\(error)")
  }
}
