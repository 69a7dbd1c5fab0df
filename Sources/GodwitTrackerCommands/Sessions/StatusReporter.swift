internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel
internal import Synchronization

#if os(Linux)
  internal import CoreLocation

  extension ReplaySource.Report {
    /// The reason why nothing of a file was replayed, as a sentence; `nil` if fixes were replayed now or before.
    var emptiness: String? {
      guard fixes == 0, replayedBefore == 0, problem == nil else { return nil }
      if withoutTime > 0 {
        return "Nothing was replayed: \(withoutTime.counted("track point has", "track points have")) no time."
      }
      let first = firstSkipped.first.map { " The first skipped part: \($0)." } ?? ""
      return "Nothing was replayed: the file has no position.\(first)"
    }
  }

  /// Prints the status of a tracker: sentences about changes, a progress line on a terminal, or JSON lines for programs.
  final class StatusReporter: Sendable {
    private let json: Bool
    private let regions: RegionManager?
    private let journal: Journal?
    private struct Said {
      var problems: Set<String> = []
      var rejections: Set<String> = []
      var settingsChanged: Date?
      /// The last printed change of a setting.
      var change: Journal.SettingsEvent?
    }
    private let said: Mutex<Said>

    /// - Parameters:
    ///   - json: Whether to print JSON lines.
    ///   - regions: The monitored regions.
    ///   - journal: Source of changes of settings; `nil` to not print them.
    init(json: Bool, regions: RegionManager? = nil, journal: Journal? = nil) {
      self.json = json
      self.regions = regions
      self.journal = journal
      said = Mutex(Said(change: try? journal?.settingsEvents(limit: 1).first))
    }

    /// - Parameter known: A problem that is printed elsewhere.
    func report(_ status: Tracker.Status, besides known: String? = nil) {
      if json {
        Output.result(json(status) + "\n")
        return
      }
      for problem in Self.problems(of: status) where problem != known {
        // Each problem is printed once, until it is resolved.
        if said.withLock({ $0.problems.insert(problem).inserted }) { Self.log(problem) }
      }
      said.withLock { $0.problems.formIntersection(Self.problems(of: status)) }
      for change in changes(of: status) { Self.log(change) }
      for sentence in status.rejectedSettings where said.withLock({ $0.rejections.insert(sentence).inserted }) {
        Self.log("A change of settings was rejected. \(sentence)")
      }
      let waiting = status.endpoints.map(\.status.waiting).max() ?? 0
      let time = status.lastFix.map { RFC3339.string($0.time) } ?? "no position yet"
      Output.progress("\(time)  \(waiting) waiting")
    }

    private static func log(_ text: String) {
      Output.endProgress()
      Output.log(text)
    }

    /// Returns the changes by servers since the last call as sentences, oldest first.
    private func changes(of status: Tracker.Status) -> [String] {
      guard let journal, let time = status.settingsChanged else { return [] }
      return said.withLock { said in
        guard said.settingsChanged != time, let events = try? journal.settingsEvents() else { return [] }
        let last = said.change
        let new = events.prefix { $0 != last }
        (said.settingsChanged, said.change) = (time, events.first)
        return new.reversed().compactMap { Self.text(of: $0) }
      }
    }

    /// Returns a change by a server or its rollback as a sentence; `nil` for a change by the user.
    static func text(of change: Journal.SettingsEvent) -> String? {
      func value(_ json: String) -> String {
        guard case .text(let text)? = try? JSONDecoder().decode(SettingValue.self, from: Data(json.utf8)) else { return json }
        return text
      }
      let difference = "\(change.name): \(value(change.old)) → \(value(change.new))"
      let words = change.source.split(separator: " ", maxSplits: 1)
      return switch words.first {
      case "server": "\(words.last ?? "") changed \(difference)"
      case "rollback": "\(words.last ?? "") was not reached after its change, which is rolled back: \(difference)"
      default: nil
      }
    }

    /// Returns a sentence about records that could not be written to the journal and are lost; `nil` if there are none.
    static func unwritten(_ status: Tracker.Status) -> String? {
      guard status.unwritten > 0 else { return nil }
      let reason = status.journalProblem.map { ": \($0)" } ?? "."
      let (records, verb) = (status.unwritten.counted("record"), status.unwritten == 1 ? "is" : "are")
      return "\(records) could not be written to the journal and \(verb) lost\(reason)"
    }

    func finish(_ status: Tracker.Status, _ replay: ReplaySource.Report?) {
      guard !json else { return }
      Output.endProgress()
      if let replay { Output.log(Self.text(of: replay)) }
      let (thinned, invalid) = (status.thinnedFixes, status.invalidFixes)
      if thinned > 0 {
        Output.log(
          thinned.counted("fix was too near or too soon and was", "fixes were too near or too soon and were") + " not recorded.")
      }
      if invalid > 0 {
        Output.log(
          invalid.counted("fix had no valid position and was", "fixes had no valid position and were") + " not recorded.")
      }
      if status.damaged > 0 {
        let records = status.damaged.counted(
          "record of the journal was damaged; it is", "records of the journal were damaged; they are")
        Output.log("\(records) sent as unreadable_record.")
      }
      if status.quarantined > 0 {
        let records = status.quarantined.counted("record was", "records were")
        let those = status.quarantined == 1 ? "it" : "them"
        Output.log(
          "\(records) rejected permanently by the server and quarantined: \(Program.current.name) doctor --journal FILE shows \(those)."
        )
      }
      for endpoint in status.endpoints where endpoint.status.waiting > status.unwritten {
        let queued = endpoint.status.waiting - status.unwritten
        let (records, those) = (queued.counted("record is", "records are"), queued == 1 ? "it" : "them")
        Output.log("\(records) queued in the journal; the next run sends \(those).")
      }
    }

    /// Returns the result of a replay in sentences.
    static func text(of replay: ReplaySource.Report) -> String {
      let fixes = replay.fixes.counted("fix", "fixes")
      var text = "Replayed \(fixes)."
      if replay.replayedBefore > 0 {
        let before = replay.replayedBefore
        text =
          replay.fixes == 0
          ? "\(before == 1 ? "The fix of the file was" : "All \(before.grouped) fixes of the file were") recorded before; "
            + "none is recorded again. --from-start replays it from the beginning."
          : "Replayed \(fixes), after the \(before == 1 ? "one that was" : "\(before.grouped) that were") recorded before."
      }
      if replay.withoutTime > 0 {
        let points = replay.withoutTime.counted("point has no time and was", "points have no time and were")
        text += " \(points) skipped."
      }
      if replay.skipped > 0 {
        let parts = replay.skipped.counted("part was skipped", "parts were skipped")
        text += " \(parts), such as: \(replay.firstSkipped.first ?? "")."
      }
      return text
    }

    private static func problems(of status: Tracker.Status) -> [String] {
      var problems = status.endpoints.compactMap(\.status.problem)
      problems += Self.losses(status)
      problems += [status.locationProblem, status.journalProblem, status.regionProblem].compactMap(\.self)
      return problems
    }

    /// Returns sentences about records that endpoints will never receive.
    private static func losses(_ status: Tracker.Status) -> [String] {
      status.lostRecords.sorted { $0.key.name < $1.key.name }.map { endpoint, count in
        let (records, those) = (count.counted("record was", "records were"), count == 1 ? "it" : "them")
        return "\(records) lost: the settings retention and max_journal_size removed \(those) before \(endpoint) "
          + "received \(those). \(Program.current.name) coverage lists \(those)."
      }
    }

    private func json(_ status: Tracker.Status) -> String {
      var object: [String: Any] = [
        "tracking": status.isTracking, "waiting": status.endpoints.map(\.status.waiting).max() ?? 0,
        "invalid": status.invalidFixes, "thinned": status.thinnedFixes, "lost": status.lost, "quarantined": status.quarantined,
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
