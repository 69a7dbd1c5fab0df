/// The text that `--help` prints.
@MainActor
enum Help {
  /// Name of the program with all commands. Texts use this name in commands.
  nonisolated static let writtenFor = "godwit"

  static func text(of command: CommandTree) -> String {
    var text = "\(command.abstract)\n\nUsage: \(command.usage)\n"
    if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
    if !command.subcommands.isEmpty {
      text += "\nCommands:\n" + table(command.subcommands.map { ($0.name, $0.abstract) })
      text += "\nSee \(command.line) COMMAND --help for each.\n"
    }
    if !command.operands.isEmpty { text += "\nArguments:\n" + table(command.operands.map { ($0.name, $0.help) }) }
    text += "\nOptions:\n" + table(command.options.map { ($0.name + ($0.value.map { " \($0)" } ?? ""), $0.help) })
    if !command.examples.isEmpty {
      text += "\nExamples:\n"
      for example in command.examples { text += "  # \(example.purpose)\n  \(example.line)\n" }
    }
    return text
  }

  /// Returns a text with the name of another program in place of `godwit`, for the commands of that program.
  static func named(_ text: String, for root: any Command.Type) -> String {
    guard root.name != writtenFor else { return text }
    return root.subcommands.reduce(text) { text, command in
      text.replacing("\(writtenFor) \(command.name)", with: "\(root.name) \(command.name)")
    }
  }

  /// Returns a table with two columns. The second column is wrapped at 100 characters.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = min(34, (rows.map(\.0.count).max() ?? 0) + 2)
    var text = ""
    for (left, right) in rows {
      var line = "  " + left
      line +=
        left.count < width
        ? String(repeating: " ", count: width - left.count) : "\n  " + String(repeating: " ", count: width)
      var length = width + 2
      for word in right.split(separator: " ") {
        if length + word.count > 100 {
          line += "\n  " + String(repeating: " ", count: width)
          length = width + 2
        }
        line += word + " "
        length += word.count + 1
      }
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}
