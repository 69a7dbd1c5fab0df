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
    /// The value in the set, such as `WALKING` or `STOPPED`.
    package var mode: String
    package var start: Date
    package var end: Date
    /// The true line of the leg, in its direction; empty for walks between two platforms and for waits.
    package var line: [Coordinate] = []
  }

  /// A period in which a phone recorded with one setting: a day or a part of a day.
  package struct Period: Sendable, Hashable {
    package var phone: String
    /// The setting, such as `HAHFDC`, high accuracy at a high frequency with duty cycling.
    package var setting: String
    package var start: Date
    package var end: Date
    var file: URL

    /// Whether the phone is an iPhone.
    package var isApple: Bool { MobilityNet.isApple(phone) }
  }

  /// Returns whether a phone with this name is an iPhone.
  static func isApple(_ phone: String) -> Bool { phone.contains("-ios-") }

  /// Returns the model of the iPhones or of the other phones.
  package static func model(isApple: Bool) -> String { isApple ? "iPhone 6" : "Nexus 6" }

  /// The folders of the phones, sorted.
  package let phones: [String]
  /// The trips, in order of time. They do not overlap.
  package let trips: [DateInterval]
  /// The parts of the trips with a known means of transport, in order of time.
  package let legs: [Leg]
  let folder: URL
  /// The names of all files in the folder, including files that no score needs.
  package var files: [String] {
    (FileManager.default.subpaths(atPath: folder.path) ?? []).filter { name in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }
  let specifications: [Specification]

  /// - Throws: ``DatasetError`` if the folder has no phone, or the error of a file that cannot be read.
  package init(folder: URL) throws {
    self.folder = folder
    phones = Self.names(in: folder).filter { $0.hasPrefix("ucb-sdb-") }
    guard !phones.isEmpty else {
      throw DatasetError(path: folder.path, reason: "it has no ucb-sdb-ios-1 and the like; it must be the folder bin/data")
    }
    specifications = try Self.specifications(in: folder)
    let described = specifications.flatMap(\.trips).flatMap(\.legs)
      .reduce(into: [String: Specification.Leg]()) { $0[$1.id] = $1 }
    var (trips, legs): (Set<DateInterval>, Set<Leg>) = ([], [])
    for phone in phones {
      let transitions = try Self.transitions(of: phone, in: folder)
      // The truth is in the files of the phones with continuous recording, once for each experiment.
      for (_, start, end) in Self.pairs(transitions, "EVALUATION_TRIP") { trips.insert(DateInterval(start: start, end: end)) }
      for (id, start, end) in Self.pairs(transitions, "EVALUATION_SECTION") {
        if let leg = described[id] {
          legs.insert(Leg(id: id, mode: leg.mode, start: start, end: end, line: leg.line(at: start)))
        }
      }
    }
    // On some days the same trip was noted on two phones, with slightly different times.
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

  /// Returns the kind of a means of transport; `nil` for those that the model does not know: scooters and light rail.
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

  /// Returns the periods with trips in which a phone recorded. The set lacks some of the files.
  package func periods(of phone: String) -> [Period] {
    var periods: [Period] = []
    let transitions = (try? Self.transitions(of: phone, in: folder)) ?? []
    for (id, start, end) in Self.pairs(transitions, "EVALUATION_PERIOD") {
      // The set lacks large files. The other list does not have repeated positions.
      guard trips.contains(where: { $0.start >= start && $0.end <= end }),
        let file = file(of: phone, in: ["background~location", "background~filtered_location"], from: start, to: end)
      else { continue }
      let setting = id.split(separator: ":").last.map(String.init) ?? id
      let period = Period(phone: phone, setting: setting, start: start, end: end, file: file)
      if periods.last?.start != start { periods.append(period) }
    }
    return periods
  }

  /// Reads the fixes of a period as the phone delivered them, in order of time.
  package func fixes(of period: Period) throws -> [Fix] {
    struct Location: Decodable {
      var latitude: Double
      var longitude: Double
      var accuracy: Double?
      var ts: Double
    }
    let locations: [Location] = try Self.entries(of: period.file)
    return locations.compactMap { location in
      guard let coordinate = Coordinate(latitude: location.latitude, longitude: location.longitude),
        let time = Self.date(location.ts)
      else { return nil }
      return Fix(time: time, coordinate: coordinate, horizontalAccuracy: location.accuracy)
    }.sorted { $0.time < $1.time }
  }
}
