internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// The Tracker screen: the state of tracking, the queue, and the uploads.
@MainActor @Observable
public final class TrackerModel {
  /// The colour of the summary.
  public typealias Level = StatusLevel

  private let state: AppState
  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }
  private var measures: Measures { state.measures }
  private var report: StatusReport? { state.status.map { StatusReport($0, state.settings, now: state.now) } }

  // MARK: Summary

  /// The status in a few words: "Recording".
  public var title: String { report.map { texts.translated($0.summary.title) } ?? texts(.opening) }
  /// The reason of the status, and its duration.
  public var detail: String {
    guard let summary = report?.summary else { return "" }
    let sentence = plain(texts.translated(summary.detail))
    guard let since = summary.since else { return sentence }
    return sentence + " " + texts(.since, measures.duration(state.now.timeIntervalSince(since)))
  }
  public var level: StatusLevel { report.map { StatusLevel(rawValue: $0.summary.level.rawValue) ?? .warning } ?? .quiet }
  /// The name of a symbol of SF Symbols for the level.
  public var levelSymbol: String { level.symbol }
  /// Title and detail as one text, for VoiceOver.
  public var summaryAccessibilityLabel: String { [title, detail].filter { !$0.isEmpty }.joined(separator: ". ") }

  // MARK: Tracking

  /// Whether tracking is on. Setting it turns tracking on or off.
  public var isTracking: Bool {
    get { state.isTracking }
    set {
      guard newValue != state.isTracking else { return }
      state.perform(newValue ? .startTracking : .stopTracking)
    }
  }
  public var trackingLabel: String { texts(.trackingEnabled) }
  public var trackingHint: String { texts(.trackingEnabledHint) }
  /// Whether tracking can be turned on or off. It cannot while the tracker is being opened.
  public var canChangeTracking: Bool { state.status != nil }

  // MARK: Figures

  /// Age, location, accuracy, altitude, speed, activity, queued and last sent, in Overland's order.
  public var figures: [Figure] {
    [
      Figure(id: "age", title: texts(.age), value: ageText, accessibilityLabel: "\(texts(.ageOfPosition)): \(ageText)"),
      Figure(id: "location", title: texts(.location), value: locationText),
      Figure(id: "accuracy", title: texts(.accuracy), value: accuracyText),
      Figure(id: "altitude", title: texts(.altitude), value: altitudeText),
      Figure(id: "speed", title: texts(.speed), value: speedText),
      Figure(id: "activity", title: texts(.activity), value: activityText),
      Figure(id: "queued", title: texts(.queued), value: queuedText, accessibilityLabel: texts(.queuedRecords, queuedText)),
      Figure(id: "last_sent", title: texts(.lastSent), value: lastSentText),
    ]
  }

  /// The time since the newest position was measured: "12 s".
  public var ageText: String {
    state.status?.lastFix.map { measures.duration(state.now.timeIntervalSince($0.time)) } ?? texts(.noValue)
  }
  /// "46.05692, 14.50581"
  public var locationText: String {
    state.status?.lastFix.map { measures.position($0.coordinate.latitude, $0.coordinate.longitude) } ?? texts(.noValue)
  }
  public var accuracyText: String { length(state.status?.lastFix?.horizontalAccuracy, "± ") }
  public var altitudeText: String { length(state.status?.lastFix?.altitude) }
  public var speedText: String { state.status?.lastFix?.speed.map(measures.speed) ?? texts(.noValue) }
  /// "driving", or several activities.
  public var activityText: String {
    let words = state.status.map { StatusLabels.activity($0.motion) } ?? []
    return words.isEmpty ? texts(.noValue) : words.map(texts.translated).joined(separator: ", ")
  }
  /// The number of records that the slowest server has not received yet.
  public var queuedText: String { "\(state.status?.waiting ?? 0)" }
  public var lastSentText: String {
    state.status?.lastSent.map { texts(.ago, measures.duration(state.now.timeIntervalSince($0))) } ?? texts(.never)
  }
  /// The name of the place that a server reported.
  public var placeText: String? { state.status?.placeName }
  /// The regions that contain the device, as one line; `nil`: none.
  public var regionsText: String? {
    guard let regions = state.tracker?.regions else { return nil }
    let names = (regions.geofencesByDistance + regions.beaconsByProximity.map(\.region)).map { $0.name.isEmpty ? $0.id : $0.name }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  // MARK: Sending

  public var sendNowLabel: String { isSending ? texts(.sending) : texts(.sendNow) }
  public var isSending: Bool { state.status?.endpoints.contains { $0.status.isUploading } ?? false }
  public var canSendNow: Bool { (state.status?.waiting ?? 0) > 0 && !isSending && !state.servers.servers.isEmpty }
  /// Sends all waiting records.
  public func sendNow() { state.perform(.sendNow) }

  /// The stops of the slider, from a second to half an hour, and off.
  public var sendIntervalStops: [String] { report?.sendIntervals.map { texts.translated($0.label) } ?? [] }
  /// The index of the current stop. Setting it changes the setting.
  public var sendIntervalIndex: Double {
    get {
      guard let report else { return 0 }
      return Double(report.sendIntervals.firstIndex { $0.text == report.sendInterval } ?? 0)
    }
    set {
      guard let stops = report?.sendIntervals, newValue.isFinite else { return }
      let index = Int(min(max(0, newValue.rounded()), Double(max(0, stops.count - 1))))
      guard stops.indices.contains(index), stops[index].text != report?.sendInterval else { return }
      state.set("send_interval", .text(stops[index].text))
    }
  }
  /// The highest index of the slider; at least 1, because a slider requires a range.
  public var sendIntervalMaximum: Double { Double(max(1, sendIntervalStops.count - 1)) }
  public var sendIntervalLabel: String { texts(.sendInterval) }
  public var sendIntervalText: String {
    let stops = sendIntervalStops
    let index = Int(sendIntervalIndex)
    return stops.indices.contains(index) ? stops[index] : ""
  }

  // MARK: Alerts

  /// The alerts for the user, the most urgent first.
  public var alerts: [AlertRow] {
    var rows: [AlertRow] = []
    if let permission = permissionAlert { rows.append(permission) }
    if let problem = state.problem { rows.append(AlertRow(id: "problem", text: plain(problem), action: nil)) }
    if state.status != nil, state.servers.servers.isEmpty {
      rows.append(AlertRow(id: "no_server", text: texts(.noServerAlert), action: .addServer, actionLabel: texts(.addServer)))
    }
    for server in state.servers.servers {
      guard let queue = state.status?.endpoints.first(where: { $0.id.name == server.id })?.status,
        let problem = queue.problem ?? queue.heldBecause
      else { continue }
      rows.append(AlertRow(id: "server.\(server.id)", text: plain(problem), action: nil))
    }
    for (index, alert) in (report?.alerts ?? []).enumerated() {
      let time = alert.time.map { " " + state.day($0) } ?? ""
      rows.append(AlertRow(id: "alert.\(index)", text: plain(texts.translated(alert.text)) + time, action: nil))
    }
    return rows
  }

  private var permissionAlert: AlertRow? {
    guard state.status != nil else { return nil }
    let wantsAlways = state.settings.authorization == .always
    switch state.authorization {
    case .denied:
      return AlertRow(
        id: "permission", text: texts(.permissionDeniedAlert), action: .openSystemSettings, actionLabel: texts(.openSettings))
    case .restricted: return AlertRow(id: "permission", text: texts(.permissionRestrictedAlert), action: nil)
    case .whenInUse where wantsAlways:
      return AlertRow(
        id: "permission", text: texts(.permissionWhenInUseAlert), action: .openSystemSettings, actionLabel: texts(.openSettings))
    case .notDetermined where state.isTracking:
      return AlertRow(
        id: "permission", text: texts(.permissionNotAskedAlert), action: .requestPermission, actionLabel: texts(.allowLocation))
    case .notDetermined, .whenInUse, .always: return nil
    }
  }

  /// Performs the action of an alert's button. The view shows the screen for a new server.
  public func perform(_ action: AlertRow.Action) {
    switch action {
    case .openSystemSettings: state.services.openSystemSettings()
    case .requestPermission: state.requestAuthorization(.whenInUse)
    case .addServer: wantsServer = true
    }
  }
  /// Whether the screen for a new server is requested. The view resets it.
  public var wantsServer = false

  private func length(_ meters: Double?, _ prefix: String = "") -> String {
    meters.map { prefix + measures.length($0) } ?? texts(.noValue)
  }

  private func plain(_ text: String) -> String { state.plain(text) }
}
