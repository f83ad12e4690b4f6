import Holdfast

extension Command {
  /// Compares two stores.
  static let diff = Command(
    "diff",
    "print the records and collections in which two stores differ",
    arguments: [Argument("A", isPath: true), Argument("B", isPath: true)],
    options: [.format, Option("--limit", .number("N"), "stop after so many differences")],
    takesStore: false,
    details: """
      A and B are storage URLs, or paths of stores; their backends may differ. Ends with
      status 1 if there is a difference. Both are compared as of one moment each.
      """
  ) { invocation in try diff(invocation) }

  private static func diff(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let urls = try arguments.positionals.map { try StoreArgument.source($0) }
    let count = try OpenStore.with(urls[0]) { first in
      try OpenStore.with(urls[1]) { second in
        try first.read { _ in
          try second.read { _ in
            var job = try DiffJob(first, second, arguments.rowFormat, invocation.output)
            return try job.run(limit: arguments.number("--limit") ?? .max)
          }
        }
      }
    }
    if count > 0 { throw CheckFailed() }
  }
}

/// The comparison of two stores, printed as rows.
private struct DiffJob {
  private let first: Store
  private let second: Store
  private let catalogs: [Catalog]
  private let format: RowFormat
  private let output: Output
  private var writer: RowWriter?

  init(_ first: Store, _ second: Store, _ format: RowFormat, _ output: Output) throws {
    self.first = first
    self.second = second
    self.format = format
    self.output = output
    catalogs = [try first.read { try $0.catalog }, try second.read { try $0.catalog }]
    // Where there is no difference a table is nothing, and other formats are their empty form.
    if format != .table { writer = try makeWriter() }
  }

  private func makeWriter() throws -> RowWriter {
    try RowWriter(
      format,
      columns: ["collection", "key", "difference", "fields"].map {
        FieldDefinition($0, .text, optional: true)
      },
      source: "the comparison",
      to: output
    )
  }

  /// Prints the differences.
  ///
  /// - Returns: how many there were.
  mutating func run(limit: Int) throws -> Int {
    var count = 0
    var failure: (any Error)?
    if limit > 0 {
      try first.compare(with: second) { difference in
        count += 1
        do {
          try print(difference)
        } catch {
          failure = error
          return false
        }
        return count < limit
      }
    }
    if let failure { throw failure }
    try writer?.finish()
    return count
  }

  private mutating func print(_ difference: StoreDifference) throws {
    var row = writer == nil ? try makeWriter() : writer
    switch difference {
    case .onlyInFirst(let name): try row?.add([.text(name), .null, "only in A", .null])
    case .onlyInSecond(let name): try row?.add([.text(name), .null, "only in B", .null])
    case .definition(let name): try row?.add([.text(name), .null, "defined otherwise", .null])
    case .counter(let name): try row?.add([.text(name), .null, "next key differs", .null])
    case .migrations: try row?.add([.null, .null, "migrations differ", .null])
    case .recordOnlyInFirst(let name, let key):
      try row?.add([.text(name), try text(key, name, 0), "only in A", .null])
    case .recordOnlyInSecond(let name, let key):
      try row?.add([.text(name), try text(key, name, 1), "only in B", .null])
    case .record(let name, let key, let fields):
      let names = fields.joined(separator: ", ")
      try row?.add([.text(name), try text(key, name, 0), "differs", .text(names)])
    }
    writer = row
  }

  private func text(_ key: Key, _ name: String, _ side: Int) throws -> Value {
    guard let collection = catalogs[side].collection(named: name) else { return .null }
    return .text(try KeyText.text(key, in: collection))
  }
}
