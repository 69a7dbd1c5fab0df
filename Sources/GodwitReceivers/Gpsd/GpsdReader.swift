internal import Foundation
internal import GodwitModel

/// Parses the reports of gpsd (gpsd_json(5)): one JSON object on each line.
///
/// The times come from the messages of the receivers (`time` of TPV). The pulse per second (TOFF, PPS) is not needed and is
/// skipped.
struct GpsdReader {
  /// Maximum bytes of a line. The limit of gpsd itself is about 10 kB (GPS_JSON_RESPONSE_MAX).
  private static let maximumLine = 64 << 10
  /// Successive reports that lack the same field before this is reported. A single one is not reported, because receivers lose
  /// their fix for moments.
  static let timeout = 3
  /// The supported version of the protocol.
  private static let protocolMajor = 3
  /// Seconds within which a connection must have reported a position or the reason why there is none. gpsd reports each second.
  static let reportTimeout = 10.0

  /// The field that a receiver lacks.
  private enum MissingField: Hashable {
    case fix, time
    /// The date is this number of weeks behind; negative: ahead.
    case weeks(Int)
  }

  private struct Receiver {
    var lastTime: Date?
    var hadFix = false
    var lack: MissingField?
    /// The number of successive reports that lack the field.
    var count = 0
  }

  private let chosen: String?
  private let now: () -> Date
  private var rest: [UInt8] = []
  private var receivers: [String: Receiver] = [:]
  private var choice = GpsdChoice()
  private var lastReported: Date?
  /// The receivers that were unplugged.
  private var gone: Set<String> = []
  private var wantsWatch = false
  /// Whether this connection has sent a line of gpsd, whether it has sent a report about positions, and whether the absence of
  /// such reports was reported.
  private var (hasAnswered, hasReported, isReported) = (false, false, false)
  /// The number of lines that were not JSON or too long.
  private(set) var unreadable = 0

  /// - Parameters:
  ///   - device: the device name of the receiver in gpsd; `nil`: the best receiver.
  ///   - now: the clock of the machine, which reveals receivers whose week counter has overflowed.
  init(device: String? = nil, now: @escaping () -> Date = { Date() }) {
    chosen = device
    self.now = now
  }

  mutating func feed(_ bytes: [UInt8]) -> [PositionEvent] {
    rest += bytes
    var events: [PositionEvent] = []
    while let end = rest.firstIndex(of: 0x0A) {
      if let event = event(Array(rest[..<end])) { events.append(Self.printable(event)) }
      rest.removeFirst(end + 1)
    }
    if rest.count > Self.maximumLine {
      rest = []
      unreadable += 1
    }
    return events
  }

  /// Handles the end of the connection. The incomplete last line is discarded. gpsd may have other receivers after a
  /// reconnection.
  mutating func disconnected() {
    rest = []
    gone = []
    wantsWatch = false
    choice = GpsdChoice()
    (hasAnswered, hasReported, isReported) = (false, false, false)
  }

  /// Checks a connection that has lasted a number of seconds.
  /// - Parameter address: the address of gpsd, for the message.
  /// - Returns: the problem, once, if the connection has reported neither a position nor a reason.
  mutating func lasted(_ seconds: Double, at address: String) -> PositionEvent? {
    guard seconds >= Self.reportTimeout, !hasReported, !isReported else { return nil }
    isReported = true
    return .unavailable(
      hasAnswered
        ? "gpsd at \(address) sends no positions. `gpsmon` or `cgps` shows what its receivers report."
        : "\(address) does not answer like gpsd. Check the host and the port of the source.")
  }

  /// Removes control characters from names and messages of gpsd, so that a terminal does not execute them.
  private static func printable(_ event: PositionEvent) -> PositionEvent {
    guard case .unavailable(let reason) = event else { return event }
    return .unavailable(reason.components(separatedBy: .controlCharacters).joined())
  }

  /// Returns whether all reports must be requested again, because a receiver was plugged in again. The next call returns `false`.
  mutating func takeWatch() -> Bool {
    defer { wantsWatch = false }
    return wantsWatch
  }

