internal import Foundation

/// What a server or a tracker says of how to open its page.
enum LoginLink {
  /// The command that prints a link to the server of a data folder, as a person types it.
  static func command(data: String) -> String {
    "godwit login" + (data == DataFolder.usual ? "" : " --data \(ShellWord.quoted(data))")
  }

  /// The same for the panel of a tracker.
  static func command(journal: String) -> String {
    let isUsual = journal == DataFolder.usual + "/tracker.journal"
    return "godwit login --panel" + (isUsual ? "" : " --journal \(ShellWord.quoted(journal))")
  }

  /// On a terminal a link that opens the page once; in a log only how to get one: logs have more readers than the page.
  static func announce(_ command: String, link: () throws -> String) {
    guard Output.isTerminal, let link = try? link() else {
      return Output.note("To open it, run `\(command)`, which prints a link.")
    }
    Output.note("To open it, once and within ten minutes: \(link)")
    showCode(of: link)
    Output.note("`\(command)` prints another link.")
  }

  /// Prints a link as a code for a phone's camera, where a person sees it and a phone can reach it.
  static func showCode(of link: String) {
    let host = URLComponents(string: link)?.host ?? ""
    guard Output.isTerminal, !host.hasPrefix("127."), host != "localhost", host != "[::1]", let lines = QRCode.lines(link) else {
      return
    }
    Output.note(lines.joined(separator: "\n"))
  }
}

/// Words for a shell.
enum ShellWord {
  /// The word as a shell reads it back.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      return isLetter || (0x30...0x39).contains(byte) || "/._-+@:,".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
