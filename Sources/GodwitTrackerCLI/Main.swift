internal import GodwitCommandLine
internal import GodwitTrackerCommands

/// The executable `godwit-tracker`: the tracker without the server and its libraries.
@main
struct Main {
  @MainActor
  static func main() async { await Program(name: GodwitTracker.name).run(GodwitTracker.self) }
}

/// The root of the tracker's commands.
struct GodwitTracker: Command {
  static let name = "godwit-tracker"
  static let abstract = "Collects location on this machine, and sends it to a server."
  static let discussion = """
    Results go to standard output, everything else to standard error. Exit status: 0 done, 1 failed, 2 wrong usage. The program
    `godwit` has the same commands, and those of a server.
    """
  static let examples = [
    (
      line: "godwit track --source gpsd://127.0.0.1:2947 --endpoint https://example.org/api/overland --token TOKEN",
      purpose: "A receiver on this machine"
    ),
    (line: "godwit doctor", purpose: "Check the receivers and the tracker's files"),
  ]
  static let subcommands =
    TrackerCommands.tracking + TrackerCommands.files + TrackerCommands.settings + TrackerCommands.alone
    + TextCommands.all
  func run() async throws {}
}
