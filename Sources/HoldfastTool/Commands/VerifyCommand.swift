import Holdfast

extension Command {
  /// Checks the store.
  static let verify = Command(
    "verify",
    "check everything in the store: engine, catalog, records, indexes, references",
    options: [Option("--format", .oneOf(["text", "json"]), "how it is printed (text)")],
    details: """
      Prints the engine's version and one line for each fault; a note is no fault. Ends
      with status 1 if there is a fault. The store is only read.
      """
  ) { invocation in try verify(invocation) }

  private static func verify(_ invocation: Invocation) throws {
    var url = try invocation.storeURL(creates: false)
    if url.scheme != .memory { url.options.isReadOnly = true }
    let (engine, findings) = try OpenStore.with(url) { store in
      (store.capabilities.engine, try store.verify())
    }
    if invocation.arguments["--format"] == "json" {
      try invocation.output.line(json(url, engine, findings))
    } else {
      try invocation.output.line("engine: \(Printable.escape(engine))")
      for finding in findings {
        let word = finding.isFault ? "fault" : "note"
        try invocation.output.line("\(word): \(Printable.escape(finding.message))")
      }
      let count = findings.count(where: \.isFault)
      try invocation.output.line(count == 0 ? "no faults" : "\(count) faults; restore a backup")
    }
    if findings.contains(where: \.isFault) { throw CheckFailed() }
  }

  private static func json(_ url: StorageURL, _ engine: String, _ findings: [Finding]) -> String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.key("backend")
    writer.string(url.scheme.rawValue)
    writer.key("engine")
    writer.string(engine)
    for (name, isFault) in [("faults", true), ("notes", false)] {
      writer.key(name)
      writer.beginArray()
      for finding in findings where finding.isFault == isFault { writer.string(finding.message) }
      writer.endArray()
    }
    writer.endObject()
    return writer.text
  }
}