  private mutating func event(_ line: [UInt8]) -> PositionEvent? {
    guard !line.isEmpty, line != [0x0D] else { return nil }
    // A line that is not JSON is counted. gpsd sends no such line, but a faulty network may.
    guard let object = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any],
      let kind = object["class"] as? String
    else {
      unreadable += 1
      return nil
    }
    hasAnswered = true
    let event = event(kind, object)
    if event != nil || kind == "TPV" { hasReported = true }
    return event
  }

  private mutating func event(_ kind: String, _ object: [String: Any]) -> PositionEvent? {
    switch kind {
    case "TPV": return position(object)
    case "DEVICE": return device(object)
    case "DEVICES": return devices(object["devices"] as? [[String: Any]] ?? [])
    case "VERSION":
      guard let major = (object["proto_major"] as? NSNumber)?.intValue, major != Self.protocolMajor else { return nil }
      return .unavailable(
        "gpsd \(object["release"] as? String ?? "") speaks version \(major) of its protocol; version \(Self.protocolMajor) is "
          + "needed (gpsd 3.x).")
    case "ERROR": return .unavailable("gpsd reports: \(object["message"] as? String ?? "error")")
    default: return nil
    }
  }

  // MARK: Receivers

  private mutating func devices(_ list: [[String: Any]]) -> PositionEvent? {
    let paths = list.compactMap { $0["path"] as? String }
    if let chosen, !paths.contains(chosen) {
      let others = paths.isEmpty ? "no receiver" : paths.joined(separator: ", ")
      return .unavailable("gpsd has \(others), and not \(chosen). Plug it in, or name it: gpsdctl add \(chosen).")
    }
    return paths.isEmpty
      ? .unavailable("gpsd has no receiver. Plug one in, or name it: gpsdctl add /dev/ttyACM0.") : nil
  }

  private mutating func device(_ object: [String: Any]) -> PositionEvent? {
    let path = object["path"] as? String ?? ""
    // A device that is no longer active was unplugged.
    guard (object["activated"] as? NSNumber)?.doubleValue == 0 else {
      if gone.remove(path) != nil { wantsWatch = true }
      return nil
    }
    gone.insert(path)
    receivers[path] = nil
    let wasReceived = choice.device == nil || choice.device == path
    choice.lose(path)
    guard wasReceived, isWanted(path) else { return nil }
    return .unavailable("The receiver \(path) was unplugged.")
  }

  private func isWanted(_ path: String) -> Bool { chosen == nil || chosen == path }

  // MARK: Positions

  private mutating func position(_ object: [String: Any]) -> PositionEvent? {
    func number(_ name: String) -> Double? {
      guard let value = (object[name] as? NSNumber)?.doubleValue, value.isFinite else { return nil }
      return value
    }
    let path = object["device"] as? String ?? ""
    // 0 unknown, 1 no fix, 2 without altitude, 3 with altitude.
    guard isWanted(path), let mode = number("mode").flatMap({ Int(exactly: $0) }), (0...3).contains(mode) else { return nil }
    // The report has no position. An earlier position of the receiver is not its present one.
    guard mode >= 2 else { return lacks(.fix, path) }
    // Receivers that split a position into several messages have the coordinates only in the last one.
    guard let latitude = number("lat"), let longitude = number("lon"),
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    guard let time = (object["time"] as? String).flatMap({ RFC3339.date($0) }) else { return lacks(.time, path) }
    if let weeks = weeksBehind(time) { return lacks(.weeks(weeks), path) }
    var receiver = receivers[path] ?? Receiver()
    guard time != receiver.lastTime else { return nil }
    receiver.lastTime = time
    receiver.hadFix = true
    receiver.lack = nil
    receivers[path] = receiver
    // The error estimates of gpsd are used unchanged. Its documentation calls their confidence level unknown.
    var accuracy = number("eph")
    if accuracy == nil, let east = number("epx"), let north = number("epy") {
      accuracy = (east * east + north * north).squareRoot()
    }
    let before = choice.device
    let quality = GpsdChoice.Quality(mode: mode, error: accuracy)
    guard choice.handle(path, quality, at: time) else { return nil }
    // Another receiver has already reported the position at this time.
    if before != path, let lastReported, (0..<GpsdChoice.timeout).contains(lastReported.timeIntervalSince(time)) { return nil }
    lastReported = time
    let altitude = mode >= 3 ? number("altMSL") ?? number("alt") : nil
    return .positions([
      Fix(
        time: time, coordinate: place, horizontalAccuracy: accuracy, altitude: altitude,
        verticalAccuracy: altitude == nil ? nil : number("epv"),
        speed: number("speed").flatMap { $0 >= 0 ? $0 : nil }, speedAccuracy: number("eps"),
        course: number("track").flatMap { $0 >= 0 && $0 <= 360 ? $0 : nil }, courseAccuracy: number("epd"))
    ])
  }

  /// Detects an invalid date. The week number of GPS overflows after 1024 weeks. A receiver that counts the overflows wrongly
  /// reports a date that is a multiple of 1024 weeks too early or too late. A receiver without a date reports 1980, the epoch of
  /// GPS.
  /// - Returns: the number of weeks by which the date is behind, negative if it is ahead; `nil`: the date is plausible.
  private func weeksBehind(_ time: Date) -> Int? {
    let week = 7 * DayLength.seconds
    let behind = now().timeIntervalSince(time) / week
    let rounds = (behind / 1024).rounded()
    // 26 weeks: the maximum error of the machine's clock. The week number overflowed first on 1999-08-22.
    let hasRunOver = rounds != 0 && abs(behind - rounds * 1024) <= 26
    return hasRunOver || time.timeIntervalSince1970 < 935_280_000 ? Int(behind.rounded()) : nil
  }

  /// Reports the field that a receiver lacks: once, after several reports without it, and only if no other receiver has a
  /// position.
  private mutating func lacks(_ lack: MissingField, _ path: String) -> PositionEvent? {
    choice.lose(path)
    var receiver = receivers[path] ?? Receiver()
    receiver.count = receiver.lack == lack ? receiver.count + 1 : 1
    receiver.lack = lack
    receivers[path] = receiver
    guard receiver.count == Self.timeout, choice.device == nil else { return nil }
    let name = path.isEmpty ? "The receiver" : "The receiver \(path)"
    switch lack {
    case .fix where receiver.hadFix: return .unavailable("\(name) has lost its fix.")
    case .fix:
      return .unavailable("\(name) has no fix yet. It needs a view of the sky; the first fix can take minutes.")
    case .time: return .unavailable("\(name) reports positions without a time; it needs more satellites for the date.")
    case .weeks(let weeks):
      let distance =
        weeks < 0
        ? "\(-weeks) weeks ahead: it counts the weeks of GPS wrong" : "\(weeks) weeks ago: its week counter has overflowed"
      return .unavailable(
        "\(name) reports a date \(distance). Its positions are rejected; a firmware update may correct it.")
    }
  }
}
