internal import Foundation
public import GodwitModel
internal import GodwitText

/// OwnTracks' format: one JSON object a message.
public enum OwnTracks {
  /// Whether there is a way to say a record: fixes, and regions that were entered or left.
  public static func carries(_ record: Record) -> Bool {
    switch record.kind {
    case .fix: true
    case .region(let event): event.kind == .entered || event.kind == .exited
    case .visit, .trip, .action: false
    }
  }

  /// The topic of a device: `owntracks/USER/DEVICE`, three parts at least, none of them empty.
  /// - Parameters:
  ///   - user: `godwit` where no user is named.
  ///   - device: a name with a stroke in it is user and device already, as Overland's documentation has it.
  public static func topic(user: String?, device: String) -> String {
    func parts(_ text: String) -> [Substring] { text.split(separator: "/") }
    var names = parts(device)
    if names.isEmpty { names = ["device"] }
    if names.count == 1 {
      let user = parts(user ?? "")
      names = (user.isEmpty ? ["godwit"] : user) + names
    }
    return "owntracks/" + names.joined(separator: "/")
  }

  /// The two characters that a map shows: the last two of the topic, strokes left out.
  public static func trackerID(topic: String) -> String { String(topic.filter { $0 != "/" }.suffix(2)) }

  /// Written where the accuracy of a place is not known, metres. Home Assistant skips a place without one, and
  /// says nothing of it; this is more than a receiver under the open sky has.
  public static let assumedAccuracy: Meters = 100

  /// Appends a location, or the transition of a region.
  /// - Parameters:
  ///   - record: what ``carries(_:)``; anything else writes nothing.
  ///   - topic: of the device; needed where it is not in the request's headers.
  ///   - bytes: what it is appended to.
  public static func write(_ record: Record, topic: String, into bytes: inout [UInt8]) {
    if case .region(let event) = record.kind { return write(event, of: record, topic: topic, into: &bytes) }
    guard case .fix(let fix) = record.kind else { return }
    let context = record.context
    JSONWriter.raw(#"{"_type":"location","lat":"#, to: &bytes)
    JSONWriter.number(fix.coordinate.latitude, decimals: 7, to: &bytes)
    JSONWriter.raw(#","lon":"#, to: &bytes)
    JSONWriter.number(fix.coordinate.longitude, decimals: 7, to: &bytes)
    JSONWriter.raw(#","tst":"#, to: &bytes)
    JSONWriter.number(fix.time.wholeSecondsSince1970, to: &bytes)
    // One of 0 Home Assistant skips as well.
    let accuracy = fix.horizontalAccuracy.flatMap { DecimalWriter.canWrite($0, decimals: 0) ? max(1, $0) : nil }
    JSONWriter.member(#","acc":"#, accuracy ?? assumedAccuracy, decimals: 0, to: &bytes)
    JSONWriter.member(#","alt":"#, fix.altitude, decimals: 0, to: &bytes)
    JSONWriter.member(#","vac":"#, fix.verticalAccuracy, decimals: 0, to: &bytes)
    JSONWriter.member(#","vel":"#, fix.speed.map { $0 * 3.6 }, decimals: 0, to: &bytes)
    JSONWriter.member(#","cog":"#, fix.course, decimals: 0, to: &bytes)
    JSONWriter.member(#","batt":"#, context.batteryLevel.map { $0 * 100 }, decimals: 0, to: &bytes)
    if let state = context.batteryState {
      JSONWriter.raw(#","bs":"#, to: &bytes)
      JSONWriter.number(Int(state.rawValue), to: &bytes)
    }
    JSONWriter.member(#","tid":"#, trackerID(topic: topic), to: &bytes)
    JSONWriter.member(#","t":"#, letter(context.trigger), to: &bytes)
    if let wifi = context.wifi, !wifi.isEmpty {
      JSONWriter.raw(#","conn":"w""#, to: &bytes)
      JSONWriter.member(#","SSID":"#, wifi, to: &bytes)
      JSONWriter.member(#","BSSID":"#, context.wifiBSSID, to: &bytes)
    }
    if !context.motion.isEmpty { motion(context.motion, into: &bytes) }
    if let received = record.received {
      JSONWriter.raw(#","created_at":"#, to: &bytes)
      JSONWriter.number(received.wholeSecondsSince1970, to: &bytes)
    }
    JSONWriter.member(#","_id":"#, record.id?.description, to: &bytes)
    JSONWriter.member(#","topic":"#, topic, to: &bytes)
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
}
