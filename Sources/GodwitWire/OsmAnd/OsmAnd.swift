public import Foundation
internal import GodwitModel
public import GodwitText

/// A place as the query of an address, as a form, or as JSON: what OsmAnd, Traccar Client, GPSLogger, µlogger and PhoneTrack send.
///
/// Each has its own names for the same things, and all of them are understood everywhere. What has no column of ours is in the
/// record's extras, under the name that the client has for it.
public enum OsmAnd {
  static let format = "OsmAnd"

  /// What the member `speed` counts; `s` and `spd` count metres per second always.
  public enum Speed: Sendable, Hashable {
    /// Traccar Client.
    case knots
    /// All other clients.
    case metersPerSecond

    func metersPerSecond(_ value: Double) -> Double { self == .knots ? value * 1852 / 3600 : value }
  }

  /// What a request says.
  public struct Request: Sendable {
    public var batch = RecordBatch()
    /// What the client calls its device, or itself: `id`, `deviceid`, `device_id`.
    public var device: String?

    public init() {}
  }

  /// Names whose values are secrets: no record has them.
  public static let secretNames = ["token", "api_key", "pass", "password"]

  /// Reads a request.
  /// - Parameters:
  ///   - text: a query or a form without the question mark, or JSON.
  ///   - speed: what its `speed` counts, where it is no JSON of Traccar Client, which counts metres per second.
  ///   - received: when it came; the time of what has none.
  ///   - maximumRecords: records after which the rest of it is not read.
  /// - Throws: `FormatError` where nothing of it can be read. What can be read and is no record is in the batch.
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

/// What a name in a query stands for.
enum OsmAndKey: Hashable {
  case device, secret
  case latitude, longitude, place, time
  case speed, metersPerSecond, course, altitude, accuracy, verticalAccuracy, battery, charging, batteryState, wifi, motion

  /// Bytes of the longest name, where each letter is written as an escape.
  static let maximumName = 6 * 20

  /// Names in small letters.
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

/// The words that Android's and Apple's systems have for a motion.
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
