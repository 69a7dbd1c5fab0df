/// A subcommand of `godwit`. A command is a type. Its arguments are properties, declared with the wrappers ``Option``, ``Flag`` and
/// ``Operands`` and their help texts.
@MainActor
package protocol Command {
  /// Name on the command line.
  static var name: String { get }
  /// Description in one line, for the list of commands.
  static var abstract: String { get }
  /// Further help in one or two paragraphs.
  static var discussion: String { get }
  /// Example command lines with their purposes.
  static var examples: [(line: String, purpose: String)] { get }
  /// Subcommands of this command (`device add`).
  static var subcommands: [any Command.Type] { get }

  /// Whether the command also runs without a subcommand. A word that is not a subcommand is then an argument.
  static var runsItself: Bool { get }

  /// Options that can also be set in the environment and in a configuration file.
  static var configured: [ConfiguredOptions] { get }

  init()
  /// Checks whether the options are consistent, without side effects.
  /// - Throws: ``UsageError``, or ``Failure`` for an error in a file that an option names.
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

/// An error of the command line, with exit status 2. The text contains the correct usage.
package struct UsageError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// A failure of the command, with exit status 1.
package struct Failure: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
