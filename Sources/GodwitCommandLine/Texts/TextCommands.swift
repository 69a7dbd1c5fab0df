internal import Foundation
internal import GodwitModel

/// Commands that print texts about all commands of the program.
@MainActor
package enum TextCommands {
  package static let all: [any Command.Type] = [ConfigCommand.self, CompletionCommand.self, ManualCommand.self]
}

/// `godwit completion`
struct CompletionCommand: Command {
  static let name = "completion"
  static let abstract = "Print a script with which a shell completes commands and options."
  static let discussion = """
    A package installs the scripts. Without one, print the script into a file that the shell reads when it starts.
    """
  static let examples = [
    (line: "godwit completion bash > ~/.local/share/bash-completion/completions/godwit", purpose: "For bash"),
    (line: "godwit completion zsh > ~/.zfunc/_godwit", purpose: "For zsh, in a folder of $fpath"),
    (line: "godwit completion fish > ~/.config/fish/completions/godwit.fish", purpose: "For fish"),
  ]

  @Operands("SHELL", 1...1, "bash, zsh or fish")
  var shells: [String]

  func run() async throws {
    guard let shell = CompletionScript.Shell(rawValue: shells[0]) else {
      throw UsageError("\"\(shells[0])\" is not a shell that can be completed: expected bash, zsh or fish")
    }
    Output.result(CompletionScript(try Program.commands).text(for: shell))
  }
}

/// `godwit manual`
struct ManualCommand: Command {
  static let name = "manual"
  static let abstract = "Write the pages of the manual, one for each command, as man reads them."
  static let examples = [
    (line: "godwit manual /usr/local/share/man/man1", purpose: "Where man finds them"),
    (line: "godwit manual pages", purpose: "In a folder; `man ./pages/godwit.1` shows the first"),
  ]

  @Operands("DIR", 1...1, "The folder; it is created")
  var folders: [String]

  func run() async throws {
    let folder = folders[0]
    let pages = ManualPage.all(of: try Program.commands)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for page in pages {
        try Data(page.text.utf8).write(to: URL(fileURLWithPath: folder).appendingPathComponent(page.file))
      }
    } catch {
      throw Failure("\(folder) cannot be written: \(error.localizedDescription)")
    }
    Output.log("Wrote \(pages.count.counted("page")) into \(folder).")
  }
}

extension Program {
  /// The root command of the program as a tree.
  @MainActor
  fileprivate static var commands: CommandTree {
    get throws {
      guard let root else { throw Failure("This program has no commands.") }
      return CommandTree(root, root: root)
    }
  }
}
