internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitModel

/// `godwit purge`
struct Purge: Command {
  static let name = "purge"
  static let abstract = "Delete all unsent records of a tracker's journal. The tracker must not be running."
  static let discussion = "The coverage log, settings and trip stay. The server reports the deleted records as missing."
  static let examples = [(line: "godwit purge", purpose: "Print the number of records and ask for confirmation")]

  static let configured = [ConfiguredOptions.only(["journal"], of: Track.name)]

  @Option(
    "journal", "FILE", default: DataFolder.journal, shown: DataFolder.shown(file: "tracker.journal"), "The tracker's journal")
  var journal: String
  @Flag("yes", "Skip the confirmation")
  var isSure: Bool

  func run() async throws {
    guard FileManager.default.fileExists(atPath: journal) else { throw Failure("\(journal): there is no journal.") }
    guard !Tracker.isRunning(journalPath: journal) else {
      throw Failure("\(journal) is used by a running tracker. Stop it first.")
    }
    let store = try Journal(path: journal)
    let waiting = store.endpoints().map { store.waiting(endpoint: $0) }.max() ?? 0
    let rejected = try store.quarantinedCount()
    guard waiting + rejected > 0 else { return Output.log("No unsent records.") }
    let what = "\(waiting.counted("unsent record")), and \(rejected.counted("rejected record"))"
    if !isSure { try Prompt.confirm("Delete \(what)?", option: "--yes") }
    try store.purge()
    Output.log("Deleted: \(what).")
  }
}
