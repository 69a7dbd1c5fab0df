public import Foundation
internal import GodwitModel
public import GodwitText

/// Positions as the query of a URL, as a form, or as JSON: the formats of OsmAnd, Traccar Client, GPSLogger, µlogger and
/// PhoneTrack.
///
/// The clients use different names for the same values. All names are accepted from all clients. Other values are in the
/// record's extras, under the client's name.
public enum OsmAnd {
  static let format = "OsmAnd"

  /// The unit of the member `speed`. The unit of `s` and `spd` is always metres per second.
  public enum Speed: Sendable, Hashable {
    /// Traccar Client.
    case knots
    /// All other clients.
    case metersPerSecond

    func metersPerSecond(_ value: Double) -> Double { self == .knots ? value * 1852 / 3600 : value }
  }

  /// The result of reading a request.
  public struct Request: Sendable {
    public var batch = RecordBatch()
    /// The name of the device: `id`, `deviceid` or `device_id`; `nil` if it is missing.
    public var device: String?

    public init() {}
  }

  /// Names of secrets. Their values are not stored in records.
  public static let secretNames = ["token", "api_key", "pass", "password"]

  /// Reads a request.
  /// - Parameters:
  ///   - text: a query without the question mark, a form, or JSON.
  ///   - speed: the unit of `speed`. Nested JSON of Traccar Client always uses metres per second.
  ///   - received: the time of receipt, which is used for positions without a time.
  ///   - maximumRecords: the maximum number of records. The rest of the text is not read.
  /// - Throws: `FormatError` if nothing can be read. Invalid positions are in the batch.
  public static func read(
    _ text: [UInt8], speed: Speed, received: Date, maximumRecords: Int = RecordBatch.maximumRecords
  ) throws(FormatError) -> Request {
    let first = text.first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return try JSONDocument(text, format: format, maximumRecords: maximumRecords).read { (json) throws(JSONReader.Fault) in
        var reader = OsmAndReader(speed: speed, received: received)
        return try reader.request(from: &json)
      }
    }
    let form = try Form(text)
    var request = Request()
    request.device = form.device
    guard !form.isGreeting else {
      request.batch.placeless = 1
      return request
    }
    do throws(FormatError) { request.batch.records.append(try form.record(speed: speed, received: received)) } catch {
      request.batch.rejected.append(RejectedPart(index: 0, place: error.place, reason: error.reason, raw: form.text))
    }
    return request
  }
}

/// The meaning of a name in a query.
enum OsmAndKey: Hashable {
  case device, secret
  case latitude, longitude, place, time
  case speed, metersPerSecond, course, altitude, accuracy, verticalAccuracy, battery, charging, batteryState, wifi, motion

  /// The size in bytes of the longest name if each letter is escaped.
  static let maximumName = 6 * 20

  /// The keys by lowercase name.
  private static let names: [String: OsmAndKey] = [
    "id": .device, "deviceid": .device, "device_id": .device, "device": .device, "uniqueid": .device, "imei": .device,
    "dev": .device, "token": .secret, "api_key": .secret, "pass": .secret, "password": .secret,
    "lat": .latitude, "latitude": .latitude, "lon": .longitude, "lng": .longitude, "long": .longitude, "longitude": .longitude,
    "location": .place, "timestamp": .time, "time": .time, "tst": .time, "ts": .time, "datetime": .time,
    "speed": .speed, "s": .metersPerSecond, "spd": .metersPerSecond, "vel": .metersPerSecond,
    "bearing": .course, "bear": .course, "heading": .course, "course": .course, "dir": .course, "direction": .course,
    "cog": .course,
    "altitude": .altitude, "alt": .altitude, "ele": .altitude, "accuracy": .accuracy, "acc": .accuracy,
    "vacc": .verticalAccuracy, "altitude_accuracy": .verticalAccuracy,
    "batt": .battery, "bat": .battery, "battery": .battery, "batterylevel": .battery, "battery_level": .battery,
    "charge": .charging, "charging": .charging, "ischarging": .charging, "is_charging": .charging,
    "bs": .batteryState, "ssid": .wifi, "activity": .motion, "act": .motion,
  ]

  init?(_ name: String) {
    guard let key = Self.names[name.lowercased()] else { return nil }
    self = key
  }
}

/// Parses the words of Android and Apple's systems for a motion.
enum MotionWord {
  static func read(_ word: String) -> Motion? {
    switch word.lowercased() {
    case "still", "stationary": .stationary
    case "walking", "on_foot": .walking
    case "running": .running
    case "cycling", "on_bicycle": .cycling
    case "driving", "automotive", "in_vehicle": .driving
    default: nil
    }
  }
}
