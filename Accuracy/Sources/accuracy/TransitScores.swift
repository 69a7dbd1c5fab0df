import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitModes

/// Compares the timeline, the model, Android's activities and the methods of the set's authors on the rides of ``AaltoTransit``.
enum TransitScores {
  /// Positions within this number of seconds of the start or the end of a ride are not counted, because the log has minutes.
  private static let margin = 60.0

  /// Returns whether a position is in a vehicle; `nil` if it is not decided.
  private typealias IsInVehicle = (AaltoTransit.Position) -> Bool?

  static func printTables(of data: AaltoTransit) {
    let timelines = data.positions.mapValues { states(of: $0, withActivities: false) }
    let supported = data.positions.mapValues { states(of: $0, withActivities: true) }
    let count = data.positions.values.reduce(0) { $0 + $1.count }
    print("\(count) positions of \(data.positions.count) phones, \(data.legs.count) rides\n")
    printTimes(of: data, timelines, name: "the timeline, positions alone")
    printTimes(of: data, supported, name: "the timeline with Android's activities")
    printPositions(of: data, timelines, supported)
    printKinds(of: data)
  }

  private static func states(of positions: [AaltoTransit.Position], withActivities: Bool) -> TimelineStates {
    TimelineStates(
      of: positions.map { position in
        var point = TimelinePoint(position.coordinate, at: position.time, accuracy: position.accuracy)
        if withActivities { point.motion = motion(of: position.activity).rawValue }
        return point
      })
  }

  private static func motion(of activity: String) -> Motion {
    switch activity {
    case "IN_VEHICLE": .driving
    case "ON_BICYCLE": .cycling
    case "WALKING", "ON_FOOT": .walking
    case "RUNNING": .running
    case "STILL": .stationary
    default: []
    }
  }

  // MARK: The time of rides

  private static func printTimes(of data: AaltoTransit, _ timelines: [Int: TimelineStates], name: String) {
    print("Time of rides, \(name)\n")
    print("| | rides | minutes | engine | walk | bicycle | unknown | visit | nothing | rides with an engine most of the time |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for line in AaltoTransit.Line.allCases.map(Optional.some) + [nil] {
      let legs = data.legs.filter { line == nil || $0.line == line }
      var seconds: [TimelineStates.State: Double] = [:]
      var right = 0
      for leg in legs {
        let times = (leg.departure.millisecondsSince1970, leg.arrival.millisecondsSince1970)
        let part = timelines[leg.device]?.seconds(from: times.0, to: times.1) ?? [:]
        seconds.merge(part) { $0 + $1 }
        if 2 * part[.engine, default: 0] > part.values.reduce(0, +) { right += 1 }
      }
      let sum = seconds.values.reduce(0, +)
      let shares = [TimelineStates.State.engine, .walk, .bicycle, .unknown, .visit, .nothing].map {
        ModeScores.percent(seconds[$0, default: 0] / max(sum, 1))
      }
      let fields = [line?.rawValue.lowercased() ?? "all", "\(legs.count)", "\(Int(sum / 60))"] + shares + ["\(right)"]
      print("| " + fields.joined(separator: " | ") + " |")
    }
    print("")
  }

  // MARK: Positions

