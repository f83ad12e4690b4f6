import Holdfast

extension Command {
  /// Exports a collection.
  static let export = Command(
    "export",
    "write the records of a collection to a file or to standard output",
    arguments: [Argument("COLLECTION")],
    options: [
      Option(
        "--format",
        .oneOf(FileFormat.allCases.map(\.rawValue)),
        "the format (by the name of FILE, else json)"
      ),
      Option("--output", short: "o", .path("FILE"), "the file; it appears complete or not at all"),
      .filter,
    ],
    details: "Importing the file into an equal collection gives the same records."
  ) { invocation in
    let arguments = invocation.arguments
    let name = arguments.positionals[0]
    let path = arguments["--output"]
    try invocation.checkFilter()
    let format =
      arguments["--format"].flatMap { FileFormat(rawValue: $0) }
      ?? path.flatMap { FileFormat(extensionOf: $0) } ?? .json
    let progress = ProgressLine("records")
    defer { progress.finish() }
    let isShown = progress.isTerminal && (path != nil || !invocation.output.isTerminal)
    let count = try invocation.withStore { store in
      try store.read { transaction in
        var job = ExportJob(collection: name, format: format)
        job.filter = try invocation.filter(for: try transaction.collection(argument: name))
        if isShown {
          // Counting what matches may take as long as the export itself.
          let total = arguments.has("--where") ? nil : Double(try transaction.count(name))
          job.progress = { count in progress.report(count, total.map { Double(count) / $0 }) }
        }
        return try OutputFile.with(path, else: invocation.output) { output in
          try job.run(in: transaction) { bytes in try output.write(bytes) }
        }
      }
    }
    progress.finish()
    if path != nil { Messages.line("exported \(count) records of \(Printable.escape(name))") }
  }
}
