internal import GodwitText

/// The properties that a record's reader knows.
enum OverlandKey: UInt8, CaseIterable {
  case timestamp, altitude, speed, course
  case horizontalAccuracy, verticalAccuracy, speedAccuracy, courseAccuracy
  case motion, batteryState, batteryLevel, wifi, deviceID, uniqueID, tripID
  case action, type, arrivalDate, departureDate, region
  case start, end, mode, startLocation, endLocation, duration, distance, stoppedAutomatically, steps

  /// Whether it says something of an event, and nothing of a point.
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

/// Finds a property's key by its bytes. Records of one sender have the same properties in the same order, so
/// the first guess is what stood at this place in the record before; it is nearly always right.
package struct OverlandKeyFinder {
  /// First and last eight bytes (they overlap in short names) and the length: together they are the name.
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
  /// Index into `entries` of what stood at each place last time; 255 for nothing known.
  private var order = [UInt8](repeating: 255, count: 48)

  /// Starts without predictions.
  package init() {}

  /// The key of a name. - Parameter place: how many properties of this record came before it.
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
