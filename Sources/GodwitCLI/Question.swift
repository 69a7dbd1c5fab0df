internal import Foundation

/// Asks the person at the terminal.
enum Question {
  /// Returns when the answer is yes.
  /// - Parameter option: what a program gives instead.
  /// - Throws: ``Failure`` when it is not, or when nobody is there to answer.
  static func confirm(_ question: String, option: String) throws {
    guard isatty(STDIN_FILENO) == 1 else {
      throw Failure("\(question) Nobody is there to answer; give \(option) to do it without a question.")
    }
    Output.ask(question + " [y/N] ")
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased() ?? ""
    guard answer == "y" || answer == "yes" else { throw Failure("Nothing was changed.") }
  }
}
