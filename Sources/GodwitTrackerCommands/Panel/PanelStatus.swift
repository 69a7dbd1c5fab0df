internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel

/// How the tracker is doing, as the panel's page shows it.
struct PanelStatus: Encodable {
  private enum CodingKeys: String, CodingKey {
    case now
    case heartbeat
    case isTracking
    case summary
    case alerts
    case device
    case permission
    case wantedPermission
    case place
    case regions
    case fix
    case activity
    case endpoints
    case waiting
    case lastSent
    case sendInterval
    case sendIntervals
    case tripMode
    case tripModes
    case trip
    case thinned
    case invalid
    case lost
    case quarantined = "setAside"
  }

  /// Is it alive? In a few words, and why.
  struct StatusSummary: Encodable {
    enum Level: String, Encodable { case good, quiet, warning, bad, off }
    var level: Level
    var title: String
    var detail: String
    /// Since when it is so, where that says more.
    var since: Date?
  }

  struct Position: Encodable {
    /// When it was measured; of a replay long ago.
    var time: Date
    /// When it came.
    var received: Date?
    var latitude: Double
    var longitude: Double
    /// Metres.
    var accuracy: Double?
    /// Metres.
    var altitude: Double?
    /// Metres per second.
    var speed: Double?
    /// Degrees.
    var course: Double?
  }

  struct Destination: Encodable {
    var name: String
    var waiting: Int
    var isSending: Bool
    var lastSent: Date?
    var nextSend: Date?
    var problem: String?
    var held: String?
  }

  struct Journey: Encodable {
    var mode: String
    var start: Date
    /// Metres.
    var distance: Double
    /// Its steps are being counted; it is over.
    var isEnding: Bool
  }

  /// Something that a person should know: a sentence, and a moment that ends it.
  struct Alert: Encodable {
    var text: String
    var time: Date?
  }

  /// A stop of the slider of the send interval.
  struct Stop: Encodable {
    private enum CodingKeys: String, CodingKey {
      case text
      case label
    }

    var text: String
    var label: String
  }

  var now: Date
  var heartbeat: Date
  var isTracking: Bool
  var summary: StatusSummary
  var alerts: [Alert]
  var device: String
  var permission: String
  var wantedPermission: String
  var place: String?
  /// Names of the geofences that it is in, nearest edge first, and of the beacons that are near.
  var regions: [String] = []
  var fix: Position?
  var activity: [String]
  var endpoints: [Destination]
  var waiting: Int
  var lastSent: Date?
  var sendInterval: String
  var sendIntervals: [Stop]
  var tripMode: String
  /// The most chosen ones first.
  var tripModes: [String]
  var trip: Journey?
  /// Fixes that were not kept, and records that are not where they should be.
  var thinned: Int
  var invalid: Int
  var lost: Int
  var quarantined: Int

  init(of tracker: Tracker) async {
    let (status, settings) = (await tracker.status, await tracker.settings)
    self.init(status, settings, now: tracker.now)
    guard let watched = tracker.regions else { return }
    regions = (watched.geofencesByDistance + watched.beaconsByProximity.map(\.region)).map { $0.name.isEmpty ? $0.id : $0.name }
  }

  init(_ status: Tracker.Status, _ settings: Settings, now: Date) {
    let names = PanelNames(status.endpoints.map(\.id))
    self.now = now
    heartbeat = status.heartbeat
    isTracking = status.isTracking
    summary = StatusSummary(status, settings, now: now)
    alerts = Self.alerts(status, names)
    device = settings.deviceID
    permission = PanelLabels.permission(status.authorization)
    wantedPermission = PanelLabels.label(settings.authorization.rawValue)
    place = status.placeName
    fix = status.lastFix.map { fix in
      Position(
        time: fix.time, received: status.lastFixReceived, latitude: fix.coordinate.latitude,
        longitude: fix.coordinate.longitude, accuracy: fix.horizontalAccuracy, altitude: fix.altitude, speed: fix.speed,
        course: fix.course)
    }
    activity = PanelLabels.activity(status.motion)
    endpoints = status.endpoints.map { endpoint in
      Destination(
        name: names.label(endpoint.id), waiting: endpoint.status.waiting, isSending: endpoint.status.isUploading,
        lastSent: endpoint.status.lastSuccess, nextSend: endpoint.status.nextSend,
        problem: endpoint.status.problem.map(names.plain), held: endpoint.status.heldBecause.map(names.plain))
    }
    waiting = status.waiting
    lastSent = status.lastSent
    let interval = Settings.entry("send_interval")
    let word = interval?.value(settings).plain ?? ""
    sendInterval = word
    sendIntervals = interval.map { Self.stops($0, including: word) } ?? []
    tripMode = settings.tripMode.rawValue
    tripModes = status.tripModes.map(\.rawValue)
    trip = status.trip.map {
      Journey(mode: $0.mode.rawValue, start: $0.start, distance: $0.distance, isEnding: $0.ending != nil)
    }
    (thinned, invalid, lost, quarantined) = (status.thinnedFixes, status.invalidFixes, status.lost, status.quarantined)
  }

