/// The text that `--help` prints.
@MainActor
enum Help {
  /// The program that has all commands: texts that name a command are written for it.
  nonisolated static let writtenFor = "godwit"

  nonisolated static let help = "Show this help"
  nonisolated static let version = "The version of this program"

  /// - Parameters:
  ///   - type: the command.
  ///   - path: its name, with those of the commands above it.
  ///   - root: the program itself, which has a version.
  static func text(of type: any Command.Type, path: String, root: any Command.Type) -> String {
    var text = "\(type.abstract)\n\nUsage: \(usage(of: type, path: path))\n"
    if !type.discussion.isEmpty { text += "\n\(type.discussion)\n" }
    if !type.subcommands.isEmpty {
      text += "\nCommands:\n" + table(type.subcommands.map { ($0.name, $0.abstract) })
      text += "\nSee \(path) COMMAND --help for each.\n"
    }
    let declared = Parser.arguments(ofRunning: type).map(\.declaration)
    let operands = declared.compactMap { declaration -> (String, String)? in
      if case .operands(let value) = declaration.form { (value, declaration.help) } else { nil }
    }
    if !operands.isEmpty { text += "\nArguments:\n" + table(operands) }
    let options = declared.compactMap { declaration -> (String, String)? in
      switch declaration.form {
      case .option(let value): ("--\(declaration.name) \(value)", declaration.help)
      case .flag: ("--\(declaration.name)", declaration.help)
      case .operands: nil
      }
    }
    let version = path == root.name ? [(Parser.versionOption, Self.version)] : []
    text += "\nOptions:\n" + table(options + [("--help", help)] + version)
    if !type.examples.isEmpty {
      text += "\nExamples:\n"
      for example in type.examples { text += "  # \(example.purpose)\n  \(example.line)\n" }
    }
    return named(text, for: root)
  }

  /// A text of a command in another program than `godwit`: the commands of that program get its name.
  static func named(_ text: String, for root: any Command.Type) -> String {
    guard root.name != writtenFor else { return text }
    return root.subcommands.reduce(text) { text, command in
      text.replacing("\(writtenFor) \(command.name)", with: "\(root.name) \(command.name)")
    }
  }

  static func usage(of type: any Command.Type, path: String) -> String {
    if !type.subcommands.isEmpty, !type.runsItself { return "\(path) COMMAND" }
    var words = [path]
    for argument in Parser.arguments(of: type.init()) {
      switch argument.declaration.form {
      case .operands(let value): words.append(argument.missing == nil ? "[\(value)]" : value)
      case .option(let value):
        let option = "--\(argument.declaration.name) \(value)"
        words.append(argument.missing == nil ? "[\(option)]" : option)
      case .flag: words.append("[--\(argument.declaration.name)]")
      }
    }
    return words.joined(separator: " ")
  }

  /// Two columns, the second wrapped at 100 characters.
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
