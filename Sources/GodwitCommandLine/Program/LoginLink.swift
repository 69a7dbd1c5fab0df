internal import Foundation

/// What a server or a tracker says of how to open its page.
package enum LoginLink {
  /// The command that prints a link to the server of a data folder, as a person types it.
  package static func command(data: String) -> String {
    "\(Program.current.name) login" + (data == DataFolder.usual ? "" : " --data \(ShellWord.quoted(data))")
  }

  /// The same for the panel of a tracker.
  package static func command(journal: String) -> String {
    let isUsual = journal == DataFolder.usual + "/tracker.journal"
    return "\(Program.current.name) login --panel" + (isUsual ? "" : " --journal \(ShellWord.quoted(journal))")
  }

  /// On a terminal a link that opens the page once; in a log only how to get one: logs have more readers than the page.
  package static func announce(_ command: String, link: () throws -> String) {
    guard Output.isTerminal, let link = try? link() else {
      return Output.log("To open it, run `\(command)`, which prints a link.")
    }
    Output.log("To open it, once and within ten minutes: \(link)")
    showCode(of: link)
    Output.log("`\(command)` prints another link.")
  }

  /// Prints a link as a code for a phone's camera, where a person sees it and a phone can reach it.
  package static func showCode(of link: String) {
    let host = URLComponents(string: link)?.host ?? ""
    guard Output.isTerminal, !host.hasPrefix("127."), host != "localhost", host != "[::1]" else { return }
    if let lines = Program.current.drawCode(link) { Output.log(lines.joined(separator: "\n")) }
  }
}
