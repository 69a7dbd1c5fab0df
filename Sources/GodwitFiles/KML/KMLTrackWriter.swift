internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Writes KML 2.2 with Google's extension for tracks: a `gx:Track` for each few hundred points, with arrays of accuracies
/// and speeds, and a place with a time span for each visit.
struct KMLTrackWriter {
  private var pending: [Fix] = []
  private var segment: Int?

  /// Maximum number of points of a track, which a reader holds in memory at once.
  private static let maximumTrack = 500

  func header(name: String, into bytes: inout [UInt8]) {
    bytes += Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
      <Document><name>\(XMLWriter.escaped(name))</name>
      <Schema id="godwit"><gx:SimpleArrayField name="accuracy" type="float"/><gx:SimpleArrayField name="vertical_accuracy" \
      type="float"/><gx:SimpleArrayField name="speed" type="float"/><gx:SimpleArrayField name="course" type="float"/></Schema>

      """.utf8)
  }

  mutating func append(_ fix: Fix, segment: Int, into bytes: inout [UInt8]) {
    if self.segment != segment || pending.count >= Self.maximumTrack { flush(into: &bytes) }
    self.segment = segment
    pending.append(fix)
  }

  mutating func append(_ visit: Visit, extras: String?, into bytes: inout [UInt8]) {
    flush(into: &bytes)
    JSONWriter.raw("<Placemark>", to: &bytes)
    if let name = KMLExtras.name(extras) { bytes.append(contentsOf: "<name>\(XMLWriter.escaped(name))</name>".utf8) }
    JSONWriter.raw("<TimeSpan>", to: &bytes)
    if let arrival = visit.arrival { bytes.append(contentsOf: "<begin>\(RFC3339.string(arrival))</begin>".utf8) }
    if let departure = visit.departure { bytes.append(contentsOf: "<end>\(RFC3339.string(departure))</end>".utf8) }
    JSONWriter.raw("</TimeSpan><Point><coordinates>", to: &bytes)
    DecimalWriter.append(visit.coordinate.longitude, decimals: 9, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    DecimalWriter.append(visit.coordinate.latitude, decimals: 9, to: &bytes)
    JSONWriter.raw("</coordinates></Point></Placemark>\n", to: &bytes)
  }

  mutating func footer(into bytes: inout [UInt8]) {
    flush(into: &bytes)
    JSONWriter.raw("</Document>\n</kml>\n", to: &bytes)
  }

  private mutating func flush(into bytes: inout [UInt8]) {
    guard !pending.isEmpty else { return }
    defer { pending.removeAll(keepingCapacity: true) }
    JSONWriter.raw("<Placemark><gx:Track><altitudeMode>absolute</altitudeMode>\n", to: &bytes)
    for fix in pending { bytes.append(contentsOf: "<when>\(RFC3339.string(fix.time))</when>\n".utf8) }
    for fix in pending {
      JSONWriter.raw("<gx:coord>", to: &bytes)
      DecimalWriter.append(fix.coordinate.longitude, decimals: 9, to: &bytes)
      bytes.append(UInt8(ascii: " "))
      DecimalWriter.append(fix.coordinate.latitude, decimals: 9, to: &bytes)
      if let altitude = fix.altitude {
        bytes.append(UInt8(ascii: " "))
        DecimalWriter.append(altitude, decimals: 2, to: &bytes)
      }
      JSONWriter.raw("</gx:coord>\n", to: &bytes)
    }
    JSONWriter.raw("<ExtendedData><SchemaData schemaUrl=\"#godwit\">\n", to: &bytes)
    array("accuracy", \.horizontalAccuracy, into: &bytes)
    array("vertical_accuracy", \.verticalAccuracy, into: &bytes)
    array("speed", \.speed, into: &bytes)
    array("course", \.course, into: &bytes)
    JSONWriter.raw("</SchemaData></ExtendedData></gx:Track></Placemark>\n", to: &bytes)
  }

  /// Appends an array with the values of all points, unless no point has a value.
  private func array(_ name: String, _ value: (Fix) -> Double?, into bytes: inout [UInt8]) {
    guard pending.contains(where: { value($0) != nil }) else { return }
    bytes.append(contentsOf: "<gx:SimpleArrayData name=\"\(name)\">".utf8)
    for fix in pending {
      if value(fix) == nil {
        JSONWriter.raw("<gx:value/>", to: &bytes)
      } else {
        XMLWriter.element("gx:value", value(fix), decimals: 2, to: &bytes)
      }
    }
    JSONWriter.raw("</gx:SimpleArrayData>\n", to: &bytes)
  }
}

/// Reads the name of a place from a record's extras.
enum KMLExtras {
  static func name(_ extras: String?) -> String? {
    guard let extras, let object = try? JSONSerialization.jsonObject(with: Data(extras.utf8)) as? [String: Any] else {
      return nil
    }
    return object["name"] as? String
  }
}
