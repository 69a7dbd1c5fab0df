internal import Foundation
internal import GodwitModel

/// Understands what gpsd says (gpsd_json(5)): a JSON object a line.
struct GpsdReader {
  private var rest: [UInt8] = []
  private var lastTime: Date?
  /// Lines that were no JSON, or too long.
  private(set) var unreadable = 0

  /// gpsd's own limit for a line is about 10 kB (GPS_JSON_RESPONSE_MAX).
  private static let longestLine = 64 << 10

  mutating func feed(_ bytes: [UInt8]) -> [PositionEvent] {
    rest += bytes
    var events: [PositionEvent] = []
    while let end = rest.firstIndex(of: 0x0A) {
      if let event = event(Array(rest[..<end])) { events.append(event) }
      rest.removeFirst(end + 1)
    }
    if rest.count > Self.longestLine {
      rest = []
      unreadable += 1
    }
    return events
  }

  /// What was cut off with the connection is no line.
  mutating func disconnected() { rest = [] }

  private mutating func event(_ line: [UInt8]) -> PositionEvent? {
    guard !line.isEmpty, line != [0x0D] else { return nil }
    // A line that is no JSON is counted; gpsd sends none, a broken network may.
    guard let object = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any],
      let kind = object["class"] as? String
    else {
      unreadable += 1
      return nil
    }
    switch kind {
    case "TPV": return position(object)
    case "DEVICE":
      // A device that is no longer active was unplugged.
      if (object["activated"] as? NSNumber)?.doubleValue == 0 {
        return .unavailable("The receiver \(object["path"] as? String ?? "") was unplugged.")
      }
      return nil
    case "DEVICES":
      let isEmpty = (object["devices"] as? [Any])?.isEmpty ?? false
      return isEmpty
        ? .unavailable("gpsd has no receiver. Plug one in, or name it: gpsdctl add /dev/ttyACM0.") : nil
    case "ERROR": return .unavailable("gpsd says: \(object["message"] as? String ?? "error")")
    default: return nil
    }
  }

  private mutating func position(_ object: [String: Any]) -> PositionEvent? {
    func number(_ name: String) -> Double? {
      guard let value = (object[name] as? NSNumber)?.doubleValue, value.isFinite else { return nil }
      return value
    }
    guard let mode = number("mode"), mode >= 2, let latitude = number("lat"), let longitude = number("lon"),
      let place = Coordinate(latitude: latitude, longitude: longitude),
      let time = (object["time"] as? String).flatMap({ RFC3339.date($0) }), time != lastTime
    else { return nil }
    lastTime = time
    // gpsd's estimates of error, taken as they are: its documentation calls their certainty unknown.
    var accuracy = number("eph")
    if accuracy == nil, let east = number("epx"), let north = number("epy") {
      accuracy = (east * east + north * north).squareRoot()
    }
    let altitude = mode >= 3 ? number("altMSL") ?? number("alt") : nil
    return .positions([
      Fix(
        time: time, coordinate: place, horizontalAccuracy: accuracy, altitude: altitude,
        verticalAccuracy: altitude == nil ? nil : number("epv"),
        speed: number("speed").flatMap { $0 >= 0 ? $0 : nil }, speedAccuracy: number("eps"),
        course: number("track").flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }, courseAccuracy: number("epd"))
    ])
  }
}
