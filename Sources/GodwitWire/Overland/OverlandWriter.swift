public import Foundation
public import GodwitModel
internal import GodwitText

extension Overland {
  /// Appends the body of a request.
  /// - Parameters:
  ///   - records: the batch.
  ///   - current: the newest position, if there are more pending records than are sent.
  ///   - trip: the current trip, as the text of a JSON object.
  ///   - profile: the form of the records.
  ///   - bytes: the buffer to which the body is appended.
  public static func write(
    _ records: [Record], current: Record? = nil, trip: String? = nil, profile: Profile, into bytes: inout [UInt8]
  ) {
    bytes.reserveCapacity(bytes.count + records.count * 420 + 64)
    JSONWriter.raw(#"{"locations":["#, to: &bytes)
    for index in records.indices {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      FeatureWriter(profile: profile).write(records[index], into: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    if let current {
      JSONWriter.raw(#","current":"#, to: &bytes)
      FeatureWriter(profile: profile).write(current, into: &bytes)
    }
    if let trip {
      JSONWriter.raw(#","trip":"#, to: &bytes)
      bytes.append(contentsOf: trip.utf8)
    }
    bytes.append(UInt8(ascii: "}"))
  }

  /// Returns the current trip as the text of the JSON object `trip`.
  public static func trip(
    start: Date, mode: String, distance: Meters, startFix: Fix?, currentFix: Fix?, profile: Profile
  ) -> String {
    var bytes: [UInt8] = []
    JSONWriter.raw(#"{"mode":"#, to: &bytes)
    JSONWriter.string(mode, to: &bytes)
    JSONWriter.raw(#","start":"#, to: &bytes)
    JSONWriter.date(start, profile == .app ? .seconds : .automatic, to: &bytes)
    JSONWriter.raw(#","distance":"#, to: &bytes)
    JSONWriter.number(distance, decimals: 2, to: &bytes)
    for (name, fix) in [(#","start_location":"# as StaticString, startFix), (#","current_location":"#, currentFix)] {
      JSONWriter.raw(name, to: &bytes)
      if let fix {
        FeatureWriter(profile: profile).write(Record(kind: .fix(fix)), into: &bytes)
      } else {
        JSONWriter.raw("null", to: &bytes)
      }
    }
    bytes.append(UInt8(ascii: "}"))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends a record as a GeoJSON feature.
  /// - Parameter device: the value of the property `device`, for files with several devices; `nil` to omit it.
  package static func writeFeature(
    _ record: Record, profile: Profile = .precise, device: String? = nil, into bytes: inout [UInt8]
  ) {
    FeatureWriter(profile: profile, device: device).write(record, into: &bytes)
  }
}

/// Writes single features.
private struct FeatureWriter {
  let profile: Overland.Profile
  var device: String?

  func write(_ record: Record, into bytes: inout [UInt8]) {
    let start = bytes.count
    JSONWriter.raw(#"{"type":"Feature""#, to: &bytes)
    if profile == .precise, let id = record.id {
      JSONWriter.raw(#","id":""#, to: &bytes)
      bytes.append(contentsOf: id.description.utf8)
      bytes.append(UInt8(ascii: "\""))
    }
    switch record.kind {
    case .fix(let fix):
      geometry(fix.coordinate, into: &bytes)
      timestamp(fix.time, into: &bytes)
      measurements(of: fix, into: &bytes)
      context(record.context, isFix: true, into: &bytes)
    case .visit(let visit):
      geometry(visit.coordinate, into: &bytes)
      timestamp(visit.time, into: &bytes)
      JSONWriter.raw(#","action":"visit","arrival_date":"#, to: &bytes)
      date(visit.arrival, into: &bytes)
      JSONWriter.raw(#","departure_date":"#, to: &bytes)
      date(visit.departure, into: &bytes)
      value(visit.horizontalAccuracy, #","horizontal_accuracy":"#, into: &bytes)
      context(record.context, isFix: false, into: &bytes)
    case .trip(let trip): write(trip, of: record, into: &bytes)
    case .region(let event):
      geometry(event.coordinate, into: &bytes)
      timestamp(event.time, into: &bytes)
      OverlandRegion(event).write(event.kind, into: &bytes)
      value(event.horizontalAccuracy, #","horizontal_accuracy":"#, into: &bytes)
      context(record.context, isFix: false, into: &bytes)
    case .action(let action):
      geometry(action.coordinate, into: &bytes)
      timestamp(action.time, into: &bytes)
      JSONWriter.raw(#","action":"#, to: &bytes)
      JSONWriter.string(action.name, to: &bytes)
      context(record.context, isFix: false, into: &bytes)
    }
    if let device {
      JSONWriter.raw(#","device":"#, to: &bytes)
      JSONWriter.string(device, to: &bytes)
    }
    // The extras are the text of an object. Its members are added to the properties.
    if let extras = record.extras, extras.utf8.dropFirst().dropLast().contains(where: { $0 > 0x20 }) {
      ExtraMembers.append(Array(extras.utf8.dropFirst().dropLast()), besides: start, to: &bytes)
    }
    JSONWriter.raw("}}", to: &bytes)
  }

  private func write(_ trip: Trip, of record: Record, into bytes: inout [UInt8]) {
    geometry(trip.endFix?.coordinate, into: &bytes)
    timestamp(trip.end, into: &bytes)
    JSONWriter.raw(#","type":"trip","mode":"#, to: &bytes)
    JSONWriter.string(trip.mode, to: &bytes)
    JSONWriter.raw(#","start":"#, to: &bytes)
    date(trip.start, into: &bytes)
    JSONWriter.raw(#","end":"#, to: &bytes)
    date(trip.end, into: &bytes)
    for (name, fix) in [(#","start_location":"# as StaticString, trip.startFix), (#","end_location":"#, trip.endFix)] {
      JSONWriter.raw(name, to: &bytes)
      if let fix {
        FeatureWriter(profile: profile).write(Record(kind: .fix(fix), context: record.context), into: &bytes)
      } else {
        JSONWriter.raw("null", to: &bytes)
      }
    }
    JSONWriter.raw(#","duration":"#, to: &bytes)
    JSONWriter.number(trip.duration, decimals: profile == .app ? 0 : 3, to: &bytes)
    JSONWriter.raw(#","distance":"#, to: &bytes)
    JSONWriter.number(trip.distance, decimals: 2, to: &bytes)
    JSONWriter.raw(
      trip.stoppedAutomatically ? #","stopped_automatically":true"# : #","stopped_automatically":false"#, to: &bytes)
    JSONWriter.raw(#","steps":"#, to: &bytes)
    JSONWriter.number(trip.steps ?? 0, to: &bytes)
    context(record.context, isFix: false, into: &bytes)
  }

  /// A feature without a position has a geometry of null (RFC 7946, 3.2). The app omits the geometry.
  private func geometry(_ place: Coordinate?, into bytes: inout [UInt8]) {
    guard let place else {
      if profile == .precise { JSONWriter.raw(#","geometry":null"#, to: &bytes) }
      return
    }
    JSONWriter.raw(#","geometry":{"type":"Point","coordinates":["#, to: &bytes)
    degrees(place.longitude, into: &bytes)
    bytes.append(UInt8(ascii: ","))
    degrees(place.latitude, into: &bytes)
    JSONWriter.raw("]}", to: &bytes)
  }

  private func degrees(_ value: Double, into bytes: inout [UInt8]) {
    switch profile {
    case .app: DecimalWriter.append(DecimalWriter.cut(value, decimals: 7), decimals: 7, to: &bytes)
    case .precise: DecimalWriter.append(value, decimals: 9, to: &bytes)
    }
  }

  private func timestamp(_ time: Date, into bytes: inout [UInt8]) {
    JSONWriter.raw(#","properties":{"timestamp":"#, to: &bytes)
    JSONWriter.date(time, profile == .app ? .seconds : .automatic, to: &bytes)
  }

  private func date(_ date: Date?, into bytes: inout [UInt8]) {
    if let date {
      JSONWriter.date(date, profile == .app ? .seconds : .automatic, to: &bytes)
    } else {
      JSONWriter.raw("null", to: &bytes)
    }
  }

  private func measurements(of fix: Fix, into bytes: inout [UInt8]) {
    value(fix.altitude, #","altitude":"#, into: &bytes)
    value(fix.speed, #","speed":"#, into: &bytes)
    value(fix.course, #","course":"#, into: &bytes)
    value(fix.horizontalAccuracy, #","horizontal_accuracy":"#, into: &bytes)
    value(fix.verticalAccuracy, #","vertical_accuracy":"#, into: &bytes)
    value(fix.speedAccuracy, #","speed_accuracy":"#, decimalsOfApp: 2, into: &bytes)
    value(fix.courseAccuracy, #","course_accuracy":"#, decimalsOfApp: 2, into: &bytes)
  }

  /// Writes a number with the precision of the profile. An unknown number is −1 in the profile `app` and is omitted in the
  /// profile `precise`.
  private func value(
    _ value: Double?, _ name: StaticString, decimalsOfApp: Int = 0, into bytes: inout [UInt8]
  ) {
    switch profile {
    case .app: app(value, name, decimals: decimalsOfApp, into: &bytes)
    case .precise: JSONWriter.member(name, value, decimals: 2, to: &bytes)
    }
  }

  /// Writes a number like the app: whole numbers are rounded, numbers with decimals are truncated.
  private func app(_ value: Double?, _ name: StaticString, decimals: Int, into bytes: inout [UInt8]) {
    JSONWriter.raw(name, to: &bytes)
    guard let value, DecimalWriter.canWrite(value, decimals: decimals) else {
      JSONWriter.raw("-1", to: &bytes)
      return
    }
    if decimals == 0 {
      DecimalWriter.append(value, decimals: 0, to: &bytes)
    } else {
      DecimalWriter.append(DecimalWriter.cut(value, decimals: decimals), decimals: decimals, to: &bytes)
    }
  }

  private func context(_ context: DeviceContext, isFix: Bool, into bytes: inout [UInt8]) {
    if isFix, profile == .app || !context.motion.isEmpty {
      JSONWriter.raw(#","motion":["#, to: &bytes)
      var isFirst = true
      for (motion, name) in Self.motions where context.motion.contains(motion) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        JSONWriter.raw(name, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
    if let state = context.batteryState ?? (profile == .app ? .unknown : nil) {
      JSONWriter.raw(#","battery_state":"#, to: &bytes)
      switch state {
      case .unknown: JSONWriter.raw(#""unknown""#, to: &bytes)
      case .unplugged: JSONWriter.raw(#""unplugged""#, to: &bytes)
      case .charging: JSONWriter.raw(#""charging""#, to: &bytes)
      case .full: JSONWriter.raw(#""full""#, to: &bytes)
      }
    }
    switch profile {
    case .app: app(context.batteryLevel, #","battery_level":"#, decimals: 2, into: &bytes)
    case .precise: JSONWriter.member(#","battery_level":"#, context.batteryLevel, decimals: 4, to: &bytes)
    }
    if let wifi = context.wifi ?? (profile == .app ? "" : nil) { text(wifi, #","wifi":"#, into: &bytes) }
    JSONWriter.member(#","device_id":"#, context.deviceID, to: &bytes)
    JSONWriter.member(#","unique_id":"#, context.uniqueID, to: &bytes)
    JSONWriter.member(#","trip_id":"#, context.tripID, to: &bytes)
  }

  private func text(_ text: String, _ name: StaticString, into bytes: inout [UInt8]) {
    JSONWriter.raw(name, to: &bytes)
    JSONWriter.string(text, to: &bytes)
  }

  /// The motions in the order in which the app writes them.
  private static let motions: [(Motion, StaticString)] = [
    (.walking, #""walking""#), (.running, #""running""#), (.cycling, #""cycling""#), (.driving, #""driving""#),
    (.stationary, #""stationary""#),
  ]
}