  /// From a second to half an hour, and off; a longer one that was set elsewhere is a stop as well.
  private static func stops(_ entry: SettingEntry, including current: String) -> [Stop] {
    guard case .choice(let words) = entry.kind else { return [] }
    return words.filter { !$0.hasSuffix("h") || $0 == current }
      .map { Stop(text: $0, label: PanelLabels.label($0, of: entry)) }
  }

  private static func alerts(_ status: Tracker.Status, _ names: PanelNames) -> [Alert] {
    // Why the journal cannot be written is in the summary already.
    var alerts: [Alert] = []
    if status.unwritten > 0 {
      alerts.append(
        Alert(
          text: "\(status.unwritten) records are in memory and not in the journal "
            + "yet."))
    }
    if status.lost > 0 {
      alerts.append(
        Alert(
          text: "\(status.lost) records were lost: the retention or the maximum size was exceeded, or the journal could "
            + "not be written."))
    }
    if status.damaged > 0 { alerts.append(Alert(text: "\(status.damaged) records of the journal were damaged.")) }
    if status.quarantined > 0 {
      alerts.append(Alert(text: "\(status.quarantined) records were rejected permanently by a server and quarantined."))
    }
    if let problem = status.regionProblem { alerts.append(Alert(text: problem)) }
    if let rollout = status.rollout {
      alerts.append(
        Alert(
          text: "\(names.label(rollout.endpoint)) changed settings. If it cannot be reached, they are rolled back on",
          time: rollout.deadline))
    }
    return alerts + status.rejectedSettings.suffix(3).map { Alert(text: "Refused: " + names.plain($0)) }
  }
}

extension PanelStatus.StatusSummary {
  /// Seconds without a position after which something is wrong: a receiver reports one a second, a walker's file one in
  /// half a minute.
  private static let noPositions = 120.0
  /// Seconds without any event after which the tracker itself is stuck: it has one at least every minute.
  private static let stillness = 150.0

  init(_ status: Tracker.Status, _ settings: Settings, now: Date) {
    let main = status.trip == nil ? settings.main : settings.main.during(settings.trip)
    let isContinuous = main.trackingMode.isContinuous
    let offline = status.lastFixReceived.map { now.timeIntervalSince($0) } ?? .infinity
    if now.timeIntervalSince(status.heartbeat) > Self.stillness {
      self.init(
        level: .bad, title: "Not responding", detail: "The tracker does not respond; restart it.", since: status.heartbeat)
    } else if let problem = status.journalProblem {
      self.init(level: .bad, title: "Cannot record", detail: problem)
    } else if !status.isTracking {
      self.init(level: .off, title: "Tracking is off", detail: "Nothing is recorded. Queued records are still sent.")
    } else if status.authorization == .denied || status.authorization == .restricted {
      self.init(
        level: .bad, title: "No permission",
        detail: status.locationProblem ?? "The system does not allow access "
          + "to the location.")
    } else if status.authorization == .notDetermined {
      self.init(level: .warning, title: "No permission yet", detail: "The system's question has not been answered.")
    } else if main.trackingMode == .off {
      self.init(level: .quiet, title: "On, no positions requested", detail: "The tracking mode is off: only visits are recorded.")
    } else if let since = status.pausedSince {
      self.init(level: .quiet, title: "Paused", detail: "The system detects no movement.", since: since)
    } else if let problem = status.locationProblem {
      self.init(level: .bad, title: "No position", detail: problem, since: status.lastFixReceived)
    } else if isContinuous, status.lastFixReceived == nil {
      self.init(level: .warning, title: "Waiting for a position", detail: "The receiver has not reported one yet.")
    } else if isContinuous, offline > Self.noPositions {
      self.init(
        level: .warning, title: "No signal", detail: "The receiver reports nothing.", since: status.lastFixReceived)
    } else if !isContinuous, offline > Self.noPositions {
      self.init(level: .quiet, title: "At rest", detail: "Only significant changes are recorded.")
    } else {
      self.init(
        level: .good, title: status.trip == nil ? "Recording" : "Recording a trip", detail: "Running.")
    }
  }
}