  private static func printPositions(
    of data: AaltoTransit, _ timelines: [Int: TimelineStates], _ supported: [Int: TimelineStates]
  ) {
    func inVehicle(_ states: [Int: TimelineStates]) -> IsInVehicle {
      { states[$0.device]?.state(at: $0.time.millisecondsSince1970) == .engine }
    }
    let judgements: [(String, IsInVehicle)] = [
      ("the timeline, positions alone", inVehicle(timelines)), ("the timeline with Android's activities", inVehicle(supported)),
      ("Android's activity", { $0.activity == "IN_VEHICLE" }),
      ("the activity that the set's authors decided on", { $0.decided.map { $0 == "IN_VEHICLE" } }),
    ]
    var matrices = judgements.map { _ in ConfusionMatrix(classes: ["not in a vehicle", "in a vehicle"]) }
    for (device, positions) in data.positions {
      let legs = data.legs.filter { $0.device == device }
      guard let first = legs.first?.departure, let last = legs.last?.arrival else { continue }
      for position in positions where position.time >= first && position.time <= last && position.decided != nil {
        guard
          !legs.contains(where: {
            abs($0.departure.timeIntervalSince(position.time)) < margin
              || abs($0.arrival.timeIntervalSince(position.time)) < margin
          })
        else { continue }
        let truth = legs.contains { $0.departure <= position.time && $0.arrival >= position.time }
        for (index, judgement) in judgements.enumerated() {
          guard let given = judgement.1(position) else { continue }
          matrices[index].add(truth: truth ? 1 : 0, given: given ? 1 : 0)
        }
      }
    }
    print("Positions a minute or more from the ends of rides\n")
    print("| | positions | right | balanced | of those in a vehicle | of the others | F1 of vehicles |")
    print("|---|---|---|---|---|---|---|")
    for (judgement, matrix) in zip(judgements, matrices) {
      let shares = [matrix.accuracy, matrix.balancedAccuracy, matrix.recall(1) ?? 0, matrix.recall(0) ?? 0, matrix.f1(1)]
      print("| " + ([judgement.0, "\(matrix.total)"] + shares.map(ModeScores.percent)).joined(separator: " | ") + " |")
    }
    print("")
  }

  // MARK: Kinds of rides

  private static func printKinds(of data: AaltoTransit) {
    var scores = PartScores()
    var given: [AaltoTransit.Line: [TransportKind: Int]] = [:]
    var right = [Int](repeating: 0, count: AaltoTransit.methods.count)
    var rightByModel = 0
    for leg in data.legs {
      let positions = (data.positions[leg.device] ?? []).filter { $0.time >= leg.departure && $0.time <= leg.arrival }
      if let kind = scores.add(positions.map { ($0.coordinate, $0.time) }, mode: .motor, kind: leg.line.kind) {
        given[leg.line, default: [:]][kind, default: 0] += 1
        if kind == leg.line.kind { rightByModel += 1 }
      }
      for method in right.indices where line(of: leg, by: method, data) == leg.line { right[method] += 1 }
    }
    print("Rides, each judged by itself from its positions\n")
    print("six rules, 3 classes: \(text(of: scores.rules))\nmodel, 3 classes: \(text(of: scores.three))")
    print("model, 5 classes: \(text(of: scores.five))\nmodel, 6 classes: \(text(of: scores.six))\n")
    print("| | " + scores.six.classes.joined(separator: " | ") + " | too few positions |")
    print("|---|---|---|---|---|---|---|---|")
    for line in AaltoTransit.Line.allCases {
      let counts = TransportKind.allCases.map { given[line]?[$0] ?? 0 }
      let rest = data.legs.count { $0.line == line } - counts.reduce(0, +)
      print("| \(line.rawValue.lowercased()) | " + (counts + [rest]).map(String.init).joined(separator: " | ") + " |")
    }
    print("\nRides of \(data.legs.count) whose kind is found: the model \(rightByModel)")
    for (method, count) in zip(AaltoTransit.methods, right) { print("the set's authors with \(method): \(count)") }
  }

  private static func text(of matrix: ConfusionMatrix) -> String {
    "\(ModeScores.percent(matrix.accuracy)) of \(matrix.total), balanced \(ModeScores.percent(matrix.balancedAccuracy))"
  }

  /// Returns the line of the part with the greatest overlap, of the parts for which a method found a line.
  private static func line(of leg: AaltoTransit.Leg, by method: Int, _ data: AaltoTransit) -> AaltoTransit.Line? {
    func common(_ part: AaltoTransit.Recognized) -> Double {
      min(part.end, leg.arrival).timeIntervalSince(max(part.start, leg.departure))
    }
    return data.recognized.filter { $0.device == leg.device && $0.lines[method] != nil && common($0) > 0 }
      .max { common($0) < common($1) }?.lines[method]
  }
}
