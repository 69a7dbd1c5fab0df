internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// `godwit coverage`
struct CoverageCommand: Command {
  static let name = "coverage"
  static let abstract = "Show for every minute why there is a position or none, and whether the tracker runs."
  static let discussion = """
    A line is a run of minutes with the same reason. The names of endpoints mark records that they have not received or have
    rejected. The command works beside a running tracker, which writes this log every five minutes.
    """
  static let examples = [
    (line: "godwit coverage", purpose: "The last day"),
    (line: "godwit coverage --from 2026-11-01 --to 2026-11-08 --json", purpose: "A week, for a program"),
  ]

  static let configured = [ConfiguredOptions.only(["journal"], of: Track.name)]

  @Option(
    "journal", "FILE", default: DataFolder.journal, shown: DataFolder.shown(file: "tracker.journal"), "The tracker's journal")
  var journal: String
  @OptionalOption("from", "TIME", "From this time on (default: a day ago)")
  var from: Date?
  @OptionalOption("to", "TIME", "Up to this time")
  var to: Date?
  @Flag("json", "Print JSON lines")
  var json: Bool

  func run() async throws {
    guard FileManager.default.fileExists(atPath: journal) else {
      throw Failure("\(journal): there is no journal. Give the tracker's journal with --journal.")
    }
    let isAlive = Tracker.isRunning(journalPath: journal)
    let store = try Journal(path: journal)
    let lines = try store.coverageLines(
      from: from ?? to?.addingTimeInterval(-DayLength.seconds) ?? Date().addingTimeInterval(-DayLength.seconds),
      to: to ?? .distantFuture)
    if json {
      for line in lines { Output.result(try Self.json(line)) }
      return
    }
    var rows = [["FROM", "TO", "MINUTES", "FIXES", "WHY"]]
    for line in lines {
      rows.append([
        line.entry.start.formattedUTC, line.entry.end.formattedUTC, String(line.entry.minutes),
        line.entry.fixes > 0 ? String(line.entry.fixes) : "", Self.reasonText(line),
      ])
    }
    if lines.isEmpty {
      Output.log("The coverage log has no entries of this time.")
    } else {
      Output.result(TextTable.text(rows))
    }
    let end = try store.coverageEnd()
    let known = end.map { "the coverage log ends at \($0.formattedUTC)" } ?? "the coverage log is empty"
    Output.log(isAlive ? "The tracker runs; \(known)." : "No tracker runs on this journal; \(known).")
    for loss in try store.losses() {
      let reason =
        switch loss.reason {
        case .age: "they exceeded the setting retention"
        case .size: "the journal had reached max_journal_size"
        case .rejected: "the endpoint had rejected them, and they exceeded the setting retention"
        }
      Output.log(
        "\(loss.count.counted("record")) of \(loss.first.formattedUTC) to \(loss.last.formattedUTC) \(loss.count == 1 ? "was" : "were") "
          + "lost for \(loss.endpoint): \(reason).")
    }
    for endpoint in store.endpoints() {
      let waiting = store.waiting(endpoint: endpoint)
      guard waiting > 0 else { continue }
      let since = try store.oldestWaiting(endpoint: endpoint).map { ", the oldest since \($0.formattedUTC)" } ?? ""
      Output.log("\(waiting.counted("record is", "records are")) queued for \(endpoint)\(since).")
    }
  }

  private static func reasonText(_ line: CoverageLine) -> String {
    var words = [line.entry.reason.title]
    if !line.unsent.isEmpty { words.append("not yet sent to " + line.unsent.joined(separator: ", ")) }
    words += line.rejected.map { "\($0.count) rejected by \($0.endpoint): \($0.reason)" }
    return words.joined(separator: "; ")
  }

  private static func json(_ line: CoverageLine) throws -> String {
    let object: [String: Any] = [
      "start": RFC3339.string(line.entry.start), "minutes": line.entry.minutes, "reason": line.entry.reason.rawValue,
      "fixes": line.entry.fixes, "unsent": line.unsent,
      "rejected": line.rejected.map { ["endpoint": $0.endpoint, "reason": $0.reason, "count": $0.count] as [String: Any] },
    ]
    let data = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data, as: UTF8.self) + "\n"
  }
}
