internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Writes TCX: one activity with a lap for each segment of the track.
struct TCXWriter {
  private var segment: Int?
  private var hasActivity = false

  func header(into bytes: inout [UInt8]) {
    bytes += Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
      xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
      <Activities>

      """.utf8)
  }

  mutating func append(_ fix: Fix, of record: Record, segment: Int, into bytes: inout [UInt8]) {
    let time = RFC3339.string(fix.time)
    if !hasActivity {
      hasActivity = true
      bytes.append(contentsOf: "<Activity Sport=\"Other\"><Id>\(time)</Id>\n".utf8)
    }
    if self.segment != segment {
      if self.segment != nil { JSONWriter.raw("</Track></Lap>\n", to: &bytes) }
      self.segment = segment
      // A lap requires its duration and distance, which are unknown at its beginning; they are written as 0.
      bytes.append(
        contentsOf: """
          <Lap StartTime="\(time)"><TotalTimeSeconds>0</TotalTimeSeconds><DistanceMeters>0</DistanceMeters>\
          <Calories>0</Calories><Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod><Track>

          """.utf8)
    }
    bytes.append(contentsOf: "<Trackpoint><Time>\(time)</Time><Position>".utf8)
    XMLWriter.element("LatitudeDegrees", fix.coordinate.latitude, decimals: 9, to: &bytes)
    XMLWriter.element("LongitudeDegrees", fix.coordinate.longitude, decimals: 9, to: &bytes)
    JSONWriter.raw("</Position>", to: &bytes)
    XMLWriter.element("AltitudeMeters", fix.altitude, decimals: 2, to: &bytes)
    let measures = ExtrasMeasures(record.extras)
    XMLWriter.element("DistanceMeters", measures.distance, decimals: 2, to: &bytes)
    if let rate = measures.heartRate {
      JSONWriter.raw("<HeartRateBpm>", to: &bytes)
      XMLWriter.element("Value", rate, decimals: 0, to: &bytes)
      JSONWriter.raw("</HeartRateBpm>", to: &bytes)
    }
    XMLWriter.element("Cadence", measures.cadence, decimals: 0, to: &bytes)
    if fix.speed != nil || measures.watts != nil {
      JSONWriter.raw("<Extensions><ns3:TPX>", to: &bytes)
      XMLWriter.element("ns3:Speed", fix.speed, decimals: 2, to: &bytes)
      XMLWriter.element("ns3:Watts", measures.watts, decimals: 0, to: &bytes)
      JSONWriter.raw("</ns3:TPX></Extensions>", to: &bytes)
    }
    JSONWriter.raw("</Trackpoint>\n", to: &bytes)
  }

  func footer(into bytes: inout [UInt8]) {
    if segment != nil { JSONWriter.raw("</Track></Lap>\n", to: &bytes) }
    if hasActivity { JSONWriter.raw("</Activity>\n", to: &bytes) }
    JSONWriter.raw("</Activities>\n</TrainingCenterDatabase>\n", to: &bytes)
  }
}

/// Reads the measurements of body sensors from extras.
struct ExtrasMeasures {
  private(set) var heartRate, cadence, watts, distance: Double?

  init(_ extras: String?) {
    guard let extras else { return }
    var bytes = Array(extras.utf8)
    let count = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: JSONReader.padding))
    bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var json = JSONReader(base: base, count: count)
      do throws(JSONReader.Fault) {
        try json.members { (json, key) throws(JSONReader.Fault) in
          if json.matches(key, "heart_rate") {
            heartRate = try json.optionalMagnitude()
          } else if json.matches(key, "cadence") {
            cadence = try json.optionalMagnitude()
          } else if json.matches(key, "watts") {
            watts = try json.optionalMagnitude()
          } else if json.matches(key, "total_distance") {
            distance = try json.optionalMagnitude()
          } else {
            return false
          }
          return true
        }
      } catch { return }
    }
  }
}
