/// One subcommand of `godwit`. A command is a type; its arguments are its properties, declared with the
/// wrappers ``Option``, ``Flag`` and ``Operands`` together with the help for each.
@MainActor
protocol Command {
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

  init()
  func run() async throws
}

extension Command {
  static var discussion: String { "" }
  static var subcommands: [any Command.Type] { [] }
}

/// The command line was wrong: exit status 2, and the sentence says what is right.
struct UsageError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The command did not succeed: exit status 1.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
