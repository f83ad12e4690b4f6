extension Command {
  /// Prints a completion script.
  static let completions = Command(
    "completions",
    "print a completion script for a shell",
    arguments: [Argument("bash|zsh|fish", words: CompletionScript.shells)],
    takesStore: false,
    details: """
      bash: source <(holdfast completions bash)
      zsh:  holdfast completions zsh > a folder of $fpath, as _holdfast
      fish: holdfast completions fish > ~/.config/fish/completions/holdfast.fish
      """
  ) { invocation in
    let shell = invocation.arguments.positionals[0]
    guard CompletionScript.shells.contains(shell) else {
      throw UsageError.unknown("shell", shell, among: CompletionScript.shells)
    }
    try invocation.output.write(CompletionScript.script(for: shell, CommandTable.all))
  }
}
