import Foundation
import GodwitModel

/// Readers of the set's files: lists of entries, one file per list and period, and the description of each experiment.
extension MobilityNet {
  /// Returns the sorted names in a folder; none if it does not exist.
  static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  private struct Entry<Value: Decodable>: Decodable {
    var data: Value
  }

  /// Reads the values of a list.
  static func entries<Value: Decodable>(of file: URL) throws -> [Value] {
    try JSONDecoder().decode([Entry<Value>].self, from: Data(contentsOf: file)).map(\.data)
  }

  /// Converts a time of the set in seconds since 1970. Returns `nil` for an invalid time.
  static func date(_ seconds: Double) -> Date? { abs(seconds) < 1e11 ? Date(timeIntervalSince1970: seconds) : nil }

  /// Returns the file of a phone's period in the first of some lists that has one, in any experiment.
  func file(of phone: String, in lists: [String], from start: Date, to end: Date) -> URL? {
    let experiments = Self.names(in: folder.appendingPathComponent(phone))
    for list in lists {
      for experiment in experiments {
        if let file = file(in: folder.appendingPathComponent("\(phone)/\(experiment)/\(list)"), from: start, to: end) {
          return file
        }
      }
    }
    return nil
  }

  /// Returns the file of a folder whose name has these times.
  private func file(in list: URL, from start: Date, to end: Date) -> URL? {
    Self.names(in: list).first { name in
      let times = name.replacingOccurrences(of: ".json", with: "").split(separator: "_").compactMap { Double($0) }
      return times.count == 2 && abs(times[0] - start.timeIntervalSince1970) < 2 && abs(times[1] - end.timeIntervalSince1970) < 2
    }.map(list.appendingPathComponent)
  }

  // MARK: Descriptions of experiments

  /// The description of an experiment: the trips with their parts, and the settings that are compared at rest.
  struct Specification: Sendable, Decodable {
    /// A part of a trip.
    struct Leg: Sendable, Decodable {
      var id: String
      var mode: String
      private var routes: Routes?

      private enum CodingKeys: String, CodingKey {
        case id, mode
        case routes = "route_coords"
      }

      /// Returns the line of the leg on a day. Lines changed because of road works and new stops.
      func line(at time: Date) -> [Coordinate] {
        let seconds = time.timeIntervalSince1970
        let routes = routes?.all ?? []
        let route = routes.first { $0.isValid(at: seconds) } ?? routes.last
        return route?.geometry.coordinates.compactMap { numbers in
          numbers.count >= 2 ? Coordinate(latitude: numbers[1], longitude: numbers[0]) : nil
        } ?? []
      }
    }

    /// The lines of a leg: one, or a list of them with the times in which each is valid.
    struct Routes: Sendable, Decodable {
      struct Route: Sendable, Decodable {
        struct Geometry: Sendable, Decodable { var coordinates: [[Double]] }
        struct Properties: Sendable, Decodable {
          var start: Double?
          var end: Double?
          private enum CodingKeys: String, CodingKey {
            case start = "valid_start_ts"
            case end = "valid_end_ts"
          }
        }
        var geometry: Geometry
        var properties: Properties?

        func isValid(at time: Double) -> Bool {
          (properties?.start ?? -.infinity) <= time && time <= (properties?.end ?? .infinity)
        }
      }

      var all: [Route]

      init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let list = try? container.decode([Route].self) { all = list } else { all = [try container.decode(Route.self)] }
      }
    }
    /// A trip.
    struct Trip: Sendable, Decodable { var legs: [Leg] }
    /// A setting that is measured at rest. Its id in the notes is not the id of the setting.
    struct Calibration: Sendable, Decodable {
      struct Setting: Sendable, Decodable { var id: String }
      var id: String
      var setting: Setting
      private enum CodingKeys: String, CodingKey {
        case id
        case setting = "config"
      }
    }
    var trips: [Trip]
    var calibrations: [Calibration]

    private enum CodingKeys: String, CodingKey {
      case label
      case trips = "evaluation_trips"
      case calibrations = "calibration_tests"
    }

    init(from decoder: any Decoder) throws {
      let label = try decoder.container(keyedBy: CodingKeys.self).nestedContainer(keyedBy: CodingKeys.self, forKey: .label)
      trips = try label.decodeIfPresent([Trip].self, forKey: .trips) ?? []
      calibrations = try label.decodeIfPresent([Calibration].self, forKey: .calibrations) ?? []
    }
  }

  /// Reads the descriptions of all experiments.
  static func specifications(in folder: URL) throws -> [Specification] {
    struct Description: Decodable { var data: Specification }
    let author = folder.appendingPathComponent("shankari@eecs.berkeley.edu")
    return try names(in: author).flatMap { experiment in
      let files = author.appendingPathComponent("\(experiment)/config~evaluation_spec")
      return try names(in: files).map {
        try JSONDecoder().decode(Description.self, from: Data(contentsOf: files.appendingPathComponent($0))).data
      }
    }
  }

  // MARK: Notes of the participant

  /// A transition that was noted on a phone: the start or the end of a period, a trip or a part of a trip.
  struct Transition: Decodable, Hashable {
    var id: String
    var transition: String
    var ts: Double
    private enum CodingKeys: String, CodingKey {
      case id = "trip_id"
      case transition, ts
    }
  }

  /// Reads the transitions that were noted on a phone, without duplicates, in order of time.
  static func transitions(of phone: String, in folder: URL) throws -> [Transition] {
    var all: Set<Transition> = []
    for experiment in names(in: folder.appendingPathComponent(phone)) {
      let files = folder.appendingPathComponent("\(phone)/\(experiment)/manual~evaluation_transition")
      for name in names(in: files) {
        let read: [Transition] = try entries(of: files.appendingPathComponent(name))
        all.formUnion(read.filter { date($0.ts) != nil })
      }
    }
    // A stop is before a start at the same time.
    return all.sorted { ($0.ts, $1.transition, $0.id) < ($1.ts, $0.transition, $1.id) }
  }

  /// Returns the pairs of a start and the next stop with the same id.
  static func pairs(_ transitions: [Transition], _ kind: String) -> [(id: String, start: Date, end: Date)] {
    var open: [String: Double] = [:]
    var pairs: [(String, Date, Date)] = []
    for transition in transitions {
      if transition.transition == "START_\(kind)" { open[transition.id] = transition.ts }
      if transition.transition == "STOP_\(kind)", let start = open.removeValue(forKey: transition.id), start < transition.ts {
        pairs.append((transition.id, Date(timeIntervalSince1970: start), Date(timeIntervalSince1970: transition.ts)))
      }
    }
    return pairs
  }
}
