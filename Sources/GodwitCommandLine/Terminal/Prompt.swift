internal import Foundation

/// Reads answers from the terminal.
package enum Prompt {
  /// Returns when the answer is yes.
  /// - Parameter option: what a program gives instead.
  /// - Throws: ``Failure`` when the answer is not yes, or standard input is not a terminal.
  package static func confirm(_ prompt: String, option: String) throws {
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure("\(prompt) Standard input is not a terminal; give \(option) to skip the confirmation.")
    }
    Output.ask(prompt + " [y/N] ")
    let response = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
    guard response == "y" || response == "yes" else { throw Failure("Nothing was changed.") }
  }
}

extension Prompt {
  /// A new password: typed twice at the terminal without an echo, or the first line of standard input.
  /// - Parameter what: the name of the password in the prompt.
  /// - Throws: ``Failure`` when there is none.
  package static func newPassword(_ what: String) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      guard let line = readLine(), !line.isEmpty else {
        throw Failure("Expected the password as the first line of standard input.")
      }
      return line
    }
    let first = try hidden("\(what): ")
    guard first == (try hidden("Repeat the password: ")) else {
      throw Failure("The passwords differ. Nothing was changed.")
    }
    return first
  }

  /// A secret that exists, from the person at the terminal.
  /// - Parameters:
  ///   - what: the name of the secret in the prompt.
  ///   - option: what a program gives instead.
  /// - Throws: ``Failure`` when there is none.
  package static func secret(_ what: String, option: String) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure("\(what) is needed, and standard input is not a terminal; give \(option).")
    }
    return try hidden("\(what): ")
  }

  /// A line that is written without being shown.
  private static func hidden(_ prompt: String) throws -> String {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else {
      throw Failure("The terminal cannot hide the input; send the password to standard input.")
    }
    var quiet = before
    quiet.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &before)
      Output.ask("\n")
    }
    Output.ask(prompt)
    guard let line = readLine() else { throw Failure("Nothing was changed.") }
    return line
  }
}
