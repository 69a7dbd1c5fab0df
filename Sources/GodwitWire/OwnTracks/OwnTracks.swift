internal import Foundation
public import GodwitModel
internal import GodwitText

/// OwnTracks' format: a message is one JSON object.
public enum OwnTracks {
  /// Whether the format can express a record: fixes, and entries and exits of regions.
  public static func carries(_ record: Record) -> Bool {
    switch record.kind {
    case .fix: true
    case .region(let event): event.kind == .entered || event.kind == .exited
    case .visit, .trip, .action: false
    }
  }

  /// Returns the topic of a device: `owntracks/USER/DEVICE`, with at least three parts, none of them empty.
  /// - Parameters:
  ///   - user: the name of the user; `nil` or empty for `godwit`.
  ///   - device: the name of the device. A name with a slash already contains the user, as in Overland's documentation.
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

  /// Returns the two characters that a map shows: the last two of the topic without slashes.
  public static func trackerID(topic: String) -> String { String(topic.filter { $0 != "/" }.suffix(2)) }

  /// The accuracy in metres that is written for an unknown accuracy. Home Assistant silently ignores a location without
  /// one. The value is larger than the accuracy of a receiver under the open sky.
  public static let assumedAccuracy: Meters = 100

  /// Appends a location or a transition.
  /// - Parameters:
  ///   - record: the record. Nothing is written for a record that the format cannot express; see ``carries(_:)``.
  ///   - topic: the topic of the device, for requests without it in their headers.
  ///   - bytes: the buffer to which the message is appended.
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
    // Home Assistant also ignores a location with an accuracy of 0.
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

  /// Returns OwnTracks' letter for the trigger of a record; `nil` if there is no letter.
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
