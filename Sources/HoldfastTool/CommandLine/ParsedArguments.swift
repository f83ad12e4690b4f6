/// The arguments of one command, checked against its options.
package struct ParsedArguments: Sendable {
  /// An option as it was given.
  package struct Occurrence: Sendable {
    /// The option's name, with its dashes.
    package let name: String
    /// Its value; empty for a switch.
    package let value: String
  }

  /// The arguments that are no options, in order.
  package private(set) var positionals: [String] = []
  /// The options, in the order in which they were given.
  package private(set) var occurrences: [Occurrence] = []

  private var options: [Option]
  private var onlyPositionals = false

  /// Prepares to parse `options`.
  package init(options: [Option]) { self.options = options }

  /// Whether the option was given.
  package func has(_ name: String) -> Bool { occurrences.contains { $0.name == name } }

  /// The value of an option; the last one if it was given several times.
  package subscript(_ name: String) -> String? {
    occurrences.last { $0.name == name }?.value
  }

  /// The value of a numeric option.
  package func number(_ name: String) -> Int? { self[name].flatMap { Int($0) } }

  /// Parses the options before the command's name.
  ///
  /// - Returns: the rest, from the first argument that is no option on.
  package mutating func parseLeading(_ arguments: ArraySlice<String>) throws(UsageError)
    -> ArraySlice<String>
  {
    var rest = arguments
    while let argument = rest.first, Self.isOption(argument), argument != "--" {
      rest.removeFirst()
      try parseOption(argument, &rest)
    }
    return rest
  }

  /// Parses all arguments that follow the command's name.
  package mutating func parse(_ arguments: ArraySlice<String>, options: [Option])
    throws(UsageError)
  {
    self.options = options
    var rest = arguments
    while let argument = rest.popFirst() {
      if onlyPositionals || !Self.isOption(argument) {
        positionals.append(argument)
      } else if argument == "--" {
        onlyPositionals = true
      } else {
        try parseOption(argument, &rest)
      }
    }
  }

  /// Whether an argument is an option; `-`, which is standard input, and negative numbers are not.
  private static func isOption(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), argument != "-" else { return false }
    return Double(argument) == nil
  }

  private mutating func parseOption(_ argument: String, _ rest: inout ArraySlice<String>)
    throws(UsageError)
  {
    var name = argument
    var given: String?
    if let equals = argument.firstIndex(of: "=") {
      name = String(argument[..<equals])
      given = String(argument[argument.index(after: equals)...])
    }
    let found = options.first {
      $0.name == name || ($0.short.map { name == "-\($0)" } ?? false)
    }
    guard let option = found else {
      throw .unknown("option", name, among: options.map(\.name), showAll: false)
    }
    if !option.takesValue {
      guard given == nil else { throw UsageError("\(option.name) takes no value") }
      occurrences.append(Occurrence(name: option.name, value: ""))
      return
    }
    if given == nil, let next = rest.first, !next.hasPrefix("--") { given = rest.popFirst() }
    guard let given else {
      throw UsageError("\(option.name) needs a value: \(option.name) \(option.placeholder)")
    }
    try Self.check(given, option)
    occurrences.append(Occurrence(name: option.name, value: given))
  }

  private static func check(_ value: String, _ option: Option) throws(UsageError) {
    switch option.value {
    case .none, .text: break
    case .path:
      guard !value.isEmpty else { throw UsageError("\(option.name) needs the name of a file") }
    case .number:
      guard let number = Int(value), number >= 0 else {
        throw UsageError("\(option.name) takes a whole number from 0 up, not '\(value)'")
      }
    case .oneOf(let words):
      guard words.contains(value) else {
        throw .unknown("value for \(option.name):", value, among: words)
      }
    }
  }
}
