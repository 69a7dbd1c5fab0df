internal import Foundation
internal import GodwitModel

/// Removes the drift of a stationary phone: as long as one place explains all positions, it replaces them.
///
/// A stationary day has thousands of positions some metres apart, which add no information. A track with every point is
/// available separately.
enum OverviewStays {
  /// A position with its uncertainty.
  package struct Sighting: Sendable, Hashable {
    package var vertex: TrackVertex
    /// 1e-7 degrees of latitude.
    package var reach: Int32

    /// - Parameters:
    ///   - vertex: the position.
    ///   - accuracy: the radius of uncertainty in centimetres; `nil`: unknown.
    package init(_ vertex: TrackVertex, accuracy: Int64?) {
      self.vertex = vertex
      // One of three positions deviates by more than its accuracy, one of twenty by more than twice that.
      let metres = accuracy.map { min(max(Double($0) / 50, shortestReach), maximumReach) } ?? usualReach
      reach = Int32(metres * unitsOfMetre)
    }
  }

  /// Metres.
  private static let shortestReach = 5.0
  private static let usualReach = 10.0
  private static let maximumReach = 100.0
  private static let unitsOfMetre = 1e7 / (GreatCircle.earthRadius * .pi / 180)

  /// Minimum milliseconds of a stay; a walk is further away by then.
  package static let shortest: Int64 = 300_000

  /// Replaces each stay in a line by two vertices: its place at its start and at its end.
  /// - Parameter line: in the order of its times.
  static func collapsed(_ line: [Sighting]) -> [TrackVertex] {
    var vertices: [TrackVertex] = []
    // The candidate of a stay, and its place.
    var start = 0
    var place = Place(line.first)
    for index in line.indices.dropFirst() {
      if place.narrow(to: line[index]) { continue }
      if line[index - 1].vertex.time - line[start].vertex.time >= shortest {
        vertices += place.ends(line[start].vertex, line[index - 1].vertex)
        start = index
        place = Place(line[index])
      } else {
        // A later start may still give a stay.
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

  /// The non-empty box of all possible places of a stay.
  private struct Place {
    private var south: Int64 = 0
    private var north: Int64 = 0
    private var west: Int64 = 0
    private var east: Int64 = 0

    init(_ sighting: Sighting?) {
      guard let sighting else { return }
      (south, north, west, east) = Self.box(sighting)
    }

    /// Intersects the box with a position's, unless the result is empty.
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
      // Degrees of longitude shrink towards the poles; the factor is at least a hundredth.
      let wide = Int64(Double(high) / max(0.01, cos(Double(latitude) / 1e7 * .pi / 180)))
      return (latitude - high, latitude + high, longitude - wide, longitude + wide)
    }

    /// The stay as two vertices.
    func ends(_ first: TrackVertex, _ last: TrackVertex) -> [TrackVertex] {
      let latitude = Int32(clamping: min(max((south + north) / 2, -900_000_000), 900_000_000))
      let longitude = Int32(clamping: min(max((west + east) / 2, -1_800_000_000), 1_800_000_000))
      return [first, last].map {
        TrackVertex(time: $0.time, latitude: latitude, longitude: longitude, altitude: $0.altitude)
      }
    }
  }
}
