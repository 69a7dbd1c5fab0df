internal import Foundation
internal import GodwitModel

/// Removes the drift of a stationary phone: positions that are consistent with a single place are replaced by this place.
///
/// A stationary day has thousands of positions that differ by metres and contain no information. A track with all points is
/// available separately.
enum OverviewStays {
  /// A position with its uncertainty.
  package struct Sighting: Sendable, Hashable {
    package var vertex: TrackVertex
    /// The uncertainty of the position, in 1e-7 degrees of latitude.
    package var reach: Int32

    /// - Parameters:
    ///   - vertex: the position.
    ///   - accuracy: the radius of uncertainty in centimetres; `nil`: unknown.
    package init(_ vertex: TrackVertex, accuracy: Int64?) {
      self.vertex = vertex
      // One of three positions deviates by more than its accuracy, and one of twenty by more than twice its accuracy.
      let metres = accuracy.map { min(max(Double($0) / 50, shortestReach), maximumReach) } ?? usualReach
      reach = Int32(metres * unitsOfMetre)
    }
  }

  /// Bounds and default of the uncertainty, in metres.
  private static let shortestReach = 5.0
  private static let usualReach = 10.0
  private static let maximumReach = 100.0
  private static let unitsOfMetre = 1e7 / (GreatCircle.earthRadius * .pi / 180)

  /// Minimum milliseconds of a stay. In this time a pedestrian moves further away.
  package static let shortest: Int64 = 300_000

  /// Replaces each stay in a line by two vertices, at its start and at its end.
  /// - Parameter line: the positions, in the order of their times.
  static func collapsed(_ line: [Sighting]) -> [TrackVertex] {
    var vertices: [TrackVertex] = []
    // The candidate for a stay: the index of its first position, and its place.
    var start = 0
    var place = Place(line.first)
    for index in line.indices.dropFirst() {
      if place.narrow(to: line[index]) { continue }
      if line[index - 1].vertex.time - line[start].vertex.time >= shortest {
        vertices += place.ends(line[start].vertex, line[index - 1].vertex)
        start = index
        place = Place(line[index])
      } else {
        // A candidate that starts later may still become a stay.
        var next = index
        place = Place(line[index])
        while next > start, place.narrow(to: line[next - 1]) { next -= 1 }
        vertices += line[start..<next].lazy.map(\.vertex)
        start = next
      }
    }
    guard let last = line.last else { return [] }
    if last.vertex.time - line[start].vertex.time >= shortest {
      vertices += place.ends(line[start].vertex, last.vertex)
    } else {
      vertices += line[start...].lazy.map(\.vertex)
    }
    return vertices
  }

  /// The box of all possible positions of a stay, which is not empty.
  private struct Place {
    private var south: Int64 = 0
    private var north: Int64 = 0
    private var west: Int64 = 0
    private var east: Int64 = 0

    init(_ sighting: Sighting?) {
      guard let sighting else { return }
      (south, north, west, east) = Self.box(sighting)
    }

    /// Intersects the box with that of a position. - Returns: `false`, without a change, if the intersection is empty.
    mutating func narrow(to sighting: Sighting) -> Bool {
      let box = Self.box(sighting)
      let (south, north) = (max(self.south, box.south), min(self.north, box.north))
      let (west, east) = (max(self.west, box.west), min(self.east, box.east))
      guard south <= north, west <= east else { return false }
      (self.south, self.north, self.west, self.east) = (south, north, west, east)
      return true
    }

    private static func box(_ sighting: Sighting) -> (south: Int64, north: Int64, west: Int64, east: Int64) {
      let vertex = sighting.vertex
      let (latitude, longitude, high) = (Int64(vertex.latitude), Int64(vertex.longitude), Int64(sighting.reach))
      // A degree of longitude becomes shorter towards the poles. The factor is at least a hundredth.
      let wide = Int64(Double(high) / max(0.01, cos(Double(latitude) / 1e7 * .pi / 180)))
      return (latitude - high, latitude + high, longitude - wide, longitude + wide)
    }

    /// Returns the stay as two vertices.
    func ends(_ first: TrackVertex, _ last: TrackVertex) -> [TrackVertex] {
      let latitude = Int32(clamping: min(max((south + north) / 2, -900_000_000), 900_000_000))
      let longitude = Int32(clamping: min(max((west + east) / 2, -1_800_000_000), 1_800_000_000))
      return [first, last].map {
        TrackVertex(time: $0.time, latitude: latitude, longitude: longitude, altitude: $0.altitude)
      }
    }
  }
}
