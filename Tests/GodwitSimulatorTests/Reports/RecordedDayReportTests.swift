import Foundation
import GodwitModel
import Testing

@testable import GodwitSimulator
@testable import GodwitTracks

/// Recorded days of people, and the logs of three invented policies for them.
enum RealDays {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  static let folder = root.deletingLastPathComponent().appendingPathComponent("shared/data/geolife")
  static var isThere: Bool { FileManager.default.fileExists(atPath: folder.path) }

  static func truth(_ person: String) throws -> Truth {
    let person = folder.appendingPathComponent(person)
    let files = (FileManager.default.enumerator(atPath: person.path)?.allObjects as? [String] ?? []).filter {
      $0.hasSuffix(".plt")
    }
    return try Truth(
      days: files.sorted().map { name in
        let file = try TrackFile(path: person.appendingPathComponent(name).path)
        var fixes: [Fix] = []
        while let points = try file.next() {
          fixes += points.compactMap { point in
            point.time.map { Fix(time: $0, coordinate: point.coordinate, altitude: point.altitude) }
          }
        }
        return fixes
      })
  }

  /// An invented policy: intervals in motion and at rest, noise, and power.
  struct Recorder {
    var name: String
    var movingStep: Double
    var restStep: Double
    var noise: Meters
    var watts: Double
  }

  static let recorders = [
    Recorder(name: "always-best", movingStep: 1, restStep: 1, noise: 4, watts: 0.35),
    Recorder(name: "adaptive", movingStep: 15, restStep: 1_800, noise: 8, watts: 0.02),
    Recorder(name: "battery-saving", movingStep: 120, restStep: 3_600, noise: 40, watts: 0.008),
  ]

  /// Returns the log of a recorder for a time range.
  static func log(_ recorder: Recorder, _ truth: Truth, route: String, from start: SimulatedTime, hours: Double) -> RunLog {
    var log = RunLog(
      policy: recorder.name, route: route, day: String(start.date.formatted(.iso8601).prefix(10)), phone: "phone-2023",
      system: "ios18", seed: 7, start: start, end: start + hours * 3_600)
    var random = RandomSource(seed: 7, stream: recorder.name)
    var cursor = TruthCursor(truth)
    var noise = (north: 0.0, east: 0.0)
    var last = -Double.infinity
    var joules = [Double](repeating: 0, count: EnergyPart.allCases.count)
    for second in 0..<Int(hours * 3_600) {
      let state = cursor.state(at: start + Double(second))
      joules[EnergyPart.standby.rawValue] += 0.045
      let own = state.isMoving ? recorder.watts * 1.5 : recorder.watts * 0.7
      joules[EnergyPart.satellites.rawValue] += own * 0.6
      joules[EnergyPart.delivery.rawValue] += own * 0.3
      joules[EnergyPart.mobileData.rawValue] += own * 0.1
      if second % 600 == 0 {
        log.samples.append(
          RunLog.Sample(
            time: start + Double(second), joules: joules, batteryLevel: 1 - joules.reduce(0, +) / 45_720))
      }
      // Noise with a correlation time of a minute, as that of satellites.
      noise.north += (random.normal() * recorder.noise * 0.18) - noise.north / 60
      noise.east += (random.normal() * recorder.noise * 0.18) - noise.east / 60
      guard Double(second) - last >= (state.isMoving ? recorder.movingStep : recorder.restStep) else { continue }
      last = Double(second)
      var record = Record(
        kind: .fix(
          Fix(
            time: (start + Double(second)).date,
            coordinate: GreatCircle.destination(
              from: GreatCircle.destination(from: state.coordinate, course: 0, distance: noise.north), course: 90,
              distance: noise.east), horizontalAccuracy: recorder.noise * 1.5)))
      record.received = record.time
      log.records.append(record)
    }
    log.samples.append(
      RunLog.Sample(time: log.end, joules: joules, batteryLevel: 1 - joules.reduce(0, +) / 45_720))
    log.energy = joules.map { .joules($0) }
    log.counts.uploads = log.records.count / 100 + 1
    log.counts.delivered = log.records.count
    log.counts.bytesUp = log.records.count * 300
    return log
  }
}

@Suite("A report of recorded days", .enabled(if: RealDays.isThere, "GeoLife's tracks are not beside this checkout"))
struct RecordedDayReportTests {
  /// Returns the starts of the UTC days with at least half an hour of recorded movement.
  private func days(_ truth: Truth, maximum: Int) -> [SimulatedTime] {
    let day: Int64 = 86_400_000_000
    var start = SimulatedTime(microseconds: truth.start.microseconds / day * day)
    var days: [SimulatedTime] = []
    var cursor = TruthCursor(truth)
    while start < truth.end, days.count < maximum {
      let minutes = (0..<1_440).count { minute in
        let state = cursor.state(at: start + Double(minute) * 60)
        return state.isMoving && state.isRecorded
      }
      if minutes >= 30 { days.append(start) }
      start = start + 86_400
    }
    return days
  }

  @Test("six days and three policies make a page of less than 3 MB, with the given figures")
  func report() throws {
    let truth = try RealDays.truth("001")
    let starts = days(truth, maximum: 6)
    #expect(starts.count == 6)
    var runs: [MeasuredRun] = []
    var drawings: [RunDrawing] = []
    for start in starts {
      for recorder in RealDays.recorders {
        let log = RealDays.log(recorder, truth, route: "001", from: start, hours: 24)
        runs.append(MeasuredRun(log, truth: truth))
        drawings.append(RunDrawing(log, truth: truth))
      }
    }
    let report = SimulationReport(runs, version: "0.1.0")
    let page = report.html(drawings: drawings)
    if let path = ProcessInfo.processInfo.environment["GODWIT_REPORT"] { try Data(page).write(to: URL(fileURLWithPath: path)) }
    #expect(page.count > 100_000 && page.count < 3_000_000)

    let best = try #require(report.policies.first { $0.policy == "always-best" })
    let adaptive = try #require(report.policies.first { $0.policy == "adaptive" })
    #expect(best.relativeEnergy == 1 && adaptive.relativeEnergy ?? 1 < 0.1)
    #expect(try #require(best.measures.track.median) < 7)
    #expect(best.measures.track.covered == 1)
    // A receiver with a noise of 4 m that records each second finds every stay, and no false one.
    #expect(best.measures.stays.recall == 1 && best.measures.stays.precision == 1 && best.measures.stays.real > 30)
    #expect(abs(try #require(best.measures.distance.difference)) < 0.03)
  }
}
