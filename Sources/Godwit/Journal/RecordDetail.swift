internal import Foundation
internal import GodwitModel

/// A visit, a trip or an action as the JSON of one column.
struct RecordDetail: Codable {
  struct Place: Codable {
    var time: Double
    var latitude: Double
    var longitude: Double
    var horizontalAccuracy: Double?
    var altitude: Double?
    var speed: Double?
    var course: Double?

    init(_ fix: Fix) {
      time = fix.time.timeIntervalSince1970
      (latitude, longitude) = (fix.coordinate.latitude, fix.coordinate.longitude)
      (horizontalAccuracy, altitude) = (fix.horizontalAccuracy, fix.altitude)
      (speed, course) = (fix.speed, fix.course)
    }

    var fix: Fix? {
      Coordinate(latitude: latitude, longitude: longitude).map {
        Fix(
          time: Date(timeIntervalSince1970: time), coordinate: $0, horizontalAccuracy: horizontalAccuracy,
          altitude: altitude, speed: speed, course: course)
      }
    }
  }

  var kind: String
  var time: Double
  var name: String?
  var place: Place?
  var arrival: Double?
  var departure: Double?
  var start: Double?
  var startPlace: Place?
  var duration: Double?
  var distance: Double?
  var steps: Int?
  var stoppedAutomatically: Bool?

  init(_ kind: Record.Kind) {
    switch kind {
    case .fix(let fix):
      self.kind = "fix"
      time = fix.time.timeIntervalSince1970
      place = Place(fix)
    case .visit(let visit):
      self.kind = "visit"
      time = visit.time.timeIntervalSince1970
      place = Place(Fix(time: visit.time, coordinate: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy))
      arrival = visit.arrival?.timeIntervalSince1970
      departure = visit.departure?.timeIntervalSince1970
    case .trip(let trip):
      self.kind = "trip"
      time = trip.end.timeIntervalSince1970
      name = trip.mode
      start = trip.start.timeIntervalSince1970
      startPlace = trip.startFix.map(Place.init)
      place = trip.endFix.map(Place.init)
      (duration, distance) = (trip.duration, trip.distance)
      (steps, stoppedAutomatically) = (trip.steps, trip.stoppedAutomatically)
    case .action(let action):
      self.kind = "action"
      time = action.time.timeIntervalSince1970
      name = action.name
      place = action.coordinate.map { Place(Fix(time: action.time, coordinate: $0)) }
    }
  }

  func json() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }

  static func kind(json: String) throws -> Record.Kind? {
    try JSONDecoder().decode(RecordDetail.self, from: Data(json.utf8)).recordKind
  }

  private var recordKind: Record.Kind? {
    func date(_ seconds: Double?) -> Date? { seconds.map { Date(timeIntervalSince1970: $0) } }
    let time = Date(timeIntervalSince1970: time)
    switch kind {
    case "visit":
      guard let fix = place?.fix else { return nil }
      return .visit(
        Visit(
          time: time, coordinate: fix.coordinate, horizontalAccuracy: fix.horizontalAccuracy, arrival: date(arrival),
          departure: date(departure)))
    case "trip":
      return .trip(
        Trip(
          start: date(start) ?? time, end: time, mode: name ?? "", startFix: startPlace?.fix, endFix: place?.fix,
          duration: duration ?? 0, distance: distance ?? 0, steps: steps,
          stoppedAutomatically: stoppedAutomatically ?? false))
    case "action": return .action(Action(time: time, name: name ?? "", coordinate: place?.fix?.coordinate))
    case "fix": return place?.fix.map { .fix($0) }
    default: return nil
    }
  }
}
