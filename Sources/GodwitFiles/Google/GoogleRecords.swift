internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads `Records.json` of Google's Takeout: `locations[]` with millions of elements. Each has candidates for the activity,
/// and wifi scans that are larger than the rest of the element.
struct GoogleRecords: JSONElements {
  static let format = "Google Records"

  private var extras = ExtrasText()

  mutating func plan(_ path: [String]) -> JSONStream.Plan {
    switch path {
    case [], ["locations"]: .enter
    case ["locations", "[]"]: .read(0)
    default: .skip
    }
  }

  mutating func read(_ json: inout JSONReader, tag: Int, into sink: inout RecordSink) throws(JSONReader.Fault) {
    let start = json.position
    guard json.peek() == UInt8(ascii: "{") else { throw json.unexpected("expected a location", at: start) }
    var latitude = Double.nan
    var longitude = Double.nan
    var time: Int64?
    var fix = (accuracy: Double?.none, altitude: Double?.none, vertical: Double?.none, speed: Double?.none, course: Double?.none)
    var motion = Motion()
    var isCharging: Bool?
    extras.clear()
    json.position &+= 1
    if !json.isEmpty(closing: UInt8(ascii: "}")) {
      repeat {
        _ = json.peek()
        let member = json.position
        let key = try json.key()
        switch key.count {
        case 10 where json.matches(key, "latitudeE7"): latitude = try json.optionalNumber() ?? .nan
        case 11 where json.matches(key, "longitudeE7"): longitude = try json.optionalNumber() ?? .nan
        case 9 where json.matches(key, "timestamp"): time = try json.optionalTime()
        case 11 where json.matches(key, "timestampMs"): time = try milliseconds(&json)
        case 8 where json.matches(key, "accuracy"): fix.accuracy = try json.optionalMagnitude()
        case 8 where json.matches(key, "altitude"): fix.altitude = try json.optionalNumber()
        case 8 where json.matches(key, "velocity"): fix.speed = try json.optionalMagnitude()
        case 7 where json.matches(key, "heading"): fix.course = try json.optionalCourse()
        case 16 where json.matches(key, "verticalAccuracy"): fix.vertical = try json.optionalMagnitude()
        case 8 where json.matches(key, "activity"): motion = try self.motion(&json)
        case 15 where json.matches(key, "batteryCharging"): isCharging = try json.optionalBoolean()
        default:
          // Single values are stored in the extras; scans and candidates of positions are not.
          let first = json.peek()
          try json.skipValue()
          if first != UInt8(ascii: "{"), first != UInt8(ascii: "["), first != UInt8(ascii: "n") {
            extras.store(member..<json.position, of: json)
          }
        }
      } while try json.hasMore(closing: UInt8(ascii: "}"))
    }
    guard let place = GooglePlace.coordinate(latitudeE7: latitude, longitudeE7: longitude) else {
      throw json.unexpected(
        latitude.isNaN || longitude.isNaN
          ? "there is no latitudeE7 and longitudeE7" : "the latitude or longitude is not a valid position",
        at: start)
    }
    guard let time else {
      throw json.unexpected("there is no timestamp of the years 1970 to 2199", at: start, path: ".timestamp")
    }
    var record = Record(
      kind: .fix(
        Fix(
          time: Date(millisecondsSince1970: time), coordinate: place, horizontalAccuracy: fix.accuracy,
          altitude: fix.altitude, verticalAccuracy: fix.vertical, speed: fix.speed, course: fix.course)))
    record.context.motion = motion
    if let isCharging { record.context.batteryState = isCharging ? .charging : .unplugged }
    record.extras = extras.text
    sink.records.append(record)
  }

  /// Reads milliseconds since 1970 from a string.
  private func milliseconds(_ json: inout JSONReader) throws(JSONReader.Fault) -> Int64? {
    try json.optionalNumber().flatMap { TimestampParser.valid(Int64($0)) }
  }

