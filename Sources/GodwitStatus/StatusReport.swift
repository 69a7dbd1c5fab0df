package import Foundation
package import Godwit
internal import GodwitEngine
package import GodwitModel

/// The status of the tracker, for the panel and the app.
package struct StatusReport: Encodable {
  /// The state of the tracker: a few words and the reason.
  package struct StatusSummary: Encodable {
    package enum Level: String, Encodable { case good, quiet, warning, bad, off }
    package var level: Level
    package var title: String
    package var detail: String
    /// The start of the state, if that is informative.
    package var since: Date?
  }

  package struct Position: Encodable {
    /// The time of the measurement; long ago in a replay.
    package var time: Date
    /// The time at which it was received.
    package var received: Date?
    package var latitude: Double
    package var longitude: Double
    /// Metres.
    package var accuracy: Double?
    /// Metres.
    package var altitude: Double?
    /// Metres per second.
    package var speed: Double?
    /// Degrees.
    package var course: Double?
  }

  package struct Destination: Encodable {
    package var name: String
    package var waiting: Int
    package var isSending: Bool
    package var lastSent: Date?
    package var nextSend: Date?
    package var problem: String?
    package var held: String?
  }

  package struct Journey: Encodable {
    package var mode: String
    package var start: Date
    /// Metres.
    package var distance: Double
    /// Whether the trip is over and its steps are being counted.
    package var isEnding: Bool
  }

  /// An alert for the user: a sentence, and optionally a time that ends the sentence.
  package struct Alert: Encodable {
    package var text: String
    package var time: Date?
  }

  /// A stop of the slider for the send interval.
  package struct Stop: Encodable {
    private enum CodingKeys: String, CodingKey {
      case text
      case label
    }

    package var text: String
    package var label: String
  }

  package var now: Date
  package var heartbeat: Date
  package var isTracking: Bool
  package var summary: StatusSummary
  package var alerts: [Alert]
  package var device: String
  package var permission: String
  package var wantedPermission: String
  package var place: String?
  /// The names of the geofences that contain the device, nearest edge first, and of nearby beacons.
  package var regions: [String] = []
  package var fix: Position?
  package var activity: [String]
  package var endpoints: [Destination]
  package var waiting: Int
  package var lastSent: Date?
  package var sendInterval: String
  package var sendIntervals: [Stop]
  package var tripMode: String
  /// The most used modes first.
  package var tripModes: [String]
  package var trip: Journey?
  /// Counts of discarded fixes, and of records that were lost or quarantined.
  package var thinned: Int
  package var invalid: Int
  package var lost: Int
  package var quarantined: Int

  package init(of tracker: Tracker) async {
    let (status, settings) = (await tracker.status, await tracker.settings)
    self.init(status, settings, now: tracker.now)
    guard let watched = tracker.regions else { return }
    regions = (watched.geofencesByDistance + watched.beaconsByProximity.map(\.region)).map { $0.name.isEmpty ? $0.id : $0.name }
  }

  package init(_ status: Tracker.Status, _ settings: Settings, now: Date) {
    let names = EndpointLabels(status.endpoints.map(\.id))
    self.now = now
    heartbeat = status.heartbeat
    isTracking = status.isTracking
    summary = StatusSummary(status, settings, now: now)
    alerts = Self.alerts(status, names)
    device = settings.deviceID
    permission = StatusLabels.permission(status.authorization)
    wantedPermission = StatusLabels.label(settings.authorization.rawValue)
    place = status.placeName
    fix = status.lastFix.map { fix in
      Position(
        time: fix.time, received: status.lastFixReceived, latitude: fix.coordinate.latitude,
        longitude: fix.coordinate.longitude, accuracy: fix.horizontalAccuracy, altitude: fix.altitude, speed: fix.speed,
        course: fix.course)
    }
    activity = StatusLabels.activity(status.motion)
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

  /// The stops from a second to half an hour, and off; also a longer interval that is set currently.
  private static func stops(_ entry: SettingEntry, including current: String) -> [Stop] {
    guard case .choice(let words) = entry.kind else { return [] }
    return words.filter { !$0.hasSuffix("h") || $0 == current }
      .map { Stop(text: $0, label: StatusLabels.label($0, of: entry)) }
  }

  private static func alerts(_ status: Tracker.Status, _ names: EndpointLabels) -> [Alert] {
    // The summary already shows why the journal cannot be written.
    var alerts: [Alert] = []
    if status.unwritten > 0 {
      alerts.append(
        Alert(
          text: "\(status.unwritten.counted("record is", "records are")) in memory and not in the journal "
            + "yet."))
    }
    if status.lost > 0 {
      alerts.append(
        Alert(
          text: "\(status.lost.counted("record was", "records were")) lost: the retention or the maximum size was exceeded, "
            + "or the journal could not be written."))
    }
    if status.damaged > 0 {
      alerts.append(
        Alert(text: status.damaged.counted("record of the journal was damaged.", "records of the journal were damaged.")))
    }
    if status.quarantined > 0 {
      let records = status.quarantined.counted("record was", "records were")
      alerts.append(Alert(text: "\(records) rejected permanently by a server and quarantined."))
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

extension StatusReport.StatusSummary {
  /// Seconds without a position after which the signal is considered lost. A receiver reports one per second, a recorded walk one per 30 s.
  private static let noPositions = 120.0
  /// Seconds without any event after which the tracker is considered stuck. It has an event at least every minute.
  private static let stillness = 150.0

  package init(_ status: Tracker.Status, _ settings: Settings, now: Date) {
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
