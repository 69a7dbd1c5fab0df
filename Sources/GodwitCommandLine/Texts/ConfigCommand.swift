internal import Foundation
internal import GodwitModel

/// `godwit config`
struct ConfigCommand: Command {
  static let name = "config"
  static let abstract = "Check a configuration file, or print one with all options."
  static let examples: [(line: String, purpose: String)] = []
  static let subcommands: [any Command.Type] = [ConfigCheck.self, ConfigExample.self]
  func run() async throws {}

  /// Returns the commands whose options form a section of the file.
  static func sections(of root: any Command.Type) -> [any Command.Type] {
    root.subcommands.filter { type in type.configured.contains { $0.isWhole && $0.section == type.name } }
  }
}

/// `godwit config check`
struct ConfigCheck: Command {
  static let name = "check"
  static let abstract = "Check a configuration file: names, values, and whether options belong together."
  static let discussion = """
    Prints every fault with its line, and ends with exit status 2 if there is one. Variables of the environment are not read.
    """
  static let examples = [
    (line: "godwit config check", purpose: "The file that the commands read"),
    (line: "godwit config check new.yaml", purpose: "Another one, before it replaces it"),
  ]

  @Operands("FILE", 0...1, "The file (default: the one that the commands read)")
  var files: [String]

  func run() async throws {
    guard let root = Program.root else { throw Failure("This program has no commands.") }
    let named = ProcessInfo.processInfo.environment[ArgumentSources.fileVariable] ?? ""
    let path = files.first ?? (named.isEmpty ? ConfigurationFile.standard(program: root.name) : named)
    let file: ConfigurationFile
    do { file = try ConfigurationFile(path: path) } catch { throw UsageError("\(error)") }
    let commands = ConfigCommand.sections(of: root)
    var faults: [String] = []
    for section in file.sections {
      guard let type = commands.first(where: { $0.name == section.name }) else {
        let known = commands.map { $0.name }
        faults.append(
          "\(path):\(section.line): no command \(section.name) has options in the file; expected \(known.joined(separator: " or "))"
        )
        continue
      }
      faults += Self.faults(in: section, of: type, file: file)
    }
    guard faults.isEmpty else { throw UsageError(faults.joined(separator: "\n")) }
    let counts = file.sections.map { section in
      "\(section.name): \(section.entries.count.counted("option"))"
    }
    Output.result("\(path) is valid. \(counts.isEmpty ? "It has no options." : counts.joined(separator: ", ") + ".")\n")
  }

  private static func faults(
    in section: ConfigurationFile.Section, of type: any Command.Type, file: ConfigurationFile
  ) -> [String] {
    let command = type.init()
    let declared = Parser.arguments(of: command)
    var faults = ArgumentSources(file: file).faults(in: section, of: declared).map { "\($0)" }
    // Missing options can be on the command line or in the environment, so that they are not an error. The options in the file must
    // be consistent.
    guard faults.isEmpty, declared.allSatisfy({ $0.missing == nil }) else { return faults }
    do { try command.validate() } catch { faults.append("\(file.path): \(section.name): \(error)") }
    return faults
  }
}

/// `godwit config example`
struct ConfigExample: Command {
  static let name = "example"
  static let abstract = "Print a configuration file with all options, each as a comment."
  static let examples = [
    (line: "godwit config example > godwit.yaml", purpose: "A file to edit; GODWIT_CONFIG=godwit.yaml godwit serve reads it")
  ]

  func run() async throws {
    guard let root = Program.root else { throw Failure("This program has no commands.") }
    Output.result(Self.text(of: root))
  }

  static func text(of root: any Command.Type) -> String {
    var text = """
      # Options of \(root.name). Remove the # before an option to set it.
      # A variable of the environment overrides this file, and the command line overrides both.
      # `\(root.name) config check` checks it. \(ConfigurationFile.standard(program: root.name)) is read by default.

      """
    for type in ConfigCommand.sections(of: root) {
      let tree = CommandTree(type, below: [root.name], root: root)
      text += "\n# \(tree.line): \(tree.abstract)\n\(tree.name):\n"
      for argument in Parser.arguments(of: type.init()) where argument.declaration.isOption {
        text += option(argument.declaration, root: root)
      }
    }
    return text
  }

  private static func option(_ declaration: Declaration, root: any Command.Type) -> String {
    let value =
      switch declaration.form {
      case .flag, .operands: "true"
      case .option(let value): declaration.isRepeatable ? "[\(value)]" : value
      }
    let help = lines(Help.named(declaration.help, for: root)).map { "  # \($0)\n" }.joined()
    return "\n\(help)  #\(declaration.name): \(value)\n"
  }

  /// Wraps a text to lines of at most 100 characters.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: " ").reduce(into: []) { lines, word in
      if let last = lines.last, last.count + word.count < 100 {
        lines[lines.count - 1] = "\(last) \(word)"
      } else {
        lines.append(String(word))
      }
    }
  }
}
