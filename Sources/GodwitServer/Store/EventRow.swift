internal import Foundation
internal import GodwitModel

/// How a visit, a trip or an action lies in the table `events`.
struct EventRow {
  let kind: String
  let time: Int64
  let discriminator: String
  let hasEnded: Bool
  private let record: Record

  /// - Parameter record: no fix.
  init(_ record: Record) {
    self.record = record
    switch record.kind {
    case .visit(let visit):
      kind = "visit"
      time = (visit.arrival ?? visit.departure ?? visit.time).millisecondsSince1970
      discriminator = visit.arrival == nil ? "departure" : ""
      hasEnded = visit.departure != nil
    case .trip(let trip):
      kind = "trip"
      time = trip.start.millisecondsSince1970
      discriminator = ""
      hasEnded = true
    case .action(let action):
      kind = "action"
      time = action.time.millisecondsSince1970
      discriminator = action.name
      hasEnded = true
    case .fix(let fix):
      // Fixes have their own table; one that came here all the same would be kept as what it is.
      kind = "fix"
      time = fix.time.millisecondsSince1970
      discriminator = ""
      hasEnded = true
    }
  }

  /// The row's text.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(Stored(record)), as: UTF8.self)
  }

  /// The record of a row's text.
  static func record(json: String) throws -> Record? {
    try JSONDecoder().decode(Stored.self, from: Data(json.utf8)).record
  }

  /// The text's shape. All keys but `kind` and `time` are optional, so that later versions can add some.
  fileprivate struct Stored: Codable {
    struct Place: Codable {
      var time: Int64
      var latitude: Double
      var longitude: Double
      var horizontalAccuracy: Double?
      var altitude: Double?
      var verticalAccuracy: Double?
      var speed: Double?
      var speedAccuracy: Double?
      var course: Double?
      var courseAccuracy: Double?
    }
    var id: String?
    var kind: String
    var time: Int64
    var name: String?
    var place: Place?
    var arrival: Int64?
    var departure: Int64?
    var start: Int64?
    var startPlace: Place?
    var duration: Double?
    var distance: Double?
    var steps: Int?
    var stoppedAutomatically: Bool?
    var batteryLevel: Double?
    var batteryState: UInt8?
    var motion: UInt8?
    var wifi: String?
    var trip: String?
    var deviceID: String?
    var uniqueID: String?
    var extras: String?

    init(_ record: Record) {
      id = record.id?.description
      time = record.time.millisecondsSince1970
      let context = record.context
      batteryLevel = context.batteryLevel
      batteryState = context.batteryState?.rawValue
      motion = context.motion.isEmpty ? nil : context.motion.rawValue
      (wifi, trip, deviceID, uniqueID) = (context.wifi, context.tripID, context.deviceID, context.uniqueID)
      extras = record.extras
      switch record.kind {
      case .visit(let visit):
        kind = "visit"
        place = Place(time: visit.time, visit.coordinate, accuracy: visit.horizontalAccuracy)
        arrival = visit.arrival?.millisecondsSince1970
        departure = visit.departure?.millisecondsSince1970
      case .trip(let trip):
        kind = "trip"
        name = trip.mode
        start = trip.start.millisecondsSince1970
        startPlace = trip.startFix.map(Place.init)
        place = trip.endFix.map(Place.init)
        duration = trip.duration
        distance = trip.distance
        steps = trip.steps
        stoppedAutomatically = trip.stoppedAutomatically
      case .action(let action):
        kind = "action"
        name = action.name
        place = action.coordinate.map { Place(time: action.time, $0, accuracy: nil) }
      case .fix(let fix):
        kind = "fix"
        place = Place(fix)
      }
    }

    var record: Record? {
      let date = Date(millisecondsSince1970: time)
      let recordKind: Record.Kind
      switch kind {
      case "visit":
        guard let fix = place?.fix else { return nil }
        recordKind = .visit(
          Visit(
            time: date, coordinate: fix.coordinate, horizontalAccuracy: fix.horizontalAccuracy,
            arrival: arrival.map { Date(millisecondsSince1970: $0) },
            departure: departure.map { Date(millisecondsSince1970: $0) }))
      case "trip":
        recordKind = .trip(
          Trip(
            start: Date(millisecondsSince1970: start ?? time), end: date, mode: name ?? "", startFix: startPlace?.fix,
            endFix: place?.fix, duration: duration ?? 0, distance: distance ?? 0, steps: steps,
            stoppedAutomatically: stoppedAutomatically ?? false))
      case "action":
        recordKind = .action(Action(time: date, name: name ?? "", coordinate: place?.fix?.coordinate))
      case "fix":
        guard let fix = place?.fix else { return nil }
        recordKind = .fix(fix)
      default: return nil
      }
      return Record(
        id: id.flatMap { RecordID($0) }, kind: recordKind,
        context: DeviceContext(
          batteryLevel: batteryLevel, batteryState: batteryState.flatMap { BatteryState(rawValue: $0) },
          motion: Motion(rawValue: motion ?? 0), wifi: wifi, tripID: trip, deviceID: deviceID, uniqueID: uniqueID),
        extras: extras)
    }
  }
}

extension EventRow.Stored.Place {
  fileprivate init(time: Date, _ coordinate: Coordinate, accuracy: Meters?) {
    self.init(Fix(time: time, coordinate: coordinate, horizontalAccuracy: accuracy))
  }

  fileprivate init(_ fix: Fix) {
    self.init(
      time: fix.time.millisecondsSince1970, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
      horizontalAccuracy: fix.horizontalAccuracy, altitude: fix.altitude, verticalAccuracy: fix.verticalAccuracy,
      speed: fix.speed, speedAccuracy: fix.speedAccuracy, course: fix.course, courseAccuracy: fix.courseAccuracy)
  }

  fileprivate var fix: Fix? {
    Coordinate(latitude: latitude, longitude: longitude).map {
      Fix(
        time: Date(millisecondsSince1970: time), coordinate: $0, horizontalAccuracy: horizontalAccuracy,
        altitude: altitude, verticalAccuracy: verticalAccuracy, speed: speed, speedAccuracy: speedAccuracy,
        course: course, courseAccuracy: courseAccuracy)
    }
  }
}
