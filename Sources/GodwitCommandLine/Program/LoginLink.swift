internal import Foundation

/// Output of a server or tracker that explains how to open its page.
package enum LoginLink {
  /// Returns the command that prints a link to the server of a data folder.
  package static func command(data: String) -> String {
    "\(Program.current.name) login" + (data == DataFolder.usual ? "" : " --data \(ShellWord.quoted(data))")
  }

  /// Returns the command that prints a link to the panel of a tracker.
  package static func command(journal: String) -> String {
    let isUsual = journal == DataFolder.usual + "/tracker.journal"
    return "\(Program.current.name) login --panel" + (isUsual ? "" : " --journal \(ShellWord.quoted(journal))")
  }

  /// On a terminal prints a one-time link. In a log prints only the command, because more people can read logs than may open the
  /// page.
  package static func announce(_ command: String, link: () throws -> String) {
    guard Output.isTerminal, let link = try? link() else {
      return Output.log("To open it, run `\(command)`, which prints a link.")
    }
    Output.log("To open it, once and within ten minutes: \(link)")
    showCode(of: link)
    Output.log("`\(command)` prints another link.")
  }

  /// Prints a link as a QR code, if standard error is a terminal and a phone can reach the address.
  package static func showCode(of link: String) {
    let host = URLComponents(string: link)?.host ?? ""
    guard Output.isTerminal, !host.hasPrefix("127."), host != "localhost", host != "[::1]" else { return }
    if let lines = Program.current.drawCode(link) { Output.log(lines.joined(separator: "\n")) }
  }
}
