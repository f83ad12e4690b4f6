import Holdfast

extension Command {
  /// Prints how a query would run.
  static let explain = Command(
    "explain",
    "print how a query would run",
    arguments: [Argument("COLLECTION")],
    options: Option.query + [
      Option("--native", "the engine's own plan too, where it has one"),
      Option("--format", .oneOf(["table", "json"]), "how the plan is printed (table)"),
    ],
    details: """
      The plan is the one of Holdfast's own planner, alike on every backend: the key or
      index that is walked, the range of it, what is checked on each record, and
      whether the records are sorted in memory. An engine with a planner of its own may
      do better; --native shows what it does.
      """
  ) { invocation in
    let arguments = invocation.arguments
    let name = arguments.positionals[0]
    try invocation.checkFilter()
    let sort = try arguments["--sort"].map { try FieldList.sorts($0, option: "--sort") } ?? []
    try invocation.withStore { store in
      let plan = try store.read { transaction in
        let collection = try transaction.collection(argument: name)
        for field in sort.map(\.field) {
          _ = try collection.position(of: field, option: "--sort")
        }
        let query = Query(
          name,
          where: try invocation.filter(for: collection),
          sort: sort,
          limit: arguments.number("--limit"),
          offset: arguments.number("--offset") ?? 0
        )
        return try transaction.explain(query, native: arguments.has("--native"))
      }
      if arguments["--format"] == "json" {
        try invocation.output.line(json(plan))
      } else {
        var table = TableWriter(["part", "plan"], to: invocation.output)
        for (part, text) in rows(plan) { try table.add([.init(part), .init(text)]) }
        try table.finish()
      }
    }
  }

  private static func rows(_ plan: QueryPlan) -> [(String, String)] {
    var rows = [("collection", plan.collection)]
    switch plan.source {
    case .nothing: rows.append(("read", "nothing: no record can match"))
    case .key: rows.append(("read", "key (\(plan.fields.joined(separator: ", ")))"))
    case .index(let name):
      rows.append(("read", "index \(name) (\(plan.fields.joined(separator: ", ")))"))
    }
    if plan.source != .nothing {
      rows.append(("range", plan.range == .all ? "all" : "\(plan.range)"))
      if plan.rangeCount > 1 { rows.append(("ranges", "\(plan.rangeCount)")) }
      rows.append(("records", plan.rangeSize.map { "\($0)" } ?? "over \(QueryPlan.countingLimit)"))
      if plan.residual != .all { rows.append(("check", "\(plan.residual)")) }
      if plan.sorts { rows.append(("sort", "in memory")) }
    }
    if let index = plan.helpfulIndex {
      rows.append(("would help", "an index over (\(index.joined(separator: ", ")))"))
    }
    return rows + (plan.native ?? []).map { ("engine", $0) }
  }

  private static func json(_ plan: QueryPlan) -> String {
    var json = JSONWriter()
    func array(_ key: String, _ texts: [String]?) {
      json.key(key)
      guard let texts else { return json.null() }
      json.beginArray()
      for text in texts { json.string(text) }
      json.endArray()
    }
    func optional(_ key: String, _ text: String?) {
      json.key(key)
      if let text { json.string(text) } else { json.null() }
    }
    json.beginObject()
    optional("collection", plan.collection)
    switch plan.source {
    case .nothing: optional("read", "nothing")
    case .key: optional("read", "key")
    case .index(let name):
      optional("read", "index")
      optional("index", name)
    }
    array("fields", plan.fields)
    optional("range", plan.source == .nothing || plan.range == .all ? nil : "\(plan.range)")
    json.key("ranges")
    json.integer(Int64(plan.rangeCount))
    json.key("records")
    if let size = plan.rangeSize { json.integer(Int64(size)) } else { json.null() }
    optional("check", plan.residual == .all ? nil : "\(plan.residual)")
    json.key("sorts")
    json.bool(plan.sorts)
    json.key("fullScan")
    json.bool(plan.isFullScan)
    array("helpfulIndex", plan.helpfulIndex)
    if plan.native != nil { array("engine", plan.native) }
    json.endObject()
    return json.text
  }
}
