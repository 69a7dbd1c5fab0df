internal import Foundation
public import GodwitModel
internal import GodwitText

/// OpenLocate's format: flat objects in `{"locations":[…]}`.
///
/// The member names are those of its documentation, except for `vertical_accuracy`, which the documentation misspells.
public enum OpenLocate {
  /// The form of coordinates and times: numbers, as the SDK sends them, or strings, as in the documentation.
  public enum Numbers: Sendable, Hashable { case numbers, strings }

  /// Whether the format can express a record: fixes and visits.
  public static func carries(_ record: Record) -> Bool {
    switch record.kind {
    case .fix, .visit: true
    case .trip, .region, .action: false
    }
  }

  /// Appends the body of a request.
  /// - Parameters:
  ///   - records: fixes and visits; others are skipped.
  ///   - fields: the fields that may be sent. Other fields and unknown values are omitted and never null.
  ///   - numbers: the form of coordinates and times.
  ///   - bytes: the buffer to which the body is appended.
  public static func write(
    _ records: [Record], fields: CollectingFields = .all, numbers: Numbers = .numbers, into bytes: inout [UInt8]
  ) {
    bytes.reserveCapacity(bytes.count + records.count * 380 + 32)
    JSONWriter.raw(#"{"locations":["#, to: &bytes)
    var isFirst = true
    for record in records where carries(record) {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      LocationWriter(fields: fields, numbers: numbers).write(record, into: &bytes)
    }
    JSONWriter.raw("]}", to: &bytes)
  }
}

private struct LocationWriter {
  let fields: CollectingFields
  let numbers: OpenLocate.Numbers

  func write(_ record: Record, into bytes: inout [UInt8]) {
    let context = record.context
    // The SDK always sends this member. All other members begin with a comma.
    JSONWriter.raw(#"{"location_context":"#, to: &bytes)
    JSONWriter.string(trigger(record).rawValue, to: &bytes)
    let (fix, time): (Fix?, Date) =
      switch record.kind {
      case .fix(let fix): (fix, fix.time)
      case .visit(let visit):
        (
          Fix(time: visit.time, coordinate: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy),
          visit.departure ?? visit.arrival ?? visit.time
        )
      // Unreachable, because `carries` is false.
      case .trip(let trip): (trip.endFix, trip.end)
      case .region(let event): (nil, event.time)
      case .action(let action): (nil, action.time)
      }
    if let fix, fields.contains(.location) {
      exact(fix.coordinate.latitude, #","latitude":"#, into: &bytes)
      exact(fix.coordinate.longitude, #","longitude":"#, into: &bytes)
    }
    if fields.contains(.timestamp) { seconds(time, #","utc_timestamp":"#, into: &bytes) }
    // If the time of measurement must not be sent, it must not be sent as the time of receipt.
    if let received = record.received ?? (fields.contains(.timestamp) ? time : nil) {
      seconds(received, #","utc_timestamp_received":"#, into: &bytes)
    }
    if let fix { measurements(fix, into: &bytes) }
    if fields.contains(.network) {
      JSONWriter.member(#","carrier_name":"#, context.carrier, to: &bytes)
      JSONWriter.member(#","wifi_ssid":"#, context.wifi, to: &bytes)
      JSONWriter.member(#","wifi_bssid":"#, context.wifiBSSID, to: &bytes)
    }
    if fields.contains(.battery), let state = context.batteryState, state != .unknown {
      JSONWriter.raw(
        state == .unplugged ? #","is_charging":false"# : #","is_charging":true"#, to: &bytes)
    }
    if fields.contains(.deviceModel) { JSONWriter.member(#","device_model":"#, context.deviceModel, to: &bytes) }
    if fields.contains(.systemVersion) { JSONWriter.member(#","os_version":"#, context.systemVersion, to: &bytes) }
    if fields.contains(.permission) {
      JSONWriter.member(#","location_permission":"#, context.permission?.rawValue, to: &bytes)
    }
    if fields.contains(.advertisingID), let advertising = context.advertising {
      // After an opt-out, the identifier is not sent; the opt-out is sent.
      if !advertising.isOptedOut { JSONWriter.member(#","ad_id":"#, advertising.id.lowercased(), to: &bytes) }
      JSONWriter.raw(advertising.isOptedOut ? #","ad_opt_out":true"# : #","ad_opt_out":false"#, to: &bytes)
      JSONWriter.member(#","id_type":"#, advertising.type, to: &bytes)
    }
    JSONWriter.member(#","id":"#, record.id?.description, to: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  private func trigger(_ record: Record) -> Trigger {
    if let trigger = record.context.trigger { return trigger }
    guard case .visit(let visit) = record.kind else { return .unknown }
    return visit.departure == nil ? .visitEntry : .visitExit
  }

  private func measurements(_ fix: Fix, into bytes: inout [UInt8]) {
    value(fix.horizontalAccuracy, .horizontalAccuracy, #","horizontal_accuracy":"#, into: &bytes)
    value(fix.verticalAccuracy, .verticalAccuracy, #","vertical_accuracy":"#, into: &bytes)
    value(fix.altitude, .altitude, #","altitude":"#, into: &bytes)
    value(fix.course, .course, #","course":"#, into: &bytes)
    value(fix.speed, .speed, #","speed":"#, into: &bytes)
  }

  private func value(_ value: Double?, _ field: CollectingFields, _ name: StaticString, into bytes: inout [UInt8]) {
    if fields.contains(field) { JSONWriter.member(name, value, decimals: 3, to: &bytes) }
  }

  private func exact(_ degrees: Double, _ name: StaticString, into bytes: inout [UInt8]) {
    JSONWriter.raw(name, to: &bytes)
    quoted(into: &bytes) { JSONWriter.number(degrees, decimals: 9, to: &$0) }
  }

  private func seconds(_ time: Date, _ name: StaticString, into bytes: inout [UInt8]) {
    JSONWriter.raw(name, to: &bytes)
    quoted(into: &bytes) { JSONWriter.number(time.wholeSecondsSince1970, to: &$0) }
  }

  private func quoted(into bytes: inout [UInt8], _ write: (inout [UInt8]) -> Void) {
    if numbers == .strings { bytes.append(UInt8(ascii: "\"")) }
    write(&bytes)
    if numbers == .strings { bytes.append(UInt8(ascii: "\"")) }
  }
}
