import Foundation
import Holdfast
import HoldfastBackends

extension Command {
  /// Describes a store.
  static let info = Command(
    "info",
    "describe a store: backend, engine, format, size, collections",
    options: [Option("--format", .oneOf(["text", "json"]), "how it is printed (text)")]
  ) { invocation in
    let url = try invocation.storeURL(creates: false)
    try invocation.withStore { store in
      let facts = try store.read { transaction in try StoreFacts(url, store, transaction) }
      let isJSON = invocation.arguments["--format"] == "json"
      try invocation.output.write(isJSON ? facts.json : facts.text)
    }
  }
}

/// What `info` says about a store.
private struct StoreFacts {
  private let backend: String
  private let path: String
  private let engine: String
  private let format: Int
  private let storeID: String
  private let schemaVersion: Int64
  private let size: Int64?
  private var collections: [(name: String, count: Int)] = []

  init(_ url: StorageURL, _ store: Store, _ transaction: ReadTransaction) throws {
    let catalog = try transaction.catalog
    backend = store.capabilities.backend
    path = url.path
    engine = store.capabilities.engine
    format = catalog.format
    storeID = catalog.storeID
    schemaVersion = catalog.schemaVersion
    size = url.scheme == .memory ? nil : DiskUsage.bytes(at: url.path)
    for collection in catalog.collections {
      collections.append((collection.name, try transaction.count(collection.name)))
    }
  }

  var text: String {
    var lines = [("backend", backend)]
    if !path.isEmpty { lines.append(("path", path)) }
    lines += [("engine", engine), ("format", String(format)), ("store id", storeID)]
    lines.append(("schema version", String(schemaVersion)))
    if let size { lines.append(("size", "\(size) bytes")) }
    lines.append(("collections", String(collections.count)))
    lines += collections.map { ("  \(Printable.escape($0.name))", "\($0.count) records") }
    let width = lines.map { DisplayWidth.of($0.0) }.max() ?? 0
    return lines.map { name, value in
      name + String(repeating: " ", count: width - DisplayWidth.of(name) + 2)
        + Printable.escape(value) + "\n"
    }.joined()
  }

  var json: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("backend")
    writer.string(backend)
    writer.key("path")
    writer.string(path)
    writer.key("engine")
    writer.string(engine)
    writer.key("format")
    writer.integer(Int64(format))
    writer.key("storeID")
    writer.string(storeID)
    writer.key("schemaVersion")
    writer.integer(schemaVersion)
    writer.key("size")
    if let size { writer.integer(size) } else { writer.null() }
    writer.key("collections")
    writer.beginArray()
    for (name, count) in collections {
      writer.beginObject()
      writer.key("name")
      writer.string(name)
      writer.key("records")
      writer.integer(Int64(count))
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.text + "\n"
  }
}
