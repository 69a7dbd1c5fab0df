internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitEngine
internal import GodwitModel
internal import Synchronization

#if os(Linux)
  internal import CoreLocation

  extension ReplaySource.Report {
    /// Why nothing of a file was replayed, as a sentence; `nil`: something was, or is in the journal already.
    var emptiness: String? {
      guard fixes == 0, replayedBefore == 0, problem == nil else { return nil }
      if withoutTime > 0 { return "Nothing was replayed: none of its \(withoutTime) track points has a time." }
      let first = firstSkipped.first.map { " The first skipped part: \($0)." } ?? ""
      return "Nothing was replayed: the file has no position.\(first)"
    }
  }

  /// Says how a tracker is doing: sentences where something changed that a person should know, one line that is
  /// written over on a terminal, or JSON lines for programs.
  final class StatusReporter: Sendable {
    private let json: Bool
    private let regions: RegionManager?
    private let said = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - json: lines for programs.
    ///   - regions: that are watched over.
    init(json: Bool, regions: RegionManager? = nil) {
      self.json = json
      self.regions = regions
    }

    func report(_ status: Tracker.Status) {
      if json {
        Output.result(json(status) + "\n")
        return
      }
      for problem in Self.problems(of: status) {
        // Each problem is said once, until it is gone.
        if said.withLock({ $0.insert(problem).inserted }) {
          Output.endProgress()
          Output.log(problem)
        }
      }
      said.withLock { $0.formIntersection(Self.problems(of: status)) }
      let waiting = status.endpoints.map(\.status.waiting).max() ?? 0
      let time = status.lastFix.map { RFC3339.string($0.time) } ?? "no position yet"
      Output.progress("\(time)  \(waiting) waiting")
    }

    func finish(_ status: Tracker.Status, _ replay: ReplaySource.Report?) {
      guard !json else { return }
      Output.endProgress()
      if let replay { Output.log(Self.text(of: replay)) }
      if status.thinnedFixes > 0 { Output.log("\(status.thinnedFixes) fixes were too near or too soon and were not recorded.") }
      if status.invalidFixes > 0 { Output.log("\(status.invalidFixes) fixes had no valid position and were not recorded.") }
      if status.damaged > 0 {
        Output.log("\(status.damaged) records of the journal were damaged; they are sent as unreadable_record.")
      }
      if status.quarantined > 0 {
        Output.log(
          "\(status.quarantined) records were rejected permanently by the server and quarantined: \(Program.current.name) doctor --journal FILE shows them."
        )
      }
      for endpoint in status.endpoints where endpoint.status.waiting > 0 {
        Output.log("\(endpoint.status.waiting) records are queued in the journal; the next run sends them.")
      }
    }

    /// What came of a replay, in sentences.
    static func text(of replay: ReplaySource.Report) -> String {
      var text = "Replayed \(replay.fixes) fixes."
      if replay.replayedBefore > 0 {
        text =
          replay.fixes == 0
          ? "All \(replay.replayedBefore) fixes of the file were recorded before; none is recorded again. --from-start replays it from the beginning."
          : "Replayed \(replay.fixes) fixes, after the \(replay.replayedBefore) that were recorded before."
      }
      if replay.withoutTime > 0 { text += " \(replay.withoutTime) points have no time and were skipped." }
      if replay.skipped > 0 {
        text += " \(replay.skipped) parts were skipped, such as: \(replay.firstSkipped.first ?? "")."
      }
      return text
    }

    private static func problems(of status: Tracker.Status) -> [String] {
      var problems = status.endpoints.compactMap(\.status.problem)
      problems += Self.losses(status)
      problems += [status.locationProblem, status.journalProblem, status.regionProblem].compactMap(\.self)
      return problems
    }

    /// What endpoints never get, in sentences.
    private static func losses(_ status: Tracker.Status) -> [String] {
      status.lostRecords.sorted { $0.key.name < $1.key.name }.map {
        "\($1) records were lost: the settings retention and max_journal_size removed them before \($0) received them. "
          + "\(Program.current.name) coverage lists them."
      }
    }

    private func json(_ status: Tracker.Status) -> String {
      var object: [String: Any] = [
        "tracking": status.isTracking, "waiting": status.endpoints.map(\.status.waiting).max() ?? 0,
        "invalid": status.invalidFixes, "thinned": status.thinnedFixes, "lost": status.lost, "set_aside": status.quarantined,
        "damaged": status.damaged, "problems": Self.problems(of: status),
      ]
      if let regions {
        object["geofences"] = regions.geofencesByDistance.map(\.id)
        object["beacons"] = regions.beaconsByProximity.map(\.region.id)
      }
      if let fix = status.lastCommitted { object["last_fix"] = RFC3339.string(fix.time) }
      if let sent = status.endpoints.compactMap(\.status.lastSuccess).max() {
        object["last_sent"] = RFC3339.string(sent)
      }
      // A dictionary of strings, numbers and booleans is always JSON.
      let data = (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data()
      return String(decoding: data, as: UTF8.self)
    }
  }
#endif
