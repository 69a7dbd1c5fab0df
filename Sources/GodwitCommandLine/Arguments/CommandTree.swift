/// A command in the form that help, completion scripts and manual pages need.
struct CommandTree: Sendable {
  struct Option: Sendable, Hashable {
    /// Name with its two dashes.
    let name: String
    /// Placeholder of the value, such as `DIR`; `nil` for a flag.
    let value: String?
    let help: String
  }

  /// Words of the command line, starting with the program's name.
  let path: [String]
  let abstract: String
  let discussion: String
  let usage: String
  let examples: [(line: String, purpose: String)]
  let operands: [(name: String, help: String)]
  let options: [Option]
  let subcommands: [CommandTree]

  var name: String { path.last ?? "" }
  var line: String { path.joined(separator: " ") }

  /// - Parameters:
  ///   - type: The command.
  ///   - above: Words before its name.
  ///   - root: The root command of the program. Texts use its name in commands.
  @MainActor
  init(_ type: any Command.Type, below above: [String] = [], root: any Command.Type) {
    path = above + [type.name]
    func named(_ text: String) -> String { Help.named(text, for: root) }
    (abstract, discussion) = (named(type.abstract), named(type.discussion))
    usage = Self.usage(of: type, path: path.joined(separator: " "))
    examples = type.examples.map { (named($0.line), named($0.purpose)) }
    let declared = Parser.arguments(ofRunning: type).map(\.declaration)
    operands = declared.compactMap { declaration in
      if case .operands(let value) = declaration.form { (value, named(declaration.help)) } else { nil }
    }
    var options = declared.compactMap { declaration -> Option? in
      switch declaration.form {
      case .option(let value): Option(name: "--\(declaration.name)", value: value, help: named(declaration.help))
      case .flag: Option(name: "--\(declaration.name)", value: nil, help: named(declaration.help))
      case .operands: nil
      }
    }
    if !options.isEmpty, !type.configured.isEmpty {
      let declaration = ArgumentSources.fileOption(program: root.name).declaration
      options.append(Option(name: "--\(declaration.name)", value: "FILE", help: declaration.help))
    }
    options.append(Option(name: "--help", value: nil, help: "Show this help"))
    if above.isEmpty { options.append(Option(name: Parser.versionOption, value: nil, help: "The version of this program")) }
    self.options = options
    let path = path
    subcommands = type.subcommands.map { CommandTree($0, below: path, root: root) }
  }

  /// The command and all commands below it, in the order of the help.
  var all: [CommandTree] { [self] + subcommands.flatMap(\.all) }

  @MainActor
  private static func usage(of type: any Command.Type, path: String) -> String {
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
}
