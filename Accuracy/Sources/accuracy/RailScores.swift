import AccuracyData
import Foundation
import GodwitHistory
import GodwitModel
import GodwitModes
import GodwitRoads

/// The effect of a map of rails on the modes of rides in motor vehicles.
enum RailScores {
  private typealias Position = (place: Coordinate, time: Date)

  /// The scores of rides: with the model only, with rails, and with the rails of trams as well.
  private struct Scores {
    var alone = RailScore()
    var withRails = RailScore()
    /// Rides whose side, rails or road, is found with the rails of trams.
    var rightWithTrams: [RailScore.Ride: Int] = [:]
    /// Rides of each kind by the kind that is found with rails.
    var given: [RailScore.Ride: [TransportKind: Int]] = [:]

    mutating func add(
      _ ride: RailScore.Ride, _ positions: [Position], _ graph: RoadGraph, _ settings: RailEvidence.Settings = .init()
    ) {
      var meter = MovementMeter()
      for position in positions { meter.add(position.place, at: position.time) }
      guard let features = meter.features else { return }
      let kinds = ModeModel.standard.probabilities(of: features)
      let evidence = graph.railEvidence(
        of: positions.map { RoadFix($0.place, time: $0.time.timeIntervalSince1970) }, settings: settings)
      let changed = kinds.weighted(train: evidence.train, subway: evidence.subway)
      alone.add(ride, kinds)
      withRails.add(ride, changed)
      given[ride, default: [:]][changed.best, default: 0] += 1
      // A tram is a bus on rails: the model does not know it.
      let tram = changed[.bus] * exp(evidence.tram)
      let onRails = changed[.train] + changed[.subway] + tram
      if (onRails > changed[.bus] + changed[.car]) == ride.isOnRails { rightWithTrams[ride, default: 0] += 1 }
    }
  }

  // MARK: Helsinki

  static func printTables(of data: AaltoTransit, _ rails: HelsinkiRails) {
    let lengths = [RoadKind.rail, .subway, .tram].map { String(format: "%.0f km", rails.lengths[$0] ?? 0) }
    print("Lines: railways \(lengths[0]), subways \(lengths[1]), trams \(lengths[2])\n")
    printScores(scores(of: data, rails, remainder: 1), "odd phones, with which the numbers were chosen")
    printChoice(of: data, rails)
    printScores(scores(of: data, rails, remainder: 0), "even phones, held out")
    printTimeline(of: data, TripRoads(rails.graph))
  }

  /// Returns the scores of the rides of the phones with odd or even numbers.
  private static func scores(
    of data: AaltoTransit, _ rails: HelsinkiRails, remainder: Int, _ settings: RailEvidence.Settings = .init()
  ) -> Scores {
    var scores = Scores()
    for leg in data.legs where leg.device % 2 == remainder {
      let positions = (data.positions[leg.device] ?? []).filter { $0.time >= leg.departure && $0.time <= leg.arrival }
      scores.add(ride(leg.line), positions.map { ($0.coordinate, $0.time) }, rails.graph, settings)
    }
    return scores
  }

  /// Prints the numbers of correctly classified rides with other parameters.
  private static func printChoice(of data: AaltoTransit, _ rails: HelsinkiRails) {
    print("| weight of a position | on rails or on a road, right: fewest | most | kind of six, right: fewest | most |")
    print("|---|---|---|---|---|")
    for weight in [1, 0.5, 0.2, 0.1] {
      var (sides, kinds): ([Int], [Int]) = ([], [])
      for deviation in [10.0, 15, 20, 30] {
        for elsewhere in [0.02, 0.05, 0.1] {
          var settings = RailEvidence.Settings()
          (settings.deviation, settings.elsewhere, settings.weight) = (deviation, elsewhere, weight)
          let all = scores(of: data, rails, remainder: 1, settings).withRails.all
          sides.append(all.rightSide)
          kinds.append(all.rightKind)
        }
      }
      let numbers = [sides.min(), sides.max(), kinds.min(), kinds.max()].map { "\($0 ?? 0)" }
      print("| \(weight) | " + numbers.joined(separator: " | ") + " |")
    }
    print("")
  }

  private static func ride(_ line: AaltoTransit.Line) -> RailScore.Ride {
    switch line {
    case .train: .train
    case .subway: .subway
    case .tram: .tram
    case .bus: .bus
    case .car: .car
    }
  }

  // MARK: MobilityNet

  /// Prints the tables of MobilityNet. The only rails are the true lines of the set's trains, subway and light rail.
  static func printTables(of data: MobilityNet) throws {
    let graph = rails(of: data)
    var scores = Scores()
    for phone in data.phones {
      for period in data.periods(of: phone) {
        let fixes = try data.fixes(of: period)
        for leg in data.legs where leg.start >= period.start && leg.end <= period.end {
          guard leg.end.timeIntervalSince(leg.start) >= 60, let ride = ride(leg.mode) else { continue }
          let positions = fixes.filter { $0.time >= leg.start && $0.time <= leg.end }.map { ($0.coordinate, $0.time) }
          scores.add(ride, positions, graph)
        }
      }
    }
    printScores(scores, "MobilityNet, trains with light rail")
  }

