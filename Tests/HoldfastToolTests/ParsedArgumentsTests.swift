import HoldfastTool
import Testing

@Suite struct ParsedArgumentsTests {
  private let options = [
    Option("--limit", .number("N"), "a number"),
    Option("--output", short: "o", .path("FILE"), "a file"),
    Option("--sort", .text("FIELDS"), "an order"),
    Option("--format", .oneOf(["json", "csv"]), "a word"),
    Option("--quiet", "a switch"),
  ]

  private func parse(_ arguments: [String]) throws(UsageError) -> ParsedArguments {
    var parsed = ParsedArguments(options: [])
    try parsed.parse(arguments[...], options: options)
    return parsed
  }

  @Test func `values follow or stand after an equals sign`() throws {
    let parsed = try parse(["c", "--limit", "3", "--sort=-a=b", "-o", "f", "--quiet", "x"])
    #expect(parsed.positionals == ["c", "x"])
    #expect(parsed.number("--limit") == 3)
    #expect(parsed["--sort"] == "-a=b")
    #expect(parsed["--output"] == "f")
    #expect(parsed.has("--quiet"))
  }

  @Test func `a value may begin with one dash, and negative numbers are arguments`() throws {
    let parsed = try parse(["--sort", "-a,b", "-5", "-", "-1.5"])
    #expect(parsed["--sort"] == "-a,b")
    #expect(parsed.positionals == ["-5", "-", "-1.5"])
  }

  @Test func `two dashes end the options`() throws {
    let parsed = try parse(["a", "--", "--limit", "--", "-o"])
    #expect(parsed.positionals == ["a", "--limit", "--", "-o"])
  }

  @Test func `the last of several values counts, and the order is kept`() throws {
    let parsed = try parse(["--sort", "a", "--limit", "1", "--sort", "b"])
    #expect(parsed["--sort"] == "b")
    #expect(parsed.occurrences.map(\.name) == ["--sort", "--limit", "--sort"])
  }

  @Test(
    arguments: [
      (["--lmit", "3"], "unknown option '--lmit'; did you mean --limit?"),
      (["-x"], "unknown option '-x'"),
      (["--limit"], "--limit needs a value: --limit N"),
      (["--limit", "--quiet"], "--limit needs a value: --limit N"),
      (["--limit", "-1"], "--limit takes a whole number from 0 up, not '-1'"),
      (["--limit", "99999999999999999999"], "--limit takes a whole number"),
      (["--quiet=1"], "--quiet takes no value"),
      (["--format", "cvs"], "unknown value for --format: 'cvs'; did you mean csv?"),
      (["--output="], "--output needs the name of a file"),
    ] as [([String], String)]
  )
  func `wrong options are told with the nearest right one`(arguments: [String], message: String)
    throws
  {
    let error = try #require(throws: UsageError.self) { try parse(arguments) }
    #expect(error.description.hasPrefix(message), "\(error)")
  }

  @Test(
    arguments: [
      ("qurey", "query"), ("querry", "query"), ("cuont", "count"), ("coll", "collections"),
      ("delte", "delete"), ("zzzz", nil), ("x", nil),
    ] as [(String, String?)]
  )
  func `the nearest command is suggested`(typed: String, meant: String?) {
    #expect(Spelling.nearest(to: typed, among: CommandTable.all.map(\.name)) == meant)
  }
}
