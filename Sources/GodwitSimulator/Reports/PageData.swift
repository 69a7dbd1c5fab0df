internal import Foundation
internal import GodwitModel

/// What the page's script reads: short names, coordinates in millionths of a degree, points as differences to the one before.
struct PageData: Encodable {
  /// Titles of the parts of energy, in the order of the samples.
  var parts = EnergyPart.allCases.map(\.title)
  /// Which of them is the phone's own.
  var standby = EnergyPart.standby.rawValue
  /// Metres.
  var radius: Double
  var policies: [Policy]
  var days: [Day]

  struct Policy: Encodable {
    var name: String
    /// mWh a day, share of the battery a day, and in parts of the baseline's.
    var energy: Double
    var battery: Double
    var relative: Double?
    var median: Double?
    var percentile95: Double?
    var onMedianFront: Bool
    var onPercentile95Front: Bool
    var percentiles: [Double]
  }

  struct Day: Encodable {
    var route: String
    var day: String
    /// What it was run with, where there are several of that.
    var note: String
    /// RFC 3339.
    var start: String
    /// Seconds.
    var length: Double
    /// Of each point seconds, and millionths of a degree north and east, less those of the point before.
    var truth: [Int]
    /// Of each seconds of arrival and departure, millionths of a degree north and east.
    var stays: [[Int]]
    var runs: [Run]
  }

  struct Run: Encodable {
    /// Place in the list of policies.
    var policy: Int
    /// As the truth, and metres of error and of accuracy; −1 for none.
    var track: [Int]
    var stays: [[Int]]
    /// Of each seconds, the battery's level 0…1, and joules of each part.
    var samples: [[Double]]
    var measures: RunMeasures
    var relative: Double?
  }

  init(_ report: SimulationReport, drawings: [RunDrawing]) {
    radius = MeasuringRules().stays.radius
    policies = report.policies.map { row in
      Policy(
        name: row.policy, energy: row.measures.energy.milliwattHoursPerDay, battery: row.measures.energy.batteryPerDay,
        relative: row.relativeEnergy, median: row.measures.track.median, percentile95: row.measures.track.percentile95,
        onMedianFront: row.isOnMedianFront, onPercentile95Front: row.isOnPercentile95Front,
        percentiles: row.errorPercentiles)
    }
    days = []
    var places: [MeasuredRun.RunConditions: Int] = [:]
    for drawing in drawings {
      guard let policy = report.policies.firstIndex(where: { $0.policy == drawing.policy }),
        let row = report.runs.first(where: { $0.isOf(drawing) })
      else { continue }
      let run = Run(
        policy: policy, track: Self.compressed(drawing.track, withErrors: true),
        stays: Self.compressed(drawing.foundStays, drawing.start),
        samples: drawing.samples.map { sample in
          [(sample.time - drawing.start).rounded(), sample.batteryLevel.rounded(to: 1e4)]
            + sample.joules.map { $0.rounded(to: 10) }
        }, measures: row.measures, relative: row.relativeEnergy)
      if let place = places[drawing.conditions] {
        days[place].runs.append(run)
        continue
      }
      places[drawing.conditions] = days.count
      let notes =
        (report.phones.count > 1 ? [drawing.phone] : []) + (report.systems.count > 1 ? [drawing.system] : [])
        + (report.seeds.count > 1 ? ["seed \(drawing.seed)"] : [])
      days.append(
        Day(
          route: drawing.route, day: drawing.day, note: notes.joined(separator: ", "), start: RFC3339.string(drawing.start.date),
          length: (drawing.end - drawing.start).rounded(), truth: Self.compressed(drawing.truth, withErrors: false),
          stays: Self.compressed(drawing.realStays, drawing.start), runs: [run]))
    }
  }

  private static func compressed(_ points: [RunDrawing.Point], withErrors: Bool) -> [Int] {
    var compressed: [Int] = []
    compressed.reserveCapacity(points.count * (withErrors ? 5 : 3))
    var last = (time: 0, latitude: 0, longitude: 0)
    for point in points {
      let next = (
        // Within a lifetime of the run; what a broken clock says beyond it is at its end.
        time: Int(max(-3e9, min(3e9, point.time)).rounded()), latitude: Int((point.coordinate.latitude * 1e6).rounded()),
        longitude: Int((point.coordinate.longitude * 1e6).rounded())
      )
      compressed += [next.time - last.time, next.latitude - last.latitude, next.longitude - last.longitude]
      if withErrors { compressed += [whole(point.error), whole(point.accuracy)] }
      last = next
    }
    return compressed
  }

  /// −1 for none. No error is longer than half the earth; an accuracy may be anything.
  private static func whole(_ metres: Double?) -> Int {
    guard let metres, metres.isFinite else { return -1 }
    return Int(max(0, min(1e8, metres)).rounded())
  }

  private static func compressed(_ stays: [Stay], _ start: SimulatedTime) -> [[Int]] {
    stays.map { stay in
      [
        Int(max(-3e9, min(3e9, SimulatedTime(stay.arrival) - start)).rounded()),
        Int(max(-3e9, min(3e9, SimulatedTime(stay.departure) - start)).rounded()),
        Int((stay.coordinate.latitude * 1e6).rounded()), Int((stay.coordinate.longitude * 1e6).rounded()),
      ]
    }
  }

  /// As JSON that can stand in a page: without any character that means something there.
  func json() -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(positiveInfinity: "∞", negativeInfinity: "−∞", nan: "–")
    // Numbers, and texts that are texts already: nothing in it can fail to be encoded.
    let text = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    return text.replacing("&", with: "\\u0026").replacing("<", with: "\\u003c").replacing(">", with: "\\u003e")
  }
}

extension RunDrawing {
  var conditions: MeasuredRun.RunConditions {
    MeasuredRun.RunConditions(route: route, day: day, phone: phone, system: system, seed: seed, start: start)
  }
}

extension SimulationReport.RunRow {
  fileprivate func isOf(_ drawing: RunDrawing) -> Bool {
    policy == drawing.policy && SimulatedTime(start) == drawing.start && route == drawing.route && day == drawing.day
      && phone == drawing.phone && system == drawing.system && seed == drawing.seed
  }
}
