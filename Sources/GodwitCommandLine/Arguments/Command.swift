/// One subcommand of `godwit`. A command is a type; its arguments are its properties, declared with the
/// wrappers ``Option``, ``Flag`` and ``Operands`` together with the help for each.
@MainActor
package protocol Command {
  /// The word on the command line.
  static var name: String { get }
  /// One line for the list of commands.
  static var abstract: String { get }
  /// What follows in its own help: a paragraph or two.
  static var discussion: String { get }
  /// Command lines to copy, each with what it does.
  static var examples: [(line: String, purpose: String)] { get }
  /// Commands below this one (`device add`).
  static var subcommands: [any Command.Type] { get }

  /// Whether it also runs without one of the commands below it: a word that names none of them is an argument.
  static var runsItself: Bool { get }

  /// Options that the environment and a configuration file may give as well.
  static var configured: [ConfiguredOptions] { get }

  init()
  /// Whether the options belong together, without doing anything.
  /// - Throws: ``UsageError``, or ``Failure`` where a file that an option names is wrong.
  func validate() throws
  func run() async throws
}

extension Command {
  package static var discussion: String { "" }
  package static var subcommands: [any Command.Type] { [] }
  package static var runsItself: Bool { false }
  package static var configured: [ConfiguredOptions] { [] }
  package func validate() throws {}
}

/// The command line was wrong: exit status 2, and the sentence says what is right.
package struct UsageError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// The command did not succeed: exit status 1.
package struct Failure: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
