package import GodwitHistory
internal import GodwitModel
package import GodwitStore

/// The visits of a user's devices at named places.
package struct PlaceVisits {
  /// Totals of the visits of a place.
  package struct Totals: Sendable, Hashable {
    package var visits = 0
    package var seconds = 0.0
    /// Time of the first arrival and of the last end, in milliseconds since 1970.
    package var first: Int64 = .max
    package var last: Int64 = .min

    package init() {}

    mutating func add(_ visit: FoundVisit) {
      visits += 1
      seconds += Double(max(0, visit.end - visit.arrival)) / 1000
      first = min(first, visit.arrival)
      last = max(last, visit.end)
    }
  }

  private let db: any SQLConnection
  private let devices: [Device]
  private let finder: PlaceFinder

  /// - Parameters:
  ///   - devices: Devices whose visits count.
  ///   - places: All places of the user, so that each visit is assigned to the nearest one.
  package init(_ devices: [Device], _ places: [NamedPlace], _ db: any SQLConnection) {
    self.db = db
    self.devices = devices
    finder = PlaceFinder(places)
  }

  /// Returns the visits of one place, newest first.
  package func visits(of place: NamedPlace) throws -> [(device: Device, visit: ShownVisit)] {
    try all().filter { finder.place(of: $0.visit)?.id == place.id }
      .sorted { ($0.visit.visit.arrival, $0.device.id) > ($1.visit.visit.arrival, $1.device.id) }
  }

  /// Returns the totals by the ids of the places.
  package func totals() throws -> [Int64: Totals] {
    var totals: [Int64: Totals] = [:]
    for (_, shown) in try all() {
      if let place = finder.place(of: shown) { totals[place.id, default: Totals()].add(shown.visit) }
    }
    return totals
  }

  private func all() throws -> [(device: Device, visit: ShownVisit)] {
    try devices.flatMap { device in
      try CorrectedTimeline(db).visits(TimelineRows.Query(device: device.id, times: .min..<Int64.max)).map { (device, $0) }
    }
  }
}

extension NamedPlace.Options {
  /// Returns the smallest circle around two places, with the name of the first.
  package func merged(with other: Self) -> Self {
    let apart = GreatCircle.distance(center, other.center)
    if apart + other.radius <= radius { return self }
    if apart + radius <= other.radius { return Self(name: name, center: other.center, radius: other.radius) }
    let reach = (apart + radius + other.radius) / 2
    let course = GreatCircle.initialCourse(from: center, to: other.center)
    let middle = GreatCircle.destination(from: center, course: course, distance: reach - radius)
    return Self(name: name, center: middle, radius: reach.rounded(.up))
  }
}