  /// `[{"timestamp": …, "activity": [{"type": "STILL", "confidence": 100}, …]}, …]`: the likeliest activity of the first
  /// element.
  private func motion(_ json: inout JSONReader) throws(JSONReader.Fault) -> Motion {
    var best = Motion()
    // A confidence below 50 % is ignored.
    var confidence = 49.0
    try json.elements { (json, index) throws(JSONReader.Fault) in
      guard index == 0 else {
        try json.skipValue()
        return
      }
      try json.members { (json, key) throws(JSONReader.Fault) in
        guard json.matches(key, "activity") || json.matches(key, "activities") else { return false }
        try json.elements { (json, _) throws(JSONReader.Fault) in
          var (kind, likely) = (Motion(), 0.0)
          try json.members { (json, key) throws(JSONReader.Fault) in
            if json.matches(key, "confidence") {
              likely = try json.optionalNumber() ?? 0
            } else if json.matches(key, "type"), json.peek() == UInt8(ascii: "\"") {
              kind = GoogleActivity.motion(try json.string(), json)
            } else {
              return false
            }
            return true
          }
          if likely > confidence, !kind.isEmpty { (best, confidence) = (kind, likely) }
        }
        return true
      }
    }
    return best
  }
}

/// Parses positions in Google's exports.
enum GooglePlace {
  /// Converts degrees times 10⁷. Old files contain negative numbers as unsigned integers, which are 2³² too large.
  static func coordinate(latitudeE7: Double, longitudeE7: Double) -> Coordinate? {
    Coordinate(
      latitude: repaired(latitudeE7, limit: 900_000_000) / 1e7, longitude: repaired(longitudeE7, limit: 1_800_000_000) / 1e7)
  }

  private static func repaired(_ value: Double, limit: Double) -> Double {
    value > limit ? value - 4_294_967_296 : value < -limit ? value + 4_294_967_296 : value
  }

  /// Parses `12.34°, 56.78°`, `geo:12.34,56.78` or `12.34,56.78`.
  static func coordinate(_ text: JSONReader.Text, _ json: JSONReader) -> Coordinate? {
    var bytes = UnsafeBufferPointer(start: json.base + text.start, count: text.count)
    if bytes.starts(with: "geo:".utf8) { bytes = UnsafeBufferPointer(rebasing: bytes[4...]) }
    guard let comma = bytes.firstIndex(of: UInt8(ascii: ",")) else { return nil }
    func degrees(_ range: Range<Int>) -> Double? {
      // The degree sign is the two bytes C2 B0, or an escape.
      let end: Int =
        bytes[range].firstIndex { $0 == 0xC2 || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: ";") } ?? range.upperBound
      return DecimalParser.double(UnsafeBufferPointer(rebasing: bytes[range.lowerBound..<end]))
    }
    guard let latitude = degrees(0..<comma), let longitude = degrees(comma + 1..<bytes.count) else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

/// Parses Google's words for activities.
enum GoogleActivity {
  /// - Returns: the motion; empty for UNKNOWN, TILTING and unknown words.
  static func motion(_ word: JSONReader.Text, _ json: JSONReader) -> Motion {
    switch word.count {
    case 5 where json.matches(word, "STILL"): .stationary
    case 6 where json.matches(word, "IN_BUS") || json.matches(word, "IN_CAR"): .driving
    case 7 where json.matches(word, "WALKING") || json.matches(word, "ON_FOOT"): .walking
    case 7 where json.matches(word, "RUNNING"): .running
    case 10 where json.matches(word, "ON_BICYCLE"): .cycling
    case 7 where json.matches(word, "CYCLING"): .cycling
    case 10 where json.matches(word, "IN_VEHICLE"): .driving
    case 10... where json.base[word.start] == UInt8(ascii: "I") && json.base[word.start + 2] == UInt8(ascii: "_"): .driving
    default: []
    }
  }

  /// Converts an activity to a trip mode of Overland. Both spellings are accepted: `IN_PASSENGER_VEHICLE` and `in passenger
  /// vehicle`. An activity without a trip mode is returned in lowercase.
  static func mode(_ word: String) -> String {
    let plain = word.lowercased().replacing("_", with: " ")
    return modes[plain] ?? plain
  }

  private static let modes: [String: String] = [
    "walking": "walk", "on foot": "walk", "hiking": "walk", "walking nordic": "walk", "running": "run", "jogging": "run",
    "cycling": "bicycle", "on bicycle": "bicycle", "in passenger vehicle": "car", "in vehicle": "car", "in car": "car",
    "driving": "car", "in road vehicle": "car", "in four wheeler vehicle": "car", "in taxi": "taxi", "in bus": "bus",
    "in subway": "metro", "in train": "train", "in rail vehicle": "train", "in tram": "tram", "in ferry": "boat",
    "boating": "boat", "sailing": "boat", "flying": "plane", "motorcycling": "motorcycle",
    "in two wheeler vehicle": "motorcycle", "skiing": "ski", "unknown activity type": "unknown",
  ]
}
