extension Problem {
  /// The problem of a rejected one-time login link.
  /// - Parameter command: the command that prints a new one.
  package static func loginLinkNotValid(command: String) -> Problem {
    Problem(
      401, "Login link not valid",
      "This link was used already, or is older than 10 minutes. Run `\(command)` on the server's machine and open the link that it prints."
    )
  }
}
