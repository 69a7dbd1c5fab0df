internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import Observation

/// The state that all models of screens read: the newest values of the tracker, the pending commands, and the time that the screens show.
@MainActor @Observable
final class AppState {
  let services: AppServices
  let texts: AppTexts
  /// The status of the tracker; `nil`: it is not open yet.
  private(set) var status: Tracker.Status?
  /// The time for which ages and durations are computed.
  private(set) var now: Date
  /// Why the last change failed, as a sentence; `nil`: it succeeded.
  private(set) var problem: String?
  private(set) var phase = HostSnapshot.Phase.opening
  private(set) var tracker: Tracker?
  private var reportedSettings = Settings()
  private var reportedServers = ServerList()
  private var waiting: [(number: Int, command: HostCommand)] = []
  private let host: TrackerHost

  init(_ host: TrackerHost) {
    self.host = host
    services = host.services
    texts = AppTexts(preferred: host.services.languages)
    now = host.services.environment.now()
  }

  /// The recorded positions of the last two days.
  var track: TrackLog { host.track }

  var measures: Measures { Measures(texts: texts) }

  // MARK: What holds

  /// The settings, with changes that the tracker has not applied yet.
  var settings: Settings {
    waiting.reduce(into: reportedSettings) { settings, wish in
      // The tracker rejects invalid values, all or none; the next report shows the error.
      if case .set(let values) = wish.command { for value in values { try? settings.set(value.name, to: value.value) } }
    }
  }

  var servers: ServerList {
    waiting.reduce(reportedServers) { list, wish in if case .servers(let new) = wish.command { new } else { list } }
  }

  /// Whether tracking is on, or is about to be turned on.
  var isTracking: Bool {
    waiting.reduce(status?.isTracking ?? false) { isOn, wish in
      switch wish.command {
      case .startTracking: true
      case .stopTracking: false
      default: isOn
      }
    }
  }

  /// Whether the sensor of this launch can monitor regions.
  var canWatchRegions: Bool { host.sensor.regions != nil }

  var authorization: Tracker.Status.Authorization { status?.authorization ?? host.sensor.authorization }

  // MARK: Changes

  func perform(_ command: HostCommand) { waiting.append((host.send(command), command)) }

  func set(_ name: String, _ value: SettingValue) { perform(.set([DesiredSetting(name: name, value: value)])) }

  func requestAuthorization(_ wanted: WantedAuthorization) { host.sensor.requestAuthorization(wanted) }

  /// Reads the newest values of the tracker.
  func refresh() {
    let snapshot = host.consumeSnapshot()
    (phase, status, tracker) = (snapshot.phase, snapshot.status, snapshot.tracker)
    (reportedSettings, reportedServers, problem) = (snapshot.settings, snapshot.servers, snapshot.problem)
    waiting.removeAll { $0.number <= snapshot.applied }
    tick(services.environment.now())
  }

  /// Sets the time that the screens show.
  func tick(_ now: Date) { if self.now != now { self.now = now } }
}

extension AppState {
  /// Replaces the identifiers of servers in a sentence of the SDK with their names.
  func plain(_ text: String) -> String {
    servers.servers.reduce(text) { text, server in
      guard server.name != server.id else { return text }
      return Self.replacing(server.id, with: server.name, in: text)
    }
  }

  /// Replaces an identifier where it is not a part of a longer word or host name.
  private static func replacing(_ identifier: String, with name: String, in text: String) -> String {
    func isPart(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" } ?? false
    }
    var (result, rest) = ("", text[...])
    while let range = rest.firstRange(of: identifier) {
      let before = text[..<range.lowerBound].last
      let after = rest[range.upperBound...].prefix(2)
      // A dot or a colon ends a name, unless the name continues after it.
      let continues = isPart(after.first) || (after.first.map { ".:".contains($0) } ?? false) && isPart(after.dropFirst().first)
      let isWhole = !isPart(before) && before != "." && !continues
      result += rest[..<range.lowerBound] + (isWhole ? name[...] : rest[range])
      rest = rest[range.upperBound...]
    }
    return result + rest
  }

  /// "20 Nov, 14:05", in the device's time zone.
  func day(_ time: Date) -> String {
    let parts = calendar.dateComponents([.day, .month], from: time)
    return "\(parts.day ?? 0) \(texts.month(parts.month ?? 1)), \(self.time(time))"
  }

  /// "14:05"
  func time(_ time: Date) -> String {
    let parts = calendar.dateComponents([.hour, .minute], from: time)
    func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
    return "\(two(parts.hour)):\(two(parts.minute))"
  }

  var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = services.timeZone
    return calendar
  }
}
