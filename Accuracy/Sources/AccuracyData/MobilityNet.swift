package import Foundation
package import GodwitModel
package import GodwitModes

/// MobilityNet (Shankari, Fuerst, Fadel Argerich, Avramidis, Zhang, 2020): four iPhones 6 and four Nexus 6 that were carried together in the
/// San Francisco Bay Area under different settings, with the true times of all trips and of their parts.
///
/// The repository `MobilityNet/mobilitynet-analysis-scripts` has it under the BSD licence with three clauses. The folder is its `bin/data`.
package struct MobilityNet {
  /// A part of a trip with one means of transport, or a wait.
  package struct Leg: Sendable, Hashable {
    package var id: String
    /// The word of the set, such as `WALKING` or `STOPPED`.
    package var mode: String
    package var start: Date
    package var end: Date
  }

  /// A time in which a phone recorded with one setting: a day, or a part of one.
  package struct Period: Sendable, Hashable {
    package var phone: String
    /// The setting, such as `HAHFDC`, high accuracy at a high frequency with duty cycling.
    package var setting: String
    package var start: Date
    package var end: Date
    fileprivate var file: URL

    /// Whether the phone is an iPhone.
    package var isApple: Bool { phone.contains("-ios-") }
  }

  /// The folders of the phones, in their order.
  package let phones: [String]
  /// The trips, in the order of time. They do not overlap.
  package let trips: [DateInterval]
  /// The parts of the trips with a known means of transport, in the order of time.
  package let legs: [Leg]
  private let folder: URL

  /// - Throws: ``DatasetError`` if the folder has no phone, or the error of a file that cannot be read.
  package init(folder: URL) throws {
    self.folder = folder
    phones = Self.names(in: folder).filter { $0.hasPrefix("ucb-sdb-") }
    guard !phones.isEmpty else {
      throw DatasetError(path: folder.path, reason: "it has no ucb-sdb-ios-1 and the like; it must be the folder bin/data")
    }
    let modes = try Self.modes(in: folder)
    var (trips, legs): (Set<DateInterval>, Set<Leg>) = ([], [])
    for phone in phones {
      let transitions = try Self.transitions(of: phone, in: folder)
      // The truth is in the files of the phones that recorded all the time, once for each experiment.
      for (_, start, end) in Self.pairs(transitions, "EVALUATION_TRIP") { trips.insert(DateInterval(start: start, end: end)) }
      for (id, start, end) in Self.pairs(transitions, "EVALUATION_SECTION") {
        if let mode = modes[id] { legs.insert(Leg(id: id, mode: mode, start: start, end: end)) }
      }
    }
    // The same trip was noted on two phones on some days, with times that differ by a moment.
    self.trips = Self.withoutOverlaps(trips.sorted(), \.start, \.end)
    self.legs = Self.withoutOverlaps(legs.sorted { $0.start < $1.start }, \.start, \.end)
  }

  private static func withoutOverlaps<Value>(
    _ values: [Value], _ start: KeyPath<Value, Date>, _ end: KeyPath<Value, Date>
  ) -> [Value] {
    values.reduce(into: []) { kept, value in
      if let last = kept.last, value[keyPath: start] < last[keyPath: end] { return }
      kept.append(value)
    }
  }

  /// The kind of a means of transport; `nil` for those that the model does not know: scooters and light rail.
  package static func kind(of mode: String) -> TransportKind? {
    switch mode {
    case "WALKING": .walk
    case "BICYCLING", "E_BIKE": .bicycle
    case "BUS": .bus
    case "CAR": .car
    case "TRAIN": .train
    case "SUBWAY": .subway
    default: nil
    }
  }

  /// The times in which a phone recorded during trips. The set lacks some of the files.
  package func periods(of phone: String) -> [Period] {
    var periods: [Period] = []
    let transitions = (try? Self.transitions(of: phone, in: folder)) ?? []
    for (id, start, end) in Self.pairs(transitions, "EVALUATION_PERIOD") {
      guard trips.contains(where: { $0.start >= start && $0.end <= end }), let file = file(of: phone, from: start, to: end) else {
        continue
      }
      let setting = id.split(separator: ":").last.map(String.init) ?? id
      let period = Period(phone: phone, setting: setting, start: start, end: end, file: file)
      if periods.last?.start != start { periods.append(period) }
    }
    return periods
  }

  /// The fixes of a period as the phone delivered them, in the order of time.
  package func fixes(of period: Period) throws -> [Fix] {
    struct Entry: Decodable {
      struct Data: Decodable {
        var latitude: Double
        var longitude: Double
        var accuracy: Double?
        var ts: Double
      }
      var data: Data
    }
    let entries = try JSONDecoder().decode([Entry].self, from: Data(contentsOf: period.file)).map(\.data)
    return entries.compactMap { entry in
      guard let coordinate = Coordinate(latitude: entry.latitude, longitude: entry.longitude), abs(entry.ts) < 1e11 else {
        return nil
      }
      return Fix(time: Date(timeIntervalSince1970: entry.ts), coordinate: coordinate, horizontalAccuracy: entry.accuracy)
    }.sorted { $0.time < $1.time }
  }

  private func file(of phone: String, from start: Date, to end: Date) -> URL? {
    let experiments = Self.names(in: folder.appendingPathComponent(phone))
    // The set lacks large files. The other list is without repeated positions.
    for list in ["background~location", "background~filtered_location"] {
      for experiment in experiments {
        if let file = file(in: folder.appendingPathComponent("\(phone)/\(experiment)/\(list)"), from: start, to: end) {
          return file
        }
      }
    }
    return nil
  }

  /// The file of a folder whose name has these times.
  private func file(in locations: URL, from start: Date, to end: Date) -> URL? {
    Self.names(in: locations).first { name in
      let times = name.replacingOccurrences(of: ".json", with: "").split(separator: "_").compactMap { Double($0) }
      return times.count == 2 && abs(times[0] - start.timeIntervalSince1970) < 2 && abs(times[1] - end.timeIntervalSince1970) < 2
    }.map(locations.appendingPathComponent)
  }

  // MARK: Files

  private static func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// The means of transport of each part, by its id.
  private static func modes(in folder: URL) throws -> [String: String] {
    struct Experiment: Decodable {
      struct Leg: Decodable {
        var id: String
        var mode: String
      }
      struct Trip: Decodable { var legs: [Leg] }
      struct Label: Decodable {
        var trips: [Trip]?
        private enum CodingKeys: String, CodingKey { case trips = "evaluation_trips" }
      }
      struct Data: Decodable { var label: Label }
      var data: Data
    }
    let author = folder.appendingPathComponent("shankari@eecs.berkeley.edu")
    var modes: [String: String] = [:]
    for experiment in names(in: author) {
      let files = author.appendingPathComponent("\(experiment)/config~evaluation_spec")
      for name in names(in: files) {
        let description = try JSONDecoder().decode(Experiment.self, from: Data(contentsOf: files.appendingPathComponent(name)))
        for trip in description.data.label.trips ?? [] { for leg in trip.legs { modes[leg.id] = leg.mode } }
      }
    }
    return modes
  }

  private struct Transition: Decodable, Hashable {
    struct Data: Decodable, Hashable {
      var id: String
      var transition: String
      var ts: Double
      private enum CodingKeys: String, CodingKey {
        case id = "trip_id"
        case transition, ts
      }
    }
    var data: Data
  }

  /// What a phone noted, in the order of time, each once.
  private static func transitions(of phone: String, in folder: URL) throws -> [Transition.Data] {
    var all: Set<Transition.Data> = []
    for experiment in names(in: folder.appendingPathComponent(phone)) {
      let files = folder.appendingPathComponent("\(phone)/\(experiment)/manual~evaluation_transition")
      for name in names(in: files) {
        let read = try JSONDecoder().decode([Transition].self, from: Data(contentsOf: files.appendingPathComponent(name)))
        all.formUnion(read.map(\.data))
      }
    }
    // A stop is before a start at the same time.
    return all.sorted { ($0.ts, $1.transition, $0.id) < ($1.ts, $0.transition, $1.id) }
  }

  /// The starts with the next stop of the same id.
  private static func pairs(_ transitions: [Transition.Data], _ kind: String) -> [(id: String, start: Date, end: Date)] {
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
