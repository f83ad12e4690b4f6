import Foundation
import Holdfast

/// What the commits of a journal do to the collections, their rows left aside.
struct JournalOutline {
  /// The physical names that collections have at the end, by id, of those that were created or
  /// redefined.
  private(set) var names: [Int: String] = [:]
  /// All physical names that any collection had in between.
  private(set) var allNames: Set<String> = []
  /// The ids of the collections that were created, in order, dropped ones included.
  private(set) var created: [Int] = []
  /// The ids of the collections that were dropped.
  private(set) var dropped: Set<Int> = []

  private struct Named: Decodable {
    var id: Int
    var physicalName: String
  }

  private struct Change: Decodable {
    var create: Named?
    var redefine: Int?
    var `as`: Named?
    var drop: Int?
  }

  /// Adds what a group does.
  mutating func add(_ changes: UnsafeRawBufferPointer) {
    for line in JournalLine.lines(of: changes) where Self.isOfSchema(line) {
      // A line that cannot be read is an error once it is replayed.
      guard let change = try? JSONDecoder().decode(Change.self, from: Data(line)) else { continue }
      if let id = change.create?.id { created.append(id) }
      if let id = change.drop { dropped.insert(id) }
      if let named = change.create ?? change.as {
        names[named.id] = named.physicalName
        allNames.insert(named.physicalName)
      }
    }
  }

  private static func isOfSchema(_ line: UnsafeRawBufferPointer) -> Bool {
    // Most lines put a record.
    if line.count < 3 || line[2] == UInt8(ascii: "p") { return false }
    return line.starts(with: "{\"create\":".utf8) || line.starts(with: "{\"redefine\":".utf8)
      || line.starts(with: "{\"drop\":".utf8)
  }

  /// The collections that a group changes, their rows or their definitions.
  static func touched(by changes: UnsafeRawBufferPointer) -> Set<Int> {
    var touched: Set<Int> = []
    for line in JournalLine.lines(of: changes) {
      var reader = JSONReader(ByteSource(line))
      guard (try? reader.next()) == .beginObject, (try? reader.next()) == .key,
        case .integer(let id) = try? reader.next()
      else { continue }
      touched.insert(Int(id))
    }
    return touched
  }
}
