internal import GodwitModel

internal import struct Foundation.Date

/// The settings that servers have changed. A change is a staged rollout, and the device stays reachable for the server.
struct ServerSettings: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case rollout = "trial"
    case rejections
    case names
    case modes
    case bringsRollout = "bringsTrial"
    case checkInTime = "lifelineAt"
  }

  /// Seconds after which a device whose uploads a server disabled requests new settings.
  static let checkInInterval = 6 * 3600.0
  /// Maximum number of rejected settings that are kept.
  static let maximumRejections = 20
  /// Seconds within which a change must be confirmed.
  static let rolloutLength = DayLength.seconds

  /// The change of settings that is not confirmed yet.
  private(set) var rollout: StagedRollout?
  /// The rejected settings, newest last, as sentences.
  private(set) var rejections: [String] = []
  /// Names of the settings whose last change was made by a server.
  private(set) var names: Set<String> = []
  /// The logging modes that the response of a server set, by the name of the setting.
  private var modes: [String: ServerMode] = [:]
  /// Whether the upload whose response contained the change is still in flight. The result of that upload confirms nothing.
  private var bringsRollout = false
  /// The time of the next check-in; `nil`: none is scheduled.
  private var checkInTime: Date?

  init() {}

  init(_ launch: Launch) {
    (names, modes, rollout) = (launch.setByServer, launch.serverModes, launch.rollout)
  }

  // MARK: Changes

  /// Handles changes by the user. These settings no longer belong to a server or to a rollout.
  mutating func userChanged(_ changes: [SettingChange]) -> [Effect] {
    let before = rollout
    for change in changes {
      names.remove(change.name)
      rollout?.before[change.name] = nil
    }
    recordModes(changes, by: nil)
    if rollout?.before.isEmpty == true { return endRollout() }
    return rollout != before ? [.storeRollout(rollout)] : []
  }

  /// Applies the settings that a server requests.
  /// - Parameters:
  ///   - desired: the settings and their values.
  ///   - plan: the endpoint of the server.
  ///   - settings: the settings in force.
  ///   - now: the time.
  /// - Returns: the resulting settings, and the changes; empty: nothing changes.
  mutating func offered(
    _ desired: [DesiredSetting], by plan: EndpointPlan, to settings: Settings, at now: Date
  ) -> (settings: Settings, changes: [SettingChange]) {
    guard plan.changesSettings || desired.isEmpty else {
      reject("This endpoint may not change settings.", plan.id)
      return (settings, [])
    }
    var new = settings
    for desired in desired {
      do throws(SettingError) { try new.set(desired.name, to: desired.value, by: .userAndServer) } catch {
        reject(error.description, plan.id)
      }
    }
    let changes = settings.difference(to: new)
    guard !changes.isEmpty else { return (settings, []) }
    if let other = rollout?.endpoint, other != plan.id {
      let names = changes.map(\.name).joined(separator: ", ")
      reject("Not changed: the settings from \(other) are not confirmed yet. Ignored: \(names).", plan.id)
      return (settings, [])
    }
    return (new, changes)
  }

  /// Starts a staged rollout of the changes of a server.
  /// - Parameters:
  ///   - changes: the changes.
  ///   - endpoint: the server.
  ///   - isUploading: whether the upload whose response contained the changes is still in flight.
  ///   - now: the time.
  mutating func begin(
    _ changes: [SettingChange], by endpoint: EndpointID, isUploading: Bool, at now: Date
  ) -> [Effect] {
    // A second response of the same server confirms the changes of its first one.
    var rollout =
      rollout.flatMap { bringsRollout ? $0 : nil } ?? StagedRollout(endpoint: endpoint, deadline: now, before: [:])
    rollout.deadline = now.addingTimeInterval(Self.rolloutLength)
    for change in changes {
      // The oldest value is the one that is known to work.
      if rollout.before[change.name] == nil {
        rollout.before[change.name] = change.old
        if names.contains(change.name) { rollout.byServer.insert(change.name) }
      }
      names.insert(change.name)
    }
    recordModes(changes, by: endpoint)
    self.rollout = rollout
    bringsRollout = isUploading
    return [.storeSettings(changes, by: .server(endpoint)), .storeRollout(rollout), .setTimer(.rollout, rollout.deadline)]
  }

  /// Records a rejection. A server may request the same settings with every response, so equal sentences are kept once.
  private mutating func reject(_ reason: String, _ endpoint: EndpointID) {
    let sentence = "\(endpoint): \(reason)"
    rejections.removeAll { $0 == sentence }
    rejections.append(sentence)
    rejections.removeFirst(max(0, rejections.count - Self.maximumRejections))
  }

  // MARK: Staged rollout

  /// Sets the timer of a rollout at a launch.
  func resumeRollout(at now: Date) -> [Effect] { rollout.map { [Self.timer(of: $0, at: now)] } ?? [] }

  /// Returns the timer of a rollout. The clock may be behind the one that set the deadline, at a launch by months. That extends the
  /// rollout by at most its full length.
  private static func timer(of rollout: StagedRollout, at now: Date) -> Effect {
    .setTimer(.rollout, min(rollout.deadline, now.addingTimeInterval(rolloutLength)))
  }

  /// Handles the end of the time for the confirmation: rolls the changes back.
  /// - Returns: the effects, and the earlier settings with the changes; `restored` is `nil` if nothing changes.
  mutating func rolloutOver(
    _ settings: Settings, at now: Date
  ) -> (effects: [Effect], restored: (settings: Settings, changes: [SettingChange], endpoint: EndpointID)?) {
    guard let rollout else { return ([], nil) }
    guard rollout.deadline <= now else { return ([Self.timer(of: rollout, at: now)], nil) }
    // The server was permitted to disable uploads and did so. It was not reached for that reason.
    if isDisabled(settings), settings.allowsRemoteShutdown { return (endRollout(), nil) }
    var new = settings
    for (name, value) in rollout.before {
      // Each value was valid before the change, but an earlier version may have stored it.
      do throws(SettingError) {
        try new.set(name, to: value)
        if !rollout.byServer.contains(name) { names.remove(name) }
      } catch {
        reject(error.description, rollout.endpoint)
      }
    }
    let changes = settings.difference(to: new)
    recordModes(changes.filter { !rollout.byServer.contains($0.name) }, by: nil)
    let effects = [.storeSettings(changes, by: .rollback(rollout.endpoint))] + endRollout()
    return (effects, (new, changes, rollout.endpoint))
  }

  /// Handles the end of an upload. An accepted upload that began after the change confirms it.
  mutating func uploadFinished(_ endpoint: EndpointID, _ result: UploadResult) -> [Effect] {
    guard rollout?.endpoint == endpoint else { return [] }
    if bringsRollout {
      bringsRollout = false
      return []
    }
    guard case .accepted(_, let bytes) = result, bytes > 0 else { return [] }
    return endRollout()
  }

  private mutating func endRollout() -> [Effect] {
    rollout = nil
    bringsRollout = false
    return [.storeRollout(nil), .cancelTimer(.rollout)]
  }

  // MARK: Logging modes

  /// The logging mode that a server has set; `nil`: none. - Parameter isOnTrip: whether a trip is running.
  func mode(isOnTrip: Bool) -> ServerMode? { modes[isOnTrip ? Self.tripMode : Self.mainMode] }

  private static let mainMode = "main.logging_mode"
  private static let tripMode = "trip.logging_mode"

  /// Updates the logging modes that the responses of servers set, after a change of settings.
  private mutating func recordModes(_ changes: [SettingChange], by server: EndpointID?) {
    for change in changes where [Self.mainMode, Self.tripMode].contains(change.name) {
      guard let server else {
        modes[change.name] = nil
        continue
      }
      var before = modes[change.name]?.before
      if before == nil, case .text(let word) = change.old { before = LoggingMode(rawValue: word) }
      modes[change.name] = ServerMode(endpoint: server, before: before ?? .all)
    }
  }

  // MARK: Check-in

  /// Whether a server has disabled uploads or tracking.
  private func isDisabled(_ settings: Settings) -> Bool {
    (settings.sendInterval == nil && names.contains("send_interval"))
      || (settings.main.trackingMode == .off && names.contains("main.tracking_mode"))
  }

  /// Whether a server has disabled uploads or tracking without the permission of the user to do so permanently.
  private func isSilenced(_ settings: Settings) -> Bool { isDisabled(settings) && !settings.allowsRemoteShutdown }

  /// Whether a server is contacted even if there are no records: a server that has disabled the device, or one whose change is
  /// not confirmed. A device at rest may have no records for days.
  private func needsCheckIn(_ settings: Settings) -> Bool {
    isSilenced(settings) || (rollout != nil && !isDisabled(settings))
  }

  /// Schedules a check-in at a launch. Otherwise a program that is launched more often than every six hours would never check in.
  mutating func resumeCheckIn(_ settings: Settings, isTracking: Bool, at now: Date) -> [Effect] {
    guard isTracking, needsCheckIn(settings) else { return [] }
    checkInTime = now
    return [.setTimer(.checkIn, now)]
  }

  /// Schedules or cancels the check-in, as the settings require.
  mutating func updateCheckIn(_ settings: Settings, isTracking: Bool, at now: Date) -> [Effect] {
    let isNeeded = isTracking && needsCheckIn(settings)
    if isNeeded, checkInTime == nil {
      let due = now.addingTimeInterval(Self.checkInInterval)
      checkInTime = due
      return [.setTimer(.checkIn, due)]
    }
    if !isNeeded, checkInTime != nil {
      checkInTime = nil
      return [.cancelTimer(.checkIn)]
    }
    return []
  }

  /// Handles the timer of the check-in. - Returns: the filter of the servers to contact; `nil`: none.
  mutating func checkInDue(_ settings: Settings, isTracking: Bool) -> ((EndpointPlan) -> Bool)? {
    checkInTime = nil
    guard isTracking, needsCheckIn(settings) else { return nil }
    let (isSilenced, endpoint) = (isSilenced(settings), rollout?.endpoint)
    return { $0.changesSettings && (isSilenced || $0.id == endpoint) }
  }
}
