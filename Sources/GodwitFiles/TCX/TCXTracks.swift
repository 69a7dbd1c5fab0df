internal import Foundation
internal import GodwitModel
internal import GodwitText
internal import GodwitTracks

/// Reads TCX of Garmin's Training Center: track points, with heart rate, cadence, power and distance as extras.
final class TCXTracks: XMLRecordHandler {
  static let format = "TCX"
  var sink = RecordSink()

  private var text = XMLText()
  private var point: Point?
  private var motion = Motion()
  private var parents: [String] = []

  private struct Point {
    var place: FormatError.Place
    var latitude, longitude, altitude, speed: Double?
    var time: Int64?
    var hasTime = false
    var extras = ExtrasText()
  }

  init() {}

  /// Whether the beginning of an XML file contains the root element of TCX.
  static func recognizes(_ head: String) -> Bool {
    head.contains("<TrainingCenterDatabase") || head.contains(":TrainingCenterDatabase")
  }

  func start(_ name: String, _ attributes: [String: String], at place: FormatError.Place) {
    parents.append(name)
    switch name {
    case "Activity":
      motion = ["Running": .running, "Biking": .cycling][attributes["Sport"] ?? ""] ?? []
    case "Trackpoint": point = Point(place: place)
    case "Time", "LatitudeDegrees", "LongitudeDegrees", "AltitudeMeters", "DistanceMeters", "Value", "Cadence", "RunCadence",
      "Watts", "Speed":
      if point != nil { text.open() }
    default: break
    }
  }

  func append(_ bytes: UnsafeBufferPointer<UInt8>) { text.append(bytes) }

  func end(_ name: String, at place: FormatError.Place) {
    parents.removeLast()
    defer { text.close() }
    if name == "Trackpoint" { return finish() }
    guard text.isOpen, point != nil, !text.isEmpty else { return }
    switch name {
    case "Time":
      point?.hasTime = true
      point?.time = text.time
    case "LatitudeDegrees": point?.latitude = text.number
    case "LongitudeDegrees": point?.longitude = text.number
    case "AltitudeMeters": point?.altitude = text.number
    case "Speed": point?.speed = text.number.flatMap { $0 >= 0 ? $0 : nil }
    case "Value": if parents.last == "HeartRateBpm" { point?.extras.add("heart_rate", text.number) }
    case "Cadence", "RunCadence": point?.extras.add("cadence", text.number)
    case "Watts": point?.extras.add("watts", text.number)
    case "DistanceMeters": point?.extras.add("total_distance", text.number, decimals: 2)
    default: break
    }
  }

  private func finish() {
    guard var point else { return }
    self.point = nil
    // Indoors there is a heart rate without a position.
    guard let latitude = point.latitude, let longitude = point.longitude else {
      return sink.skips.add("a point without a position", at: point.place)
    }
    guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
      return sink.skips.add("latitude \(latitude), longitude \(longitude) is not a valid position", at: point.place)
    }
    guard let time = point.time else {
      if point.hasTime { sink.skips.add("the point's Time is not a time", at: point.place) } else { sink.withoutTime += 1 }
      return
    }
    var record = Record(
      kind: .fix(
        Fix(time: Date(millisecondsSince1970: time), coordinate: place, altitude: point.altitude, speed: point.speed)))
    record.context.motion = motion
    record.extras = point.extras.text
    sink.records.append(record)
  }
}
