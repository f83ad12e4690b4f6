/// Completion scripts for shells, made from the command table.
package enum CompletionScript {
  /// The shells for which there is a script.
  package static let shells = ["bash", "zsh", "fish"]

  /// The script for a shell.
  package static func script(for shell: String, _ commands: [Command]) -> String {
    switch shell {
    case "zsh": zsh(commands)
    case "fish": fish(commands)
    default: bash(commands)
    }
  }

  private static func bash(_ commands: [Command]) -> String {
    var script = """
      # bash completion for holdfast: source it, or put it where bash-completion looks.
      _holdfast() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="" command="" word i
        COMPREPLY=()
        if [ "$COMP_CWORD" -gt 0 ]; then previous="${COMP_WORDS[COMP_CWORD-1]}"; fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          word="${COMP_WORDS[i]}"
          case "$word" in

      """
    let names = commands.map(\.name)
    script += "      \(names.joined(separator: "|"))) command=\"$word\"; break ;;\n"
    script += """
          esac
        done
        if [ -z "$command" ]; then
          COMPREPLY=($(compgen -W "\((names + ["--help", "--version"] + Option.store.map(\.name)).joined(separator: " "))" -- "$current"))
          return
        fi
        case "$command:$previous" in

      """
    for command in commands {
      for option in command.allOptions {
        let action: String
        switch option.value {
        case .none: continue
        case .oneOf(let words):
          action = "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\"))"
        case .path: action = "COMPREPLY=($(compgen -f -- \"$current\"))"
        case .text, .number: action = ":"
        }
        var patterns = ["\(command.name):\(option.name)"]
        if let short = option.short { patterns.append("\(command.name):-\(short)") }
        script += "    \(patterns.joined(separator: "|"))) \(action); return ;;\n"
      }
    }
    script += "  esac\n  case \"$command\" in\n"
    for command in commands {
      let words = command.allOptions.map(\.name) + command.arguments.flatMap(\.words)
      let files = command.arguments.contains(where: \.isPath) ? "-f " : ""
      script +=
        "    \(command.name)) COMPREPLY=($(compgen \(files)-W \"\(words.joined(separator: " "))\" "
        + "-- \"$current\")) ;;\n"
    }
    return script + "  esac\n}\ncomplete -F _holdfast holdfast\n"
  }

  private static func zsh(_ commands: [Command]) -> String {
    var script = """
      #compdef holdfast
      # zsh completion for holdfast: put it in a folder of $fpath as _holdfast.
      _holdfast() {
        local curcontext="$curcontext" state line
        typeset -A opt_args
        local -a commands
        commands=(

      """
    for command in commands {
      script += "    \(quoted("\(command.name):\(command.summary)"))\n"
    }
    script += """
        )
        _arguments -C '1:command:->command' '*::argument:->argument'
        case "$state" in
          command) _describe -t commands 'command' commands ;;
          argument)
            case "$words[1]" in

      """
    for command in commands {
      script += "        \(command.name))\n          _arguments"
      for option in command.allOptions { script += " \\\n            " + zsh(option) }
      for (index, argument) in command.arguments.enumerated() {
        let isLast = index == command.arguments.count - 1
        let place = isLast && command.argumentCount.upperBound > index + 1 ? "*" : "\(index + 1)"
        let action =
          argument.isPath
          ? "_files" : argument.words.isEmpty ? " " : "(\(argument.words.joined(separator: " ")))"
        script += " \\\n            " + quoted("\(place):\(plain(argument.placeholder)):\(action)")
      }
      script += " ;;\n"
    }
    return script + """
            esac ;;
        esac
      }
      if [ "$funcstack[1]" = "_holdfast" ]; then _holdfast "$@"; else compdef _holdfast holdfast; fi

      """
  }

  private static func zsh(_ option: Option) -> String {
    let summary = plain(option.summary)
    switch option.value {
    case .none: return quoted("\(option.name)[\(summary)]")
    case .oneOf(let words):
      return quoted("\(option.name)=[\(summary)]:value:(\(words.joined(separator: " ")))")
    case .path(let name): return quoted("\(option.name)=[\(summary)]:\(name):_files")
    case .text(let name), .number(let name):
      return quoted("\(option.name)=[\(summary)]:\(name): ")
    }
  }

  /// Text without the characters that `_arguments` gives a meaning.
  private static func plain(_ text: String) -> String {
    String(text.filter { !"[]:()\\".contains($0) })
  }

  private static func fish(_ commands: [Command]) -> String {
    var script = """
      # fish completion for holdfast: put it in ~/.config/fish/completions/holdfast.fish.
      complete -c holdfast -f

      """
    for option in [Option.help, .version] {
      script +=
        "complete -c holdfast -n __fish_use_subcommand -l \(option.name.dropFirst(2)) "
        + "-d \(quoted(option.summary))\n"
    }
    for command in commands {
      script +=
        "complete -c holdfast -n __fish_use_subcommand -a \(command.name) "
        + "-d \(quoted(command.summary))\n"
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      for argument in command.arguments {
        if argument.isPath { script += "complete -c holdfast \(condition) -F\n" }
        if !argument.words.isEmpty {
          script +=
            "complete -c holdfast \(condition) -a '\(argument.words.joined(separator: " "))'\n"
        }
      }
      for option in command.allOptions {
        script += "complete -c holdfast \(condition) -l \(option.name.dropFirst(2))"
        if let short = option.short { script += " -s \(short)" }
        switch option.value {
        case .none: break
        case .oneOf(let words): script += " -x -a '\(words.joined(separator: " "))'"
        case .path: script += " -r -F"
        case .text, .number: script += " -x"
        }
        script += " -d \(quoted(option.summary))\n"
      }
    }
    return script
  }

  /// A shell word in single quotes; bash, zsh and fish all read it back.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
