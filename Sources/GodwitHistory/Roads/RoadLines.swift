internal import Foundation
internal import GodwitModel
internal import GodwitRoads
package import GodwitStore
internal import GodwitText

/// Writes the lines of trips as GeoJSON: along the roads where they are on roads, and from position to position elsewhere.
package struct RoadLines {
  /// `nil`: without lines.
  private let roads: TripRoads?
  private var features: [UInt8] = Array(#"{"type":"FeatureCollection","features":["#.utf8)
  private var hasFeatures = false

  /// - Parameter roads: `nil` writes no lines.
  package init(_ roads: TripRoads?) { self.roads = roads }

  /// Adds a part of a trip.
  /// - Parameters:
  ///   - points: of the part, in the order of time.
  ///   - mode: of the part.
  ///   - device: whose trip it is.
  package mutating func append(_ points: ArraySlice<StoredPoint>, by mode: TravelMode, of device: Device) {
    guard let roads else { return }
    let points = Array(points)
    guard let travel = TripRoads.travel(by: mode) else { return write(points.map(\.fix.coordinate), points, false, mode, device) }
    let fixes = points.map {
      RoadFix($0.fix.coordinate, time: $0.fix.time.timeIntervalSince1970, accuracy: $0.fix.horizontalAccuracy)
    }
    for stretch in roads.stretches(of: fixes, travel) {
      let part = Array(points[stretch.positions])
      let line = stretch.route?.line(in: roads.graph) ?? part.map(\.fix.coordinate)
      write(line, part, stretch.route != nil, mode, device)
    }
  }

  /// The complete collection, which has no further page.
  package consuming func finish() -> [UInt8] {
    JSONWriter.raw("],\"next_cursor\":null}\n", to: &features)
    return features
  }

  private mutating func write(
    _ line: [Coordinate], _ points: [StoredPoint], _ isOnRoads: Bool, _ mode: TravelMode, _ device: Device
  ) {
    guard line.count > 1, let first = points.first, let last = points.last else { return }
    if hasFeatures { features.append(UInt8(ascii: ",")) }
    hasFeatures = true
    JSONWriter.raw(#"{"type":"Feature","geometry":{"type":"LineString","coordinates":["#, to: &features)
    for (index, point) in line.enumerated() {
      if index > 0 { features.append(UInt8(ascii: ",")) }
      features.append(UInt8(ascii: "["))
      JSONWriter.number(point.longitude, decimals: 7, to: &features)
      features.append(UInt8(ascii: ","))
      JSONWriter.number(point.latitude, decimals: 7, to: &features)
      features.append(UInt8(ascii: "]"))
    }
    JSONWriter.raw(#"]},"properties":{"device":"#, to: &features)
    JSONWriter.string(device.name, to: &features)
    JSONWriter.raw(#","from":"#, to: &features)
    JSONWriter.date(first.fix.time, .automatic, to: &features)
    JSONWriter.raw(#","to":"#, to: &features)
    JSONWriter.date(last.fix.time, .automatic, to: &features)
    JSONWriter.raw(#","mode":"#, to: &features)
    JSONWriter.string(mode.rawValue, to: &features)
    JSONWriter.raw(isOnRoads ? #","on_roads":true,"distance":"# : #","on_roads":false,"distance":"#, to: &features)
    let distance = zip(line, line.dropFirst()).reduce(0) { $0 + GreatCircle.distance($1.0, $1.1) }
    JSONWriter.number(distance, decimals: 1, to: &features)
    JSONWriter.raw("}}", to: &features)
  }
}
