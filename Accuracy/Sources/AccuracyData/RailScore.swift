package import GodwitModes

/// Counts the rides on rails and on roads that are classified correctly, without a map of rails or with it.
package struct RailScore: Sendable, Hashable {
  /// The true vehicle of a ride.
  package enum Ride: String, Sendable, CaseIterable {
    case train, subway, tram, bus, car

    package var isOnRails: Bool { self == .train || self == .subway || self == .tram }
  }

  /// The counts for rides of one kind.
  package struct Count: Sendable, Hashable {
    package var rides = 0
    /// Rides that were correctly classified as on rails or on a road.
    package var rightSide = 0
    /// Rides that were correctly classified as one of the six kinds of the model.
    package var rightKind = 0
  }

  package private(set) var counts: [Ride: Count] = [:]

  package init() {}

  package mutating func add(_ ride: Ride, _ kinds: KindProbabilities) {
    counts[ride, default: Count()].rides += 1
    if (kinds.rails > 0.5) == ride.isOnRails { counts[ride]?.rightSide += 1 }
    if "\(kinds.best)" == ride.rawValue { counts[ride]?.rightKind += 1 }
  }

  /// The counts of all rides without trams, which the model does not know.
  package var all: Count {
    counts.filter { $0.key != .tram }.values.reduce(into: Count()) { sum, count in
      sum.rides += count.rides
      sum.rightSide += count.rightSide
      sum.rightKind += count.rightKind
    }
  }
}
