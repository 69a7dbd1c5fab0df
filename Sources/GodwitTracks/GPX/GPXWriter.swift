internal import Foundation
internal import GodwitModel
internal import GodwitText

/// Writes GPX 1.1, point by point, with one point per line.
public struct GPXWriter {
  private var hasPoints = false
  private var segment: Int?

  public init() {}

  /// Writes the header. - Parameter name: Name of the track, for example that of a device.
  public func header(name: String, into bytes: inout [UInt8]) {
    bytes += Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="Godwit" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">
      <trk><name>\(Self.escaped(name))</name>

      """.utf8)
  }

  /// Writes one point. A different `segment` number starts a new segment.
  public mutating func append(_ point: TrackPoint, into bytes: inout [UInt8]) {
    if segment != point.segment {
      if segment != nil { JSONWriter.raw("</trkseg>\n", to: &bytes) }
      JSONWriter.raw("<trkseg>\n", to: &bytes)
      segment = point.segment
    }
    JSONWriter.raw(#"<trkpt lat=""#, to: &bytes)
    DecimalWriter.append(point.coordinate.latitude, decimals: 9, to: &bytes)
    JSONWriter.raw(#"" lon=""#, to: &bytes)
    DecimalWriter.append(point.coordinate.longitude, decimals: 9, to: &bytes)
    JSONWriter.raw(#"">"#, to: &bytes)
    if let altitude = point.altitude {
      JSONWriter.raw("<ele>", to: &bytes)
      DecimalWriter.append(altitude, decimals: 2, to: &bytes)
      JSONWriter.raw("</ele>", to: &bytes)
    }
    if let time = point.time {
      JSONWriter.raw("<time>", to: &bytes)
      bytes.append(contentsOf: RFC3339.string(time).utf8)
      JSONWriter.raw("</time>", to: &bytes)
    }
    if point.speed != nil || point.course != nil {
      JSONWriter.raw("<extensions><gpxtpx:TrackPointExtension>", to: &bytes)
      if let speed = point.speed {
        JSONWriter.raw("<gpxtpx:speed>", to: &bytes)
        DecimalWriter.append(speed, decimals: 2, to: &bytes)
        JSONWriter.raw("</gpxtpx:speed>", to: &bytes)
      }
      if let course = point.course {
        JSONWriter.raw("<gpxtpx:course>", to: &bytes)
        DecimalWriter.append(course, decimals: 2, to: &bytes)
        JSONWriter.raw("</gpxtpx:course>", to: &bytes)
      }
      JSONWriter.raw("</gpxtpx:TrackPointExtension></extensions>", to: &bytes)
    }
    JSONWriter.raw("</trkpt>\n", to: &bytes)
  }

  /// Writes the footer.
  public func footer(into bytes: inout [UInt8]) {
    if segment != nil { JSONWriter.raw("</trkseg>\n", to: &bytes) }
    JSONWriter.raw("</trk>\n</gpx>\n", to: &bytes)
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
