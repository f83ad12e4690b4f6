/// An option of a command: `--name`, or `--name VALUE`.
package struct Option: Sendable {
  /// What an option's value is, for checking and completion.
  package enum Value: Sendable {
    /// There is none: the option is a switch.
    case none
    /// Any text, shown under this placeholder.
    case text(String)
    /// A whole number from 0 up, shown under this placeholder.
    case number(String)
    /// A file's or folder's name, shown under this placeholder.
    case path(String)
    /// One of these words.
    case oneOf([String])
  }

  /// The name with its dashes.
  package let name: String
  /// A one-letter form without its dash.
  package let short: Character?
  /// What value it takes.
  package let value: Value
  /// One line for the help.
  package let summary: String

  /// Creates an option.
  package init(
    _ name: String,
    short: Character? = nil,
    _ value: Value,
    _ summary: String
  ) {
    self.name = name
    self.short = short
    self.value = value
    self.summary = summary
  }

  /// Creates a switch.
  package init(_ name: String, short: Character? = nil, _ summary: String) {
    self.init(name, short: short, .none, summary)
  }

  /// Whether a value follows.
  package var takesValue: Bool {
    if case .none = value { return false }
    return true
  }

  /// The placeholder of the value in help texts; empty for a switch.
  package var placeholder: String {
    switch value {
    case .none: ""
    case .text(let name), .number(let name), .path(let name): name
    case .oneOf(let words): words.joined(separator: "|")
    }
  }

  /// The option as it is typed, `-o, --output FILE`.
  package var spelling: String {
    let dashed = short.map { "-\($0), \(name)" } ?? name
    return takesValue ? "\(dashed) \(placeholder)" : dashed
  }
}

extension Option {
  /// Shows a command's help.
  package static let help = Option("--help", short: "h", "show help")

  /// The options that choose the store.
  package static let store: [Option] = [
    Option(
      "--storage",
      .text("URL"),
      "the store: sqlite:PATH, lmdb:DIR, json:DIR, plist:DIR, memory:"
    ),
    Option("--backend", .oneOf(StoreSelection.backends), "the store's backend, with --path"),
    Option("--path", .path("PATH"), "the store's file or folder, with --backend"),
    Option("--config", .path("FILE"), "a JSON file whose \"storage\" key names the store"),
  ]

  /// How rows are printed.
  package static let format = Option(
    "--format",
    .oneOf(RowFormat.allCases.map(\.rawValue)),
    "how rows are printed (table)"
  )

  /// Which records, in which order, and which part of them.
  package static let query = [
    filter,
    Option("--sort", .text("FIELDS"), "the order, as a,-b; a dash puts the largest first"),
    Option("--limit", .number("N"), "at most so many records"),
    Option("--offset", .number("N"), "skip so many records first"),
  ]

  /// Which records.
  package static let filter = Option(
    "--where",
    .text("EXPR"),
    "only records that match, as \"city = 'Beijing' AND price >= 3.5\""
  )
}
