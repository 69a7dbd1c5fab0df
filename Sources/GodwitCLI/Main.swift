internal import GodwitCommandLine
internal import GodwitServerCommands
internal import GodwitTrackerCommands

/// The executable `godwit`.
@main
struct Main {
  @MainActor
  static func main() async { await Program(name: Godwit.name, drawCode: QRCode.lines).run(Godwit.self) }
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
  static let subcommands =
    [Demo.self] + ServerCommands.serving + TrackerCommands.tracking + [Simulate.self] + TrackerCommands.files
    + ServerCommands.transfer + TrackerCommands.settings + ServerCommands.administration + [Doctor.self] + TextCommands.all
  func run() async throws {}
}
