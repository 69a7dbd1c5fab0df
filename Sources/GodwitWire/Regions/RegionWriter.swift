package import GodwitModel
internal import GodwitText

/// Writes regions in the format of Godwit's API.
package enum RegionWriter {
  static func write(_ region: Region, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"id":"#, to: &bytes)
    JSONWriter.string(region.id, to: &bytes)
    JSONWriter.member(#","name":"#, region.name, to: &bytes)
    switch region.shape {
    case .circle(let circle):
      center(circle.center, into: &bytes)
      JSONWriter.raw(#","radius":"#, to: &bytes)
      number(circle.radius, into: &bytes)
    case .polygons(let area):
      JSONWriter.raw(#","polygons":"#, to: &bytes)
      polygons(area, isClosed: false, into: &bytes)
    case .beacon(let beacon):
      JSONWriter.raw(#","beacon":{"#, to: &bytes)
      identity(beacon.identity, into: &bytes)
      bytes.append(UInt8(ascii: "}"))
      if let place = beacon.place { center(place, into: &bytes) }
    }
    rest(region, into: &bytes)
    if let extras = region.extras.flatMap({ JSONObjectText.compacted($0) }) {
      JSONWriter.raw(#","extras":"#, to: &bytes)
      bytes.append(contentsOf: extras)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the tags, the dwell time and the schedule, each with a leading comma.
  static func rest(_ region: Region, into bytes: inout [UInt8]) {
    if !region.tags.isEmpty {
      JSONWriter.raw(#","tags":"#, to: &bytes)
      list(region.tags, into: &bytes) { JSONWriter.string($0, to: &$1) }
    }
    if let dwell = region.dwell {
      JSONWriter.raw(#","dwell":"#, to: &bytes)
      number(dwell, into: &bytes)
    }
    if let schedule = region.schedule {
      JSONWriter.raw(#","schedule":"#, to: &bytes)
      write(schedule, into: &bytes)
    }
  }

  private static func center(_ place: Coordinate, into bytes: inout [UInt8]) {
    JSONWriter.raw(#","center":{"latitude":"#, to: &bytes)
    number(place.latitude, into: &bytes)
    JSONWriter.raw(#","longitude":"#, to: &bytes)
    number(place.longitude, into: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// Appends the members of a beacon without the braces.
  static func identity(_ beacon: BeaconIdentity, into bytes: inout [UInt8]) {
    JSONWriter.raw(#""uuid":""#, to: &bytes)
    bytes.append(contentsOf: beacon.uuid.description.utf8)
    bytes.append(UInt8(ascii: "\""))
    if let major = beacon.major {
      JSONWriter.raw(#","major":"#, to: &bytes)
      JSONWriter.number(Int(major), to: &bytes)
    }
    if let minor = beacon.minor {
      JSONWriter.raw(#","minor":"#, to: &bytes)
      JSONWriter.number(Int(minor), to: &bytes)
    }
  }

  /// Appends the coordinates of a GeoJSON MultiPolygon. - Parameter isClosed: whether the first corner is written again at
  /// the end of a ring.
  static func polygons(_ area: MultiPolygon, isClosed: Bool, into bytes: inout [UInt8]) {
    list(area.polygons, into: &bytes) { polygon, bytes in rings(polygon, isClosed: isClosed, into: &bytes) }
  }

  static func rings(_ polygon: Polygon, isClosed: Bool, into bytes: inout [UInt8]) {
    list(polygon.rings, into: &bytes) { ring, bytes in
      bytes.append(UInt8(ascii: "["))
      for (index, corner) in ring.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        position(corner, into: &bytes)
      }
      if isClosed, let first = ring.first {
        bytes.append(UInt8(ascii: ","))
        position(first, into: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
  }

  /// Appends `[longitude,latitude]`.
  static func position(_ place: Coordinate, into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    number(place.longitude, into: &bytes)
    bytes.append(UInt8(ascii: ","))
    number(place.latitude, into: &bytes)
    bytes.append(UInt8(ascii: "]"))
  }

  package static func write(_ schedule: RegionSchedule, into bytes: inout [UInt8]) {
    JSONWriter.raw(#"{"windows":"#, to: &bytes)
    list(schedule.windows, into: &bytes) { window, bytes in
      JSONWriter.raw(#"{"days":"#, to: &bytes)
      list(RegionSchedule.Weekday.allCases.filter { window.days.contains($0) }, into: &bytes) { day, bytes in
        bytes.append(UInt8(ascii: "\""))
        JSONWriter.raw(day.name, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
      }
      JSONWriter.raw(#","from":""#, to: &bytes)
      time(window.from, into: &bytes)
      JSONWriter.raw(#"","to":""#, to: &bytes)
      time(window.to, into: &bytes)
      JSONWriter.raw(#""}"#, to: &bytes)
    }
    JSONWriter.member(#","time_zone":"#, schedule.timeZone, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  private static func time(_ minutes: Int, into bytes: inout [UInt8]) {
    let minutes = min(max(minutes, 0), 1440)
    for (place, digit) in [minutes / 600, minutes / 60 % 10, minutes % 60 / 10, minutes % 10].enumerated() {
      if place == 2 { bytes.append(UInt8(ascii: ":")) }
      bytes.append(UInt8(ascii: "0") + UInt8(digit))
    }
  }

  package static func list<Element>(
    _ elements: [Element], into bytes: inout [UInt8], _ one: (Element, inout [UInt8]) -> Void
  ) {
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      one(element, &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  package static func number(_ value: Double, into bytes: inout [UInt8]) { ShortestNumber.append(value, to: &bytes) }
}

/// Writes a `Double` with the fewest digits that identify it, in the form of ECMAScript (RFC 8785, 3.2.2.3): as a decimal
/// from 0.000001 to below 10²¹, otherwise with an exponent. Both zeros, and values that are not finite, are written as `0`.
enum ShortestNumber {
  static func append(_ value: Double, to bytes: inout [UInt8]) {
    guard value.isFinite, value != 0 else { return bytes.append(UInt8(ascii: "0")) }
    // The standard library already returns the fewest digits. It differs in the range of the exponent form and in ".0".
    var text = value.description
    text.withUTF8 { text in
      if let exponent = text.firstIndex(of: UInt8(ascii: "e")) {
        layOut(text, exponentAt: exponent, into: &bytes)
      } else {
        let isWhole = text.count > 2 && text[text.count - 1] == UInt8(ascii: "0") && text[text.count - 2] == UInt8(ascii: ".")
        bytes.append(contentsOf: isWhole ? text[..<(text.count - 2)] : text[...])
      }
    }
  }

  private static func layOut(_ text: UnsafeBufferPointer<UInt8>, exponentAt exponent: Int, into bytes: inout [UInt8]) {
    var power = 0
    for byte in text[(exponent + 1)...] where byte &- 48 <= 9 { power = power * 10 + Int(byte - 48) }
    if text[exponent + 1] == UInt8(ascii: "-") { power = -power }
    if text[0] == UInt8(ascii: "-") { bytes.append(UInt8(ascii: "-")) }
    var digits = text[..<exponent].filter { $0 &- 48 <= 9 }
    while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
    // The number is 0.d₁d₂…dₖ · 10ᵖ⁺¹.
    let point = power + 1
    switch point {
    case digits.count...21:
      bytes.append(contentsOf: digits)
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: point - digits.count))
    case 1...21:
      bytes.append(contentsOf: digits[..<point])
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: digits[point...])
    case -5...0:
      JSONWriter.raw("0.", to: &bytes)
      bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -point))
      bytes.append(contentsOf: digits)
    default:
      bytes.append(digits[0])
      if digits.count > 1 {
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: digits[1...])
      }
      JSONWriter.raw(power < 0 ? "e-" : "e+", to: &bytes)
      JSONWriter.number(abs(power), to: &bytes)
    }
  }
}
