/// One command: the entry of the table that drives parsing, help and completions.
package struct Command: Sendable {
  /// What a positional argument is, for help and completion.
  package struct Argument: Sendable {
    /// The placeholder, as it stands in the usage line.
    package let placeholder: String
    /// The words it can be, if these are fixed.
    package let words: [String]
    /// Whether it names a file.
    package let isPath: Bool

    /// Creates an argument.
    package init(_ placeholder: String, words: [String] = [], isPath: Bool = false) {
      self.placeholder = placeholder
      self.words = words
      self.isPath = isPath
    }
  }

  /// The command's name.
  package let name: String
  /// One line for the list of commands.
  package let summary: String
  /// The positional arguments.
  package let arguments: [Argument]
  /// How many positional arguments it takes.
  package let argumentCount: ClosedRange<Int>
  /// Its own options, without those that choose the store.
  package let options: [Option]
  /// Whether it works on a store.
  package let takesStore: Bool
  /// More for the command's own help.
  package let details: String
  /// Does the work.
  package let run: @Sendable (Invocation) async throws -> Void

  /// Creates a command.
  package init(
    _ name: String,
    _ summary: String,
    arguments: [Argument] = [],
    argumentCount: ClosedRange<Int>? = nil,
    options: [Option] = [],
    takesStore: Bool = true,
    details: String = "",
    run: @escaping @Sendable (Invocation) async throws -> Void
  ) {
    self.name = name
    self.summary = summary
    self.arguments = arguments
    self.argumentCount = argumentCount ?? arguments.count...arguments.count
    self.options = options
    self.takesStore = takesStore
    self.details = details
    self.run = run
  }

  /// Every option that the command understands.
  package var allOptions: [Option] {
    options + (takesStore ? Option.store : []) + [.help]
  }

  /// The usage line.
  package var usage: String {
    (["holdfast", name] + arguments.map(\.placeholder) + ["[options]"]).joined(separator: " ")
  }
}

/// What a command runs with: its arguments, and where its output goes.
package struct Invocation: Sendable {
  /// The parsed arguments.
  package let arguments: ParsedArguments
  /// Standard output, or a file in its place.
  package let output: Output
}
