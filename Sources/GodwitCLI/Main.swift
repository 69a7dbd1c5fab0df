internal import Foundation

/// The executable `godwit`: finds the command, runs it, and turns what it says into an exit status.
@main
struct Main {
  @MainActor
  static func main() async {
    // A reader that went away (`godwit export … | head`) is an error of one write and not the end.
    signal(SIGPIPE, SIG_IGN)
    let words = words
    do {
      switch try Parser.parse(words, root: Godwit.self) {
      case .help(let text): Output.result(text)
      case .run(let command):
        // For the test of the documents' commands: everything but the running.
        if ProcessInfo.processInfo.environment["GODWIT_CHECK_USAGE"] != nil { break }
        try await command.run()
      }
    } catch let error as UsageError {
      Output.note("godwit: \(error)")
      exit(2)
    } catch is CancellationError {
      end()
    } catch {
      Output.note("godwit: \(error)")
      exit(1)
    }
    end()
  }

  /// Ends with 0 only where standard output took all results.
  private static func end() -> Never {
    Output.finish()
    if let failure = Output.failure, !failure.isReaderGone {
      Output.note("godwit: \(failure)")
      exit(1)
    }
    exit(0)
  }
}

extension Main {
  /// The words after the program's name. Where a preloaded library has set variables of the environment, Swift's runtime finds
  /// none; the kernel knows them still.
  fileprivate static var words: [String] {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.isEmpty, let file = FileHandle(forReadingAtPath: "/proc/self/cmdline"),
      let line = try? file.readToEnd(), !line.isEmpty
    else { return words }
    // Each word ends with a zero.
    return line.dropLast().split(separator: 0, omittingEmptySubsequences: false).dropFirst()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The root of all commands.
struct Godwit: Command {
  static let name = "godwit"
  static let abstract = "Collects location: a tracker, a server, and the tools for both."
  static let discussion = """
    Results go to standard output, everything else to standard error. Exit status: 0 done, 1 failed, 2 wrong usage.
    """
  static let examples = [
    (line: "godwit demo", purpose: "Show a recorded walk being tracked, sent, stored and drawn"),
    (line: "godwit serve --data ~/godwit", purpose: "Keep your own location history"),
    (line: "godwit device add phone --data ~/godwit", purpose: "Let a phone with the Overland app send to it"),
  ]
  static let subcommands: [any Command.Type] = [
    Demo.self, Serve.self, LoginCommand.self, Track.self, Simulate.self, Setup.self, LedgerCommand.self, Purge.self,
    ReplayEvents.self, Import.self,
    Export.self, BackupCommand.self, RestoreCommand.self, ConvertCommand.self, SnapshotCommand.self, SettingsCommand.self,
    DeviceCommand.self, RejectedCommand.self, UserCommand.self, DeleteCommand.self, ZoneCommand.self, RegionsCommand.self,
    Doctor.self,
  ]
  func run() async throws {}
}
