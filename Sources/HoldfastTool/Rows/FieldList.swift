import Holdfast

/// Lists of fields on the command line, `a,-b`; a name with a comma or a dash goes in double quotes.
enum FieldList {
  /// The names of `--select` or `--group-by`.
  static func names(_ text: String, option: String) throws(UsageError) -> [String] {
    try parse(text, option: option, allowsMinus: false).map(\.field)
  }

  /// The order of `--sort`; a dash before a name means largest first.
  static func sorts(_ text: String, option: String) throws(UsageError) -> [Sort] {
    try parse(text, option: option, allowsMinus: true)
  }

  private static func parse(_ text: String, option: String, allowsMinus: Bool)
    throws(UsageError) -> [Sort]
  {
    var sorts: [Sort] = []
    var rest = text[...]
    repeat {
      var isDescending = false
      if allowsMinus, rest.first == "-" || rest.first == "+" {
        isDescending = rest.removeFirst() == "-"
      }
      let name: String
      if rest.first == "\"" {
        name = try quoted(&rest, option)
      } else {
        let end = rest.firstIndex(of: ",") ?? rest.endIndex
        name = String(rest[..<end])
        rest = rest[end...]
      }
      guard !name.isEmpty else {
        throw UsageError("\(option) takes field names separated by commas, not '\(text)'")
      }
      sorts.append(Sort(field: name, isDescending: isDescending))
      guard rest.isEmpty || rest.first == "," else {
        throw UsageError("\(option): expected a comma after \"\(name)\"")
      }
    } while rest.popFirst() != nil
    return sorts
  }

  private static func quoted(_ rest: inout Substring, _ option: String) throws(UsageError)
    -> String
  {
    var name = ""
    rest.removeFirst()
    while let next = rest.popFirst() {
      if next == "\"" {
        guard rest.first == "\"" else { return name }
        rest.removeFirst()
      }
      name.append(next)
    }
    throw UsageError("\(option): a name has no closing quote")
  }
}
