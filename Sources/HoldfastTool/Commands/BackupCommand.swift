import Holdfast
import HoldfastBackends

extension Command {
  /// Copies the store while it is in use.
  static let backup = Command(
    "backup",
    "copy the store to a path, while others may use it",
    arguments: [Argument("DST", isPath: true)],
    details: """
      DST is the path of a new file or folder, of the store's own kind; nothing may be
      there. It appears complete and on disk, or not at all. holdfast restore DST puts it
      back. For a copy of another backend see holdfast convert.
      """
  ) { invocation in try backup(invocation) }

  private static func backup(_ invocation: Invocation) throws {
    var url = try invocation.storeURL(creates: false)
    let path = try path(invocation.arguments.positionals[0], like: url)
    if url.scheme != .memory { url.options.isReadOnly = true }
    try Backends.backup(url, to: path)
    Messages.line("backed up \(Printable.escape("\(url)")) to \(Printable.escape(path))")
  }

  /// The path that an argument names: by itself, or by a URL of the store's own backend.
  private static func path(_ text: String, like url: StorageURL) throws -> String {
    guard let colon = text.firstIndex(of: ":"),
      let scheme = StorageURL.Scheme(rawValue: String(text[..<colon]))
    else { return text }
    guard scheme == url.scheme else {
      throw UsageError(
        "a backup is of the store's own backend, \(url.scheme.rawValue); "
          + "holdfast convert copies it to another"
      )
    }
    return try StorageURL(text).path
  }
}
