internal import Foundation
internal import GodwitModel
package import GodwitStore
internal import GodwitText

/// Joins points to GeoJSON lines: a line for each part of a device's track without a gap. Lines are divided at the antimeridian.
package struct TrackLines {
  /// Seconds without a point that divide lines.
  private let gap: Double
  private var features = LineFeatures()
  private var piece: [Place] = []
  private var device: Device?

  /// The properties of a point in a line.
  private struct Place {
    var coordinate: Coordinate
    var altitude: Meters?
    var time: Date
    var speed: MetersPerSecond?
  }

  /// - Parameter gap: seconds without a point that divide lines.
  package init(gap: Double) { self.gap = gap }

  /// Adds a point, which must be later than the previous points of its device.
  package mutating func append(_ point: StoredPoint) {
    if let last = piece.last, device != point.device || point.fix.time.timeIntervalSince(last.time) > gap { close() }
    device = point.device
    piece.append(
      Place(
        coordinate: point.fix.coordinate, altitude: point.fix.altitude, time: point.fix.time, speed: point.fix.speed))
  }

  /// Adds a complete line.
  package mutating func append(_ line: [TrackVertex], of device: Device) {
    close()
    self.device = device
    piece = line.map {
      Place(
        coordinate: $0.coordinate, altitude: $0.altitude.map(Double.init), time: Date(millisecondsSince1970: $0.time),
        speed: nil)
    }
  }

  /// Returns the complete collection.
  /// - Parameter next: the cursor of the next page.
  package mutating func finish(next: String?) -> [UInt8] {
    close()
    return features.finish(next: next)
  }

  private mutating func close() {
    guard let device, !piece.isEmpty else { return }
    var part: [Place] = []
    var points = 0
    for place in piece {
      if let last = part.last, let (before, behind) = Self.crossing(last, place) {
        write(part + [before], points: points, of: device)
        (part, points) = ([behind], 0)
      }
      part.append(place)
      points += 1
    }
    write(part, points: points, of: device)
    piece.removeAll(keepingCapacity: true)
  }

  /// Returns the point where the line between two points crosses the antimeridian, on each of its sides; `nil` if it does not. A
  /// line must not cross the antimeridian (RFC 7946, 3.1.9).
  private static func crossing(_ a: Place, _ b: Place) -> (before: Place, behind: Place)? {
    let (from, to) = (a.coordinate.longitude, b.coordinate.longitude)
    guard abs(to - from) > 180 else { return nil }
    let edge: Double = from > 0 ? 180 : -180
    let span = 360 - abs(to - from)
    let share = span > 0 ? abs(edge - from) / span : 0
    func between(_ one: Double, _ other: Double) -> Double { one + (other - one) * share }
    let latitude = between(a.coordinate.latitude, b.coordinate.latitude)
    guard let before = Coordinate(latitude: latitude, longitude: edge),
      let behind = Coordinate(latitude: latitude, longitude: -edge)
    else { return nil }
    var altitude: Meters?
    if let one = a.altitude, let other = b.altitude { altitude = between(one, other) }
    let time = a.time.addingTimeInterval(b.time.timeIntervalSince(a.time) * share)
    func place(_ coordinate: Coordinate) -> Place {
      Place(coordinate: coordinate, altitude: altitude, time: time, speed: nil)
    }
    return (place(before), place(behind))
  }

  /// Writes a line.
  /// - Parameters:
  ///   - places: at least one place.
  ///   - points: the number of places that are points of the device.
  ///   - device: the device of the line.
  private mutating func write(_ places: [Place], points: Int, of device: Device) {
    guard let first = places.first, let last = places.last else { return }
    // A GeoJSON line needs two positions, so a single point is repeated.
    let line = places.count == 1 ? [first, first] : places
    let geometry = line.map { LineFeatures.Place(coordinate: $0.coordinate, altitude: $0.altitude) }
    features.append(geometry, of: device, (first.time, last.time)) { bytes, distance in
      JSONWriter.raw(#","points":"#, to: &bytes)
      JSONWriter.number(points, to: &bytes)
      JSONWriter.raw(#","distance":"#, to: &bytes)
      JSONWriter.number(distance, decimals: 1, to: &bytes)
      Self.list(#","times":["#, line, to: &bytes) { bytes, point in
        JSONWriter.number(Int(point.time.millisecondsSince1970), to: &bytes)
      }
      Self.list(#","speeds":["#, line, to: &bytes) { bytes, point in
        if let speed = point.speed {
          JSONWriter.number(speed, decimals: 2, to: &bytes)
        } else {
          JSONWriter.raw("null", to: &bytes)
        }
      }
    }
  }

  private static func list(
    _ name: StaticString, _ points: [Place], to bytes: inout [UInt8], _ write: (inout [UInt8], Place) -> Void
  ) {
    JSONWriter.raw(name, to: &bytes)
    for (index, point) in points.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      write(&bytes, point)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}
