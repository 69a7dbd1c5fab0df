internal import Foundation
internal import GodwitModel
internal import GodwitRoads
package import GodwitStore
internal import GodwitText

/// Writes the lines of trips as GeoJSON: along roads for parts on roads, and from position to position elsewhere.
package struct RoadLines {
  /// The roads; `nil`: no lines are written.
  private let roads: TripRoads?
  private var features = LineFeatures()

  /// - Parameter roads: the roads; `nil`: no lines are written.
  package init(_ roads: TripRoads?) { self.roads = roads }

  /// Adds a part of a trip.
  /// - Parameters:
  ///   - points: the points of the part, in the order of their times.
  ///   - mode: the mode of the part.
  ///   - device: the device of the trip.
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

  /// Returns the complete collection, without a cursor.
  package mutating func finish() -> [UInt8] { features.finish(next: nil) }

  private mutating func write(
    _ line: [Coordinate], _ points: [StoredPoint], _ isOnRoads: Bool, _ mode: TravelMode, _ device: Device
  ) {
    guard line.count > 1, let first = points.first, let last = points.last else { return }
    let geometry = line.map { LineFeatures.Place(coordinate: $0) }
    features.append(geometry, of: device, (first.fix.time, last.fix.time)) { bytes, distance in
      JSONWriter.raw(#","mode":"#, to: &bytes)
      JSONWriter.string(mode.rawValue, to: &bytes)
      JSONWriter.raw(isOnRoads ? #","on_roads":true,"distance":"# : #","on_roads":false,"distance":"#, to: &bytes)
      JSONWriter.number(distance, decimals: 1, to: &bytes)
    }
  }
}
