import Holdfast

extension Command {
  /// Imports a file.
  static let importing = Command(
    "import",
    "add the records of a file to a collection, or all tables of a database",
    arguments: [Argument("FILE", isPath: true)],
    options: [
      Option("--from", .oneOf(["sqlite"]), "FILE is a database of another program"),
      Option("--tables", .text("NAMES"), "with --from: only these tables, as a,b"),
      Option("--into", .text("COLLECTION"), "the collection"),
      Option(
        "--format",
        .oneOf(FileFormat.allCases.map(\.rawValue)),
        "the file's format (by its name, else by how it begins)"
      ),
      Option("--create", "make the collection, with types inferred from the records"),
      Option("--key", .text("FIELDS"), "with --create: the key's fields, as a,b (id)"),
      Option(
        "--on-conflict",
        .oneOf(ImportJob.Conflict.allCases.map(\.rawValue)),
        "what happens to records whose key exists (fail)"
      ),
      Option(
        "--records",
        .text("POINTER"),
        "where the records are in a document, as /data/items"
      ),
      Option("--batch", .number("N"), "commit after every N records; 0 for once at the end"),
    ],
    details: """
      All records are added in one transaction, or none. FILE may be - for standard
      input. JSON is an array of objects, or an object that holds one.

      LMDB keeps a transaction in memory, up to 512 MiB, so a file of 64 MiB or more goes
      into it in batches unless --batch 0 asks for one transaction. An import in batches
      that fails keeps the batches before, and says how many records these are.

      With --from sqlite every table becomes a collection, with its types, keys,
      references, indexes and rows; what has no equal here (views, triggers, computed
      defaults, references that lead nowhere) is left out and named on standard error.
      """
  ) { invocation in
    let arguments = invocation.arguments
    if arguments.has("--from") { return try importDatabase(invocation) }
    if arguments.has("--tables") { throw UsageError("--tables goes with --from") }
    guard let collection = arguments["--into"] else {
      throw UsageError("import needs --into COLLECTION")
    }
    var job = ImportJob(
      path: arguments.positionals[0],
      into: collection,
      format: arguments["--format"].flatMap { FileFormat(rawValue: $0) }
    )
    job.createsCollection = arguments.has("--create")
    job.key = try arguments["--key"].map { try FieldList.names($0, option: "--key") }
    if job.key != nil, !job.createsCollection { throw UsageError("--key goes with --create") }
    if let word = arguments["--on-conflict"], let conflict = ImportJob.Conflict(rawValue: word) {
      job.onConflict = conflict
    }
    job.records = try arguments["--records"].map { try JSONPointer($0) }
    job.batch = arguments.number("--batch")
    job.notice = { Messages.line("import: \($0)") }
    let progress = ProgressLine("records")
    job.progress = { count, part in progress.report(count, part) }
    defer { progress.finish() }
    let result = try invocation.withStore(creates: job.createsCollection) { try job.run(on: $0) }
    progress.finish()
    var summary = "imported \(result.inserted) records into \(Printable.escape(collection))"
    if result.replaced > 0 { summary += ", replaced \(result.replaced)" }
    if result.skipped > 0 { summary += ", skipped \(result.skipped)" }
    Messages.line(summary)
  }

  private static func importDatabase(_ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let allowed = ["--from", "--tables"] + Option.store.map(\.name)
    if let stray = arguments.occurrences.first(where: { !allowed.contains($0.name) }) {
      throw UsageError("--from imports whole tables and takes no \(stray.name)")
    }
    let tables = try arguments["--tables"].map { try FieldList.names($0, option: "--tables") }
    let job = try DatabaseImport(arguments.positionals[0], tables: tables)
    defer { job.close() }
    for note in job.notes { Messages.line("import: \(Printable.escape(note))") }
    let progress = ProgressLine("records")
    defer { progress.finish() }
    let count = try invocation.withStore(creates: true) { store in
      try job.run(on: store, progress: progress.counter(of: job.recordCount))
    }
    progress.finish()
    Messages.line("imported \(count) records into \(job.collectionCount) collections")
  }
}
