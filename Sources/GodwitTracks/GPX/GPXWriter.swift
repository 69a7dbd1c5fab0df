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
      <trk><name>\(XMLWriter.escaped(name))</name>

      """.utf8)
  }

  /// Writes one point. A value that is not finite or too large is omitted. A different `segment` number starts a new segment.
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
    XMLWriter.element("ele", point.altitude, decimals: 2, to: &bytes)
    if let time = point.time {
      JSONWriter.raw("<time>", to: &bytes)
      bytes.append(contentsOf: RFC3339.string(time).utf8)
      JSONWriter.raw("</time>", to: &bytes)
    }
    var extensions: [UInt8] = []
    XMLWriter.element("gpxtpx:speed", point.speed, decimals: 2, to: &extensions)
    XMLWriter.element("gpxtpx:course", point.course, decimals: 2, to: &extensions)
    if !extensions.isEmpty {
      JSONWriter.raw("<extensions><gpxtpx:TrackPointExtension>", to: &bytes)
      bytes += extensions
      JSONWriter.raw("</gpxtpx:TrackPointExtension></extensions>", to: &bytes)
    }
    JSONWriter.raw("</trkpt>\n", to: &bytes)
  }

  /// Writes the footer.
  public func footer(into bytes: inout [UInt8]) {
    if segment != nil { JSONWriter.raw("</trkseg>\n", to: &bytes) }
    JSONWriter.raw("</trk>\n</gpx>\n", to: &bytes)
  }
}
