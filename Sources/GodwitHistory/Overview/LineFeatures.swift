internal import Foundation
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// Writes lines of devices as a GeoJSON collection.
struct LineFeatures {
  /// A point of a line.
  struct Place {
    var coordinate: Coordinate
    var altitude: Meters?
  }

  private var bytes: [UInt8] = Array(#"{"type":"FeatureCollection","features":["#.utf8)
  private var isEmpty = true

  /// Adds a line.
  /// - Parameters:
  ///   - line: at least two places.
  ///   - device: the device of the line.
  ///   - times: the times of the first and of the last place.
  ///   - more: writes further properties, each after a comma. Receives the length of the line in metres.
  mutating func append(
    _ line: [Place], of device: Device, _ times: (from: Date, to: Date), more: (inout [UInt8], Meters) -> Void
  ) {
    if !isEmpty { bytes.append(UInt8(ascii: ",")) }
    isEmpty = false
    JSONWriter.raw(#"{"type":"Feature","geometry":{"type":"LineString","coordinates":["#, to: &bytes)
    var length = 0.0
    for (index, place) in line.enumerated() {
      if index > 0 {
        bytes.append(UInt8(ascii: ","))
        length += GreatCircle.distance(line[index - 1].coordinate, place.coordinate)
      }
      write(place)
    }
    JSONWriter.raw(#"]},"properties":{"device":"#, to: &bytes)
    JSONWriter.string(device.name, to: &bytes)
    JSONWriter.raw(#","from":"#, to: &bytes)
    JSONWriter.date(times.from, .automatic, to: &bytes)
    JSONWriter.raw(#","to":"#, to: &bytes)
    JSONWriter.date(times.to, .automatic, to: &bytes)
    more(&bytes, length)
    JSONWriter.raw("}}", to: &bytes)
  }

  /// Returns the complete collection.
  /// - Parameter next: the cursor of the next page.
  mutating func finish(next: String?) -> [UInt8] {
    JSONWriter.raw("],\"next_cursor\":", to: &bytes)
    if let next { JSONWriter.string(next, to: &bytes) } else { JSONWriter.raw("null", to: &bytes) }
    JSONWriter.raw("}\n", to: &bytes)
    return bytes
  }

  private mutating func write(_ place: Place) {
    bytes.append(UInt8(ascii: "["))
    JSONWriter.number(place.coordinate.longitude, decimals: 7, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    JSONWriter.number(place.coordinate.latitude, decimals: 7, to: &bytes)
    if let altitude = place.altitude {
      bytes.append(UInt8(ascii: ","))
      JSONWriter.number(altitude, decimals: 1, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}
