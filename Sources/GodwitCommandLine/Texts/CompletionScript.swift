/// A script that completes commands and options of a program in a shell. Values and operands are completed as files.
struct CompletionScript: Sendable {
  enum Shell: String, Sendable, CaseIterable { case bash, zsh, fish }

  private let root: CommandTree
  /// Name of the program in names of functions.
  private let identifier: String

  init(_ root: CommandTree) {
    self.root = root
    identifier = root.name.replacing("-", with: "_")
  }

  func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// Returns the words of a command after the program's name.
  private func place(_ command: CommandTree) -> String { command.path.dropFirst().joined(separator: " ") }

  /// Patterns of all commands, each as `'device add'`.
  private var places: String { root.all.dropFirst().map { "'\(place($0))'" }.joined(separator: " | ") }

  /// Patterns of the options with a value, each with its command: `'serve --data'`.
  private var valued: String {
    root.all.flatMap { command in
      command.options.filter { $0.value != nil }.map { "'\((command.path.dropFirst() + [$0.name]).joined(separator: " "))'" }
    }.joined(separator: " | ")
  }

  // MARK: bash

  /// A script for `complete -F`; see "Programmable Completion" in the manual of bash.
  private var bash: String {
    let words = root.all.map { command in
      let found = command.subcommands.map(\.name) + command.options.map(\.name)
      return
        "    '\(place(command))') words='\(found.joined(separator: " "))'; isGroup=\(command.subcommands.isEmpty ? "" : "1") ;;"
    }.joined(separator: "\n")
    return """
      # Completion of \(root.name) for bash. Made by `\(root.name) completion bash`.
      _\(identifier)() {
        local current=${COMP_WORDS[COMP_CWORD]} at= word words= isGroup= next
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          next="${at:+$at }$word"
          case "$next" in
          \(places)) at=$next ;;
          esac
        done
        COMPREPLY=()
        # No word: bash completes the value of an option, or an operand, as a file.
        case "${at:+$at }${COMP_WORDS[COMP_CWORD-1]}" in
        \(valued)) return ;;
        esac
        case "$at" in
      \(words)
        esac
        if [[ $current == -* || -n $isGroup ]]; then
          mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
        fi
      }
      complete -o default -F _\(identifier) \(root.name)

      """
  }

  // MARK: zsh

  /// A function of the completion system; see zshcompsys(1).
  private var zsh: String {
    func described(_ entries: [(name: String, help: String)]) -> String {
      entries.map { "'\(quoted("\($0.name.replacing(":", with: "\\:")):\($0.help)"))'" }.joined(separator: " ")
    }
    let words = root.all.map { command in
      "    ('\(place(command))') commands=(\(described(command.subcommands.map { ($0.name, $0.abstract) }))) "
        + "options=(\(described(command.options.map { ($0.name, $0.help) }))) ;;"
    }.joined(separator: "\n")
    return """
      #compdef \(root.name)
      # Completion of \(root.name) for zsh. Made by `\(root.name) completion zsh`.
      _\(identifier)() {
        local at= word next
        local -a commands options
        for word in "${(@)words[2,CURRENT-1]}"; do
          next="${at:+$at }$word"
          case "$next" in
          (\(places)) at=$next ;;
          esac
        done
        case "${at:+$at }$words[CURRENT-1]" in
        (\(valued)) _files; return ;;
        esac
        case "$at" in
      \(words)
        esac
        if [[ $words[CURRENT] == -* ]]; then
          _describe option options
        elif (( $#commands )); then
          _describe command commands
        else
          _files
        fi
      }
      _\(identifier) "$@"

      """
  }

  /// Escapes a text for single quotes of a POSIX shell.
  private func quoted(_ text: String) -> String { text.replacing("'", with: "'\\''") }

  // MARK: fish

  /// A script for `complete`; see the manual of fish.
  private var fish: String {
    func quoted(_ text: String) -> String { "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'" }
    var lines = [
      "# Completion of \(root.name) for fish. Made by `\(root.name) completion fish`.",
      "function __\(identifier)_is_at",
      "  set -l at",
      "  for word in (commandline -opc)[2..]",
      "    if contains -- (string join ' ' $at $word) \(root.all.dropFirst().map { quoted(place($0)) }.joined(separator: " "))",
      "      set -a at $word",
      "    end",
      "  end",
      "  test \"$at\" = \"$argv[1]\"",
      "end",
    ]
    for command in root.all {
      let here = "complete -c \(root.name) -n \(quoted("__\(identifier)_is_at '\(place(command))'"))"
      for below in command.subcommands { lines.append("\(here) -f -a \(below.name) -d \(quoted(below.abstract))") }
      for option in command.options {
        lines.append(
          "\(here) -l \(option.name.dropFirst(2))\(option.value == nil ? "" : " -r") -d \(quoted(option.help))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
