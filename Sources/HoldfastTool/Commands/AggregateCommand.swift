import Holdfast

extension Command {
  /// Prints figures.
  static let aggregate = Command(
    "aggregate",
    "print sums, averages, extremes and counts",
    arguments: [Argument("COLLECTION")],
    options: [
      Option("--sum", .text("FIELD"), "the exact total of a field"),
      Option("--avg", .text("FIELD"), "the mean of a field"),
      Option("--min", .text("FIELD"), "the smallest value of a field"),
      Option("--max", .text("FIELD"), "the largest value of a field"),
      Option("--count", "the number of records"),
      Option("--group-by", .text("FIELDS"), "one row for each value of these fields, as a,b"),
      .filter, .format,
    ],
    details: """
      Each figure may be given several times; columns come in the order given, after
      those of --group-by, and are called as sum(price). Without a figure: --count.
      """
  ) { invocation in
    let arguments = invocation.arguments
    let name = arguments.positionals[0]
    try invocation.checkFilter()
    let groups =
      try arguments["--group-by"].map { try FieldList.names($0, option: "--group-by") } ?? []
    var figures = arguments.occurrences.compactMap(figure)
    if figures.isEmpty { figures = [.count] }
    try invocation.withStore { store in
      try store.read { transaction in
        let collection = try transaction.collection(argument: name)
        var columns = try groups.map {
          collection.fields[try collection.position(of: $0, option: "--group-by")]
        }
        columns += try figures.map { try column($0, collection) }
        let rows = try transaction.aggregate(
          name,
          figures,
          groupBy: groups,
          where: try invocation.filter(for: collection)
        )
        var writer = try RowWriter(
          arguments.rowFormat,
          columns: columns,
          source: name,
          to: invocation.output
        )
        for row in rows { try writer.add(row) }
        try writer.finish()
      }
    }
  }

  private static func figure(_ occurrence: ParsedArguments.Occurrence) -> Aggregate? {
    switch occurrence.name {
    case "--sum": .sum(occurrence.value)
    case "--avg": .average(occurrence.value)
    case "--min": .minimum(occurrence.value)
    case "--max": .maximum(occurrence.value)
    case "--count": .count
    default: nil
    }
  }

  /// The column of a figure: its name, and the type that it has.
  private static func column(_ figure: Aggregate, _ collection: Collection) throws(StorageError)
    -> FieldDefinition
  {
    func type(_ field: String, _ option: String) throws(StorageError) -> FieldType {
      collection.fields[try collection.position(of: field, option: option)].type
    }
    switch figure {
    case .count: return FieldDefinition("count", .integer)
    case .sum(let field):
      return FieldDefinition("sum(\(field))", try type(field, "--sum"), optional: true)
    case .average(let field):
      _ = try type(field, "--avg")
      return FieldDefinition("avg(\(field))", .real, optional: true)
    case .minimum(let field):
      return FieldDefinition("min(\(field))", try type(field, "--min"), optional: true)
    case .maximum(let field):
      return FieldDefinition("max(\(field))", try type(field, "--max"), optional: true)
    }
  }
}
