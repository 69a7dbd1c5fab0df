internal import Foundation
internal import GodwitModel

/// Leaves out how a phone that lies still seems to wander: as long as one place explains all that was measured, it stands for it.
///
/// A day at a desk is thousands of positions some metres apart, and none of them says more than the first. Whoever wants each of
/// them asks for the track with every point.
enum OverviewStays {
  /// A position, and how far off it may be.
  package struct Sighting: Sendable, Hashable {
    package var vertex: TrackVertex
    /// 1e-7 degrees of latitude.
    package var reach: Int32

    /// - Parameters:
    ///   - vertex: where.
    ///   - accuracy: the position's radius of uncertainty in centimetres; `nil`: not known.
    package init(_ vertex: TrackVertex, accuracy: Int64?) {
      self.vertex = vertex
      // One of three positions is further off than its accuracy says, one of twenty than twice that.
      let metres = accuracy.map { min(max(Double($0) / 50, shortestReach), maximumReach) } ?? usualReach
      reach = Int32(metres * unitsOfMetre)
    }
  }

  /// Metres.
  private static let shortestReach = 5.0
  private static let usualReach = 10.0
  private static let maximumReach = 100.0
  private static let unitsOfMetre = 1e7 / (GreatCircle.earthRadius * .pi / 180)

  /// Milliseconds in one place that count as a stay: a walk is further on by then.
  package static let shortest: Int64 = 300_000

  /// A line with two positions for each stay: where it was, when it began, and when it ended.
  /// - Parameter line: in the order of its times.
  static func collapsed(_ line: [Sighting]) -> [TrackVertex] {
    var vertices: [TrackVertex] = []
    // What may be a stay, and where that would be.
    var start = 0
    var place = Place(line.first)
    for index in line.indices.dropFirst() {
      if place.narrow(to: line[index]) { continue }
      if line[index - 1].vertex.time - line[start].vertex.time >= shortest {
        vertices += place.ends(line[start].vertex, line[index - 1].vertex)
        start = index
        place = Place(line[index])
      } else {
        // What begins later may still be one.
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

  /// Where all positions of a stay may have been: a box, which is not empty.
  private struct Place {
    private var south: Int64 = 0
    private var north: Int64 = 0
    private var west: Int64 = 0
    private var east: Int64 = 0

    init(_ sighting: Sighting?) {
      guard let sighting else { return }
      (south, north, west, east) = Self.box(sighting)
    }

    /// Makes the box smaller, unless nothing would be left of it.
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
      // A degree of longitude is shorter than one of latitude; near the poles it is taken for a hundredth.
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
