internal import Foundation

/// Prompts on the terminal.
package enum Prompt {
  /// Asks for confirmation, and returns if the answer is yes.
  /// - Parameter option: Option that skips the confirmation in scripts.
  /// - Throws: ``Failure`` for any other answer, or if standard input is not a terminal.
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
  /// Reads a new password: twice from the terminal without echo, or from the first line of standard input.
  /// - Parameter what: Name of the password in the prompt.
  /// - Throws: ``Failure`` if there is none, or if the two inputs differ.
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

  /// Reads an existing secret from the terminal.
  /// - Parameters:
  ///   - what: Name of the secret in the prompt.
  ///   - option: Option for the secret in scripts.
  /// - Throws: ``Failure`` without a terminal or without input.
  package static func secret(_ what: String, option: String) throws -> String {
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure("\(what) is needed, and standard input is not a terminal; give \(option).")
    }
    return try hidden("\(what): ")
  }

  /// Reads a line without echo.
  private static func hidden(_ prompt: String) throws -> String {
    var before = termios()
    guard tcgetattr(STDIN_FILENO, &before) == 0 else {
      throw Failure("The terminal cannot hide the input; send the password to standard input.")
    }
    let shown = before
    let restore: @Sendable () -> Void = {
      var shown = shown
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
      Output.ask("\n")
    }
    // Without the handlers a signal would leave the terminal without echo.
    let handlers = Signals.ending("Interrupted. Nothing was changed.", cleanUp: restore)
    defer { for handler in handlers { handler.cancel() } }
    var quiet = shown
    quiet.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
    defer { restore() }
    Output.ask(prompt)
    guard let line = readLine() else { throw Failure("Nothing was changed.") }
    return line
  }
}
