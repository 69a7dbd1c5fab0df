internal import GodwitText

/// The properties that the reader of records knows.
enum OverlandKey: UInt8, CaseIterable {
  case timestamp, altitude, speed, course
  case horizontalAccuracy, verticalAccuracy, speedAccuracy, courseAccuracy
  case motion, batteryState, batteryLevel, wifi, deviceID, uniqueID, tripID
  case action, type, arrivalDate, departureDate, region
  case start, end, mode, startLocation, endLocation, duration, distance, stoppedAutomatically, steps

  /// Whether the property belongs to an event and not to a point.
  var tellsEvents: Bool {
    switch self {
    case .action, .type, .arrivalDate, .departureDate, .start, .end, .mode, .startLocation, .endLocation, .duration, .distance,
      .stoppedAutomatically, .steps:
      true
    default: false
    }
  }

  var name: StaticString {
    switch self {
    case .timestamp: "timestamp"
    case .altitude: "altitude"
    case .speed: "speed"
    case .course: "course"
    case .horizontalAccuracy: "horizontal_accuracy"
    case .verticalAccuracy: "vertical_accuracy"
    case .speedAccuracy: "speed_accuracy"
    case .courseAccuracy: "course_accuracy"
    case .motion: "motion"
    case .batteryState: "battery_state"
    case .batteryLevel: "battery_level"
    case .wifi: "wifi"
    case .deviceID: "device_id"
    case .uniqueID: "unique_id"
    case .tripID: "trip_id"
    case .action: "action"
    case .type: "type"
    case .arrivalDate: "arrival_date"
    case .departureDate: "departure_date"
    case .region: "region"
    case .start: "start"
    case .end: "end"
    case .mode: "mode"
    case .startLocation: "start_location"
    case .endLocation: "end_location"
    case .duration: "duration"
    case .distance: "distance"
    case .stoppedAutomatically: "stopped_automatically"
    case .steps: "steps"
    }
  }
}

/// Finds a property by the bytes of its name. Records of one sender have the same properties in the same order, so the
/// finder first tries the property at the same place in the previous record. This guess is nearly always right.
package struct OverlandKeyFinder {
  /// The first and the last eight bytes, which overlap in short names, and the length. Together they identify the name.
  private struct Entry {
    var first: UInt64
    var last: UInt64
    var count: Int
    var key: OverlandKey
  }

  private static let entries: [Entry] = OverlandKey.allCases.map { key in
    let name = key.name
    let bytes = Array(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    return Entry(first: word(bytes.prefix(8)), last: word(bytes.suffix(8)), count: bytes.count, key: key)
  }

  private static func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private let entries = Self.entries
  /// The index in `entries` of the property at each place in the previous record; 255 if unknown.
  private var order = [UInt8](repeating: 255, count: 48)

  /// Starts without predictions.
  package init() {}

  /// Returns the property with a name; `nil` for an unknown name. - Parameter place: the number of properties of this
  /// record before this one.
  @inline(__always)
  mutating func key(_ text: JSONReader.Text, in reader: borrowing JSONReader, place: Int) -> OverlandKey? {
    let count = text.count
    guard count >= 3, count <= 24 else { return nil }
    let start = UnsafeRawPointer(reader.base + text.start)
    // Eight bytes may be read from any position of the text: see `JSONReader.padding`.
    var first = start.loadUnaligned(as: UInt64.self).littleEndian
    let last: UInt64
    if count < 8 {
      first &= (1 << (UInt64(count) &* 8)) &- 1
      last = first
    } else {
      last = (start + count - 8).loadUnaligned(as: UInt64.self).littleEndian
    }
    return entries.withUnsafeBufferPointer { entries in
      order.withUnsafeMutableBufferPointer { order in
        if place < order.count, order[place] != 255 {
          let guess = entries[Int(order[place])]
          if guess.first == first, guess.last == last, guess.count == count { return guess.key }
        }
        for index in entries.indices {
          let entry = entries[index]
          if entry.first == first, entry.last == last, entry.count == count {
            if place < order.count { order[place] = UInt8(index) }
            return entry.key
          }
        }
        return nil
      }
    }
  }
}
