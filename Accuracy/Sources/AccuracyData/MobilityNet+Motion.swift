package import Foundation
import GodwitModel
package import GodwitSimulator

extension MobilityNet {
  /// A report of a phone's motion chip.
  package struct MotionReport: Sendable, Hashable {
    package var time: Date
    package var report: MotionChipModel.Report
  }

  /// An entry of the list; the two systems have different members.
  private struct Activity: Decodable {
    var ts: Double?
    var written: Double
    // Core Motion.
    var stationary: Bool?
    var walking: Bool?
    var running: Bool?
    var cycling: Bool?
    var automotive: Bool?
    /// Android's `DetectedActivity.type`.
    var kind: Int?

    private enum CodingKeys: String, CodingKey {
      case ts, stationary, walking, running, cycling, automotive
      case written = "write_ts"
      case kind = "zzbhB"
    }

    var report: MotionChipModel.Report? {
      guard let kind else {
        var motion: Motion = []
        for (flag, part) in [
          (stationary, Motion.stationary), (walking, .walking), (running, .running), (cycling, .cycling), (automotive, .driving),
        ] where flag == true { motion.insert(part) }
        return MotionChipModel.Report(motion)
      }
      return switch kind {
      case 0: .driving
      case 1: .cycling
      case 2, 7: .walking
      case 3: .stationary
      case 4: .nothing
      case 8: .running
      // Tilting is no information about the motion.
      default: nil
      }
    }
  }

  /// Reads the reports of a phone's motion chip in all periods, in order of time.
  package func motionReports(of phone: String) throws -> [MotionReport] {
    var reports: Set<MotionReport> = []
    for experiment in Self.names(in: folder.appendingPathComponent(phone)) {
      let files = folder.appendingPathComponent("\(phone)/\(experiment)/background~motion_activity")
      for name in Self.names(in: files) {
        let activities: [Activity] = try Self.entries(of: files.appendingPathComponent(name))
        for activity in activities {
          guard let report = activity.report, let time = Self.date(activity.ts ?? activity.written) else { continue }
          reports.insert(MotionReport(time: time, report: report))
        }
      }
    }
    return reports.sorted { ($0.time, $0.report.rawValue) < ($1.time, $1.report.rawValue) }
  }

  /// Returns the periods with a known motion of a phone with location. Periods between trips are included if location was always on.
  package func situations(of phone: String) throws -> [(situation: MotionChipModel.Situation, span: DateInterval)] {
    var all: [(MotionChipModel.Situation, DateInterval)] = legs.compactMap { leg in
      guard leg.start < leg.end, let situation = Self.situation(of: leg.mode) else { return nil }
      return (situation, DateInterval(start: leg.start, end: leg.end))
    }
    let transitions = try Self.transitions(of: phone, in: folder)
    for (_, start, end) in Self.pairs(transitions, "CALIBRATION_PERIOD") {
      all.append((.resting, DateInterval(start: start, end: end)))
    }
    for (id, start, end) in Self.pairs(transitions, "EVALUATION_PERIOD") where id.hasSuffix("ACCURACY_CONTROL") {
      let within = trips.filter { $0.start >= start && $0.end <= end }
      guard !within.isEmpty, end.timeIntervalSince(start) < DayLength.seconds else { continue }
      let edges = [start] + within.flatMap { [$0.start, $0.end] } + [end]
      for index in stride(from: 0, to: edges.count - 1, by: 2) {
        // The movement before and after the trip is not noted.
        let (from, to) = (edges[index].addingTimeInterval(120), edges[index + 1].addingTimeInterval(-120))
        if to.timeIntervalSince(from) > 360 { all.append((.staying, DateInterval(start: from, end: to))) }
      }
    }
    return all
  }

  private static func situation(of mode: String) -> MotionChipModel.Situation? {
    switch mode {
    case "WALKING": .walking
    case "BICYCLING", "E_BIKE": .cycling
    case "CAR", "BUS", "TRAIN", "SUBWAY", "LIGHT_RAIL": .driving
    case "STOPPED": .waiting
    default: nil
    }
  }
}
