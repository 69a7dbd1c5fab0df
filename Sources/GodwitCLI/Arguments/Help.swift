/// The text that `--help` prints.
@MainActor
enum Help {
  /// - Parameters:
  ///   - type: the command.
  ///   - path: its name, with those of the commands above it.
  ///   - isRoot: it is the program itself, which has a version.
  static func text(of type: any Command.Type, path: String, isRoot: Bool) -> String {
    var text = "\(type.abstract)\n\nUsage: \(usage(of: type, path: path))\n"
    if !type.discussion.isEmpty { text += "\n\(type.discussion)\n" }
    if !type.subcommands.isEmpty {
      text += "\nCommands:\n" + table(type.subcommands.map { ($0.name, $0.abstract) })
      text += "\nSee \(path) COMMAND --help for each.\n"
    }
    let declared = type.subcommands.isEmpty ? Parser.arguments(of: type.init()).map(\.declaration) : []
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
    let version = isRoot ? [(Parser.versionOption, "The version of this program")] : []
    text += "\nOptions:\n" + table(options + [("--help", "This text")] + version)
    if !type.examples.isEmpty {
      text += "\nExamples:\n"
      for example in type.examples { text += "  # \(example.purpose)\n  \(example.line)\n" }
    }
    return text
  }

  private static func usage(of type: any Command.Type, path: String) -> String {
    if !type.subcommands.isEmpty { return "\(path) COMMAND" }
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
