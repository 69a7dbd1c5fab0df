internal import Foundation
public import GodwitModel

/// OwnTracks' format: one JSON object a message.
public enum OwnTracks {
  /// Whether there is a way to say a record: fixes.
  public static func carries(_ record: Record) -> Bool { if case .fix = record.kind { true } else { false } }

  /// The topic of a device: `owntracks/USER/DEVICE`. A device's name with a stroke in it is both already, as
  /// Overland's documentation has it.
  public static func topic(user: String?, device: String) -> String {
    if device.contains("/") { return "owntracks/" + device }
    let user = user.flatMap { $0.isEmpty ? nil : $0 } ?? "godwit"
    return "owntracks/\(user)/\(device.isEmpty ? "device" : device)"
  }

  /// Appends a location.
  /// - Parameters:
  ///   - record: a fix; anything else writes nothing.
  ///   - topic: of the device; needed where it is not in the request's headers.
  ///   - bytes: what it is appended to.
  public static func write(_ record: Record, topic: String, into bytes: inout [UInt8]) {
    guard case .fix(let fix) = record.kind else { return }
    let context = record.context
    JSONWriter.raw(#"{"_type":"location","lat":"#, to: &bytes)
    JSONWriter.number(fix.coordinate.latitude, decimals: 7, to: &bytes)
    JSONWriter.raw(#","lon":"#, to: &bytes)
    JSONWriter.number(fix.coordinate.longitude, decimals: 7, to: &bytes)
    JSONWriter.raw(#","tst":"#, to: &bytes)
    JSONWriter.number(Int(fix.time.timeIntervalSince1970.rounded(.down)), to: &bytes)
    // Home Assistant ignores a place whose accuracy is 0; what is not known is left out.
    whole(fix.horizontalAccuracy.map { max(1, $0) }, #","acc":"#, into: &bytes)
    whole(fix.altitude, #","alt":"#, into: &bytes)
    whole(fix.verticalAccuracy, #","vac":"#, into: &bytes)
    whole(fix.speed.map { $0 * 3.6 }, #","vel":"#, into: &bytes)
    whole(fix.course, #","cog":"#, into: &bytes)
    whole(context.batteryLevel.map { $0 * 100 }, #","batt":"#, into: &bytes)
    if let state = context.batteryState { whole(Double(state.rawValue), #","bs":"#, into: &bytes) }
    let name = topic.split(separator: "/").last ?? ""
    text(String(name.suffix(2)), #","tid":"#, into: &bytes)
    text(letter(context.trigger), #","t":"#, into: &bytes)
    if let wifi = context.wifi {
      text("w", #","conn":"#, into: &bytes)
      text(wifi, #","SSID":"#, into: &bytes)
      text(context.wifiBSSID, #","BSSID":"#, into: &bytes)
    }
    if !context.motion.isEmpty { motion(context.motion, into: &bytes) }
    if let received = record.received { whole(received.timeIntervalSince1970, #","created_at":"#, into: &bytes) }
    text(record.id?.description, #","_id":"#, into: &bytes)
    text(topic, #","topic":"#, into: &bytes)
    bytes.append(UInt8(ascii: "}"))
  }

  /// OwnTracks' letter for what made a record.
  private static func letter(_ trigger: Trigger?) -> String? {
    switch trigger {
    case .regionEntry, .regionExit: "c"
    case .backgroundFetch: "p"
    case .passive, .regular, .visitEntry, .visitExit, .unknown, nil: nil
    }
  }

  private static func motion(_ motion: Motion, into bytes: inout [UInt8]) {
    JSONWriter.raw(#","motionactivities":["#, to: &bytes)
    let names: [(Motion, StaticString)] = [
      (.stationary, #""stationary""#), (.walking, #""walking""#), (.running, #""running""#),
      (.driving, #""automotive""#), (.cycling, #""cycling""#),
    ]
    var isFirst = true
    for (one, name) in names where motion.contains(one) {
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      JSONWriter.raw(name, to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  private static func whole(_ value: Double?, _ name: StaticString, into bytes: inout [UInt8]) {
    guard let value, value.isFinite else { return }
    JSONWriter.raw(name, to: &bytes)
    JSONWriter.number(value.rounded(), decimals: 0, to: &bytes)
  }

  private static func text(_ text: String?, _ name: StaticString, into bytes: inout [UInt8]) {
    guard let text, !text.isEmpty else { return }
    JSONWriter.raw(name, to: &bytes)
    JSONWriter.string(text, to: &bytes)
  }
}
