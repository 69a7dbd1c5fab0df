internal import Foundation
internal import GodwitFormats
internal import GodwitModel

/// Points, joined to GeoJSON lines: one for each piece of a device's track without a gap.
struct TrackLines {
  /// Seconds without a point that break a line.
  let gap: Double
  private var features: [UInt8] = Array(#"{"type":"FeatureCollection","features":["#.utf8)
  private var hasFeatures = false
  private var piece: [Place] = []
  private var device: Device?

  /// What a line says of a point.
  private struct Place {
    var coordinate: Coordinate
    var altitude: Meters?
    var time: Date
    var speed: MetersPerSecond?
  }

  init(gap: Double) { self.gap = gap }

  mutating func append(_ point: StoredPoint) {
    if let last = piece.last, device != point.device || point.fix.time.timeIntervalSince(last.time) > gap { close() }
    device = point.device
    piece.append(
      Place(
        coordinate: point.fix.coordinate, altitude: point.fix.altitude, time: point.fix.time, speed: point.fix.speed))
  }

  /// Adds a line that was cut already.
  mutating func append(_ line: [TrackVertex], of device: Device) {
    close()
    self.device = device
    piece = line.map {
      Place(
        coordinate: $0.coordinate, altitude: $0.altitude.map(Double.init), time: Date(millisecondsSince1970: $0.time),
        speed: nil)
    }
  }

  /// The whole collection. - Parameter next: where the next part begins.
  mutating func finish(next: String?) -> [UInt8] {
    close()
    JSONWriter.raw("],\"next\":", to: &features)
    if let next { JSONWriter.string(next, to: &features) } else { JSONWriter.raw("null", to: &features) }
    JSONWriter.raw("}\n", to: &features)
    return features
  }

  private mutating func close() {
    guard let first = piece.first, let last = piece.last, let device else { return }
    if hasFeatures { features.append(UInt8(ascii: ",")) }
    hasFeatures = true
    // GeoJSON has no line of one point; twice the same point is the shortest one.
    let line = piece.count == 1 ? [first, first] : piece
    JSONWriter.raw(#"{"type":"Feature","geometry":{"type":"LineString","coordinates":["#, to: &features)
    var distance = 0.0
    for (index, point) in line.enumerated() {
      if index > 0 {
        features.append(UInt8(ascii: ","))
        distance += GreatCircle.distance(line[index - 1].coordinate, point.coordinate)
      }
      features.append(UInt8(ascii: "["))
      JSONWriter.number(point.coordinate.longitude, decimals: 7, to: &features)
      features.append(UInt8(ascii: ","))
      JSONWriter.number(point.coordinate.latitude, decimals: 7, to: &features)
      if let altitude = point.altitude {
        features.append(UInt8(ascii: ","))
        JSONWriter.number(altitude, decimals: 1, to: &features)
      }
      features.append(UInt8(ascii: "]"))
    }
    JSONWriter.raw(#"]},"properties":{"device":"#, to: &features)
    JSONWriter.string(device.name, to: &features)
    JSONWriter.raw(#","from":"#, to: &features)
    JSONWriter.date(first.time, .automatic, to: &features)
    JSONWriter.raw(#","to":"#, to: &features)
    JSONWriter.date(last.time, .automatic, to: &features)
    JSONWriter.raw(#","points":"#, to: &features)
    JSONWriter.number(piece.count, to: &features)
    JSONWriter.raw(#","distance":"#, to: &features)
    JSONWriter.number(distance, decimals: 1, to: &features)
    list(#","times":["#, line) { bytes, point in
      JSONWriter.number(Int(point.time.millisecondsSince1970), to: &bytes)
    }
    list(#","speeds":["#, line) { bytes, point in
      if let speed = point.speed {
        JSONWriter.number(speed, decimals: 2, to: &bytes)
      } else {
        JSONWriter.raw("null", to: &bytes)
      }
    }
    JSONWriter.raw("}}", to: &features)
    piece.removeAll(keepingCapacity: true)
  }

  private mutating func list(
    _ name: StaticString, _ points: [Place], _ write: (inout [UInt8], Place) -> Void
  ) {
    JSONWriter.raw(name, to: &features)
    for (index, point) in points.enumerated() {
      if index > 0 { features.append(UInt8(ascii: ",")) }
      write(&features, point)
    }
    features.append(UInt8(ascii: "]"))
  }
}