  private static func rails(of data: MobilityNet) -> RoadGraph {
    let kinds: [String: RoadKind] = ["TRAIN": .rail, "LIGHT_RAIL": .lightRail, "SUBWAY": .subway]
    var network = RailNetwork()
    var added: Set<[Coordinate]> = []
    // The same leg was travelled on several days.
    for leg in data.legs where leg.line.count > 1 {
      if let kind = kinds[leg.mode], added.insert(leg.line).inserted { network.add(leg.line, kind) }
    }
    return network.graph
  }

  private static func ride(_ mode: String) -> RailScore.Ride? {
    switch mode {
    case "TRAIN", "LIGHT_RAIL": .train
    case "SUBWAY": .subway
    case "BUS": .bus
    case "CAR": .car
    default: nil
    }
  }

  // MARK: Tables

  private static func printScores(_ scores: Scores, _ name: String) {
    print("Rides, each judged by itself: \(name)\n")
    print("| | rides | on rails or on a road: right alone | with rails | and of trams | kind of six: right alone | with rails |")
    print("|---|---|---|---|---|---|---|")
    for ride in RailScore.Ride.allCases {
      guard let alone = scores.alone.counts[ride], let changed = scores.withRails.counts[ride] else { continue }
      printRow(ride.rawValue, alone, changed, scores.rightWithTrams[ride, default: 0])
    }
    let withTrams = scores.rightWithTrams.filter { $0.key != .tram }.values.reduce(0, +)
    printRow("all without trams", scores.alone.all, scores.withRails.all, withTrams)
    print("\n| given, with rails | " + TransportKind.allCases.map { "\($0)" }.joined(separator: " | ") + " |")
    print("|---|" + TransportKind.allCases.map { _ in "---|" }.joined())
    for ride in RailScore.Ride.allCases {
      guard let given = scores.given[ride] else { continue }
      print("| \(ride.rawValue) | " + TransportKind.allCases.map { "\(given[$0, default: 0])" }.joined(separator: " | ") + " |")
    }
    print("")
  }

  private static func printRow(_ name: String, _ alone: RailScore.Count, _ changed: RailScore.Count, _ withTrams: Int) {
    let numbers = [alone.rides, alone.rightSide, changed.rightSide, withTrams, alone.rightKind, changed.rightKind]
    print("| \(name) | " + numbers.map(String.init).joined(separator: " | ") + " |")
  }

  // MARK: The timeline

  /// Prints the modes of the timeline during the rides, without and with the rails.
  private static func printTimeline(of data: AaltoTransit, _ roads: TripRoads) {
    print("Time of rides in the timeline\n")
    print("| phones | | minutes | train | car | other modes | no trip | with rails: train | car | other modes | no trip |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for (name, remainder) in [("odd", 1), ("even", 0)] {
      let positions = data.positions.filter { $0.key % 2 == remainder }
      let alone = positions.mapValues { segments(of: $0, along: nil) }
      let changed = positions.mapValues { segments(of: $0, along: roads) }
      for line in AaltoTransit.Line.allCases {
        let legs = data.legs.filter { $0.device % 2 == remainder && $0.line == line }
        let minutes = legs.reduce(0) { $0 + $1.arrival.timeIntervalSince($1.departure) } / 60
        let shares = [alone, changed].flatMap { found in times(of: legs, found).map { ModeScores.percent($0 / max(minutes, 1)) } }
        print("| \(name) | \(line.rawValue.lowercased()) | \(Int(minutes)) | " + shares.joined(separator: " | ") + " |")
      }
    }
  }

  private static func segments(of positions: [AaltoTransit.Position], along roads: TripRoads?) -> [FoundTrip.Segment] {
    let points = positions.map { TimelinePoint($0.coordinate, at: $0.time, accuracy: $0.accuracy) }
    return TimelineBuilder.Results(of: points).tracks.flatMap { TripMaker.trips(of: $0, along: roads) }.flatMap(\.segments)
  }

  /// Returns the minutes of rides that are shown as a train, as a car, in other modes, and in no trip.
  private static func times(of legs: [AaltoTransit.Leg], _ found: [Int: [FoundTrip.Segment]]) -> [Double] {
    var (train, car, other, all) = (0.0, 0.0, 0.0, 0.0)
    for leg in legs {
      let (start, end) = (leg.departure.millisecondsSince1970, leg.arrival.millisecondsSince1970)
      all += Double(end - start)
      for segment in found[leg.device] ?? [] where segment.start < end && segment.end > start {
        let common = Double(min(segment.end, end) - max(segment.start, start))
        switch segment.mode {
        case .train: train += common
        case .car: car += common
        default: other += common
        }
      }
    }
    return [train, car, other, max(0, all - train - car - other)].map { $0 / 60_000 }
  }
}
