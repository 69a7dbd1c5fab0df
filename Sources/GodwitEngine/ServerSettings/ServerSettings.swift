internal import GodwitModel

internal import struct Foundation.Date

/// What servers have set, within bounds: a change is on trial, and never such that the device is lost to the server.
struct ServerSettings: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case rollout = "trial"
    case rejections
    case names
    case modes
    case bringsRollout = "bringsTrial"
    case checkInTime = "lifelineAt"
  }

  /// Seconds after which a device that a server has silenced asks it for new settings.
  static let checkInInterval = 6 * 3600.0
  /// Rejected offers that are remembered.
  static let maximumRejections = 20
  /// Seconds that a change has to prove itself.
  static let rolloutLength = DayLength.seconds

  /// A server's change that has not proved itself yet.
  private(set) var rollout: StagedRollout?
  /// What servers wanted and did not get, newest last, as sentences.
  private(set) var rejections: [String] = []
  /// Names of settings that a server changed last.
  private(set) var names: Set<String> = []
  /// Logging modes that a server's answer set, by the names of the settings.
  private var modes: [String: ServerMode] = [:]
  /// The upload in whose answer the change on trial came is not over yet: it proves nothing.
  private var bringsRollout = false
  /// When the server is asked for settings; `nil`: not at all.
  private var checkInTime: Date?

  init() {}

  init(_ launch: Launch) {
    (names, modes, rollout) = (launch.setByServer, launch.serverModes, launch.rollout)
  }

  // MARK: Changes

  /// The user changed settings: what the user decides is neither on trial nor a server's.
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

  /// A server wants settings to be something else.
  /// - Parameters:
  ///   - desired: the settings and their values.
  ///   - plan: of the server.
  ///   - settings: those that hold.
  ///   - now: the time.
  /// - Returns: the settings with what the server gets, and the changes; empty: nothing changes.
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

  /// Puts the changes of a server on trial.
  /// - Parameters:
  ///   - changes: what it changed.
  ///   - endpoint: the server.
  ///   - isUploading: the upload in whose answer they came is not over yet.
  ///   - now: the time.
  mutating func begin(
    _ changes: [SettingChange], by endpoint: EndpointID, isUploading: Bool, at now: Date
  ) -> [Effect] {
    // A second answer of the same server proves what its first one changed.
    var rollout =
      rollout.flatMap { bringsRollout ? $0 : nil } ?? StagedRollout(endpoint: endpoint, deadline: now, before: [:])
    rollout.deadline = now.addingTimeInterval(Self.rolloutLength)
    for change in changes {
      // The oldest value is the one that was known to work.
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

  /// Remembers what a server wanted and did not get; it may want it again with every answer.
  private mutating func reject(_ reason: String, _ endpoint: EndpointID) {
    let sentence = "\(endpoint): \(reason)"
    rejections.removeAll { $0 == sentence }
    rejections.append(sentence)
    rejections.removeFirst(max(0, rejections.count - Self.maximumRejections))
  }

  // MARK: The trial

  /// The time of the trial is over without the server having been reached.
  /// - Returns: the settings of before, with the changes; `nil`: nothing changes.
  mutating func rolloutOver(
    _ settings: Settings, at now: Date
  ) -> (effects: [Effect], restored: (settings: Settings, changes: [SettingChange], endpoint: EndpointID)?) {
    guard let rollout else { return ([], nil) }
    guard rollout.deadline <= now else {
      // Too early by the clock, which may have been set back: no trial lasts a day longer for that.
      return ([.setTimer(.rollout, min(rollout.deadline, now.addingTimeInterval(Self.rolloutLength)))], nil)
    }
    // A server that may silence the device and did is not reached because of that.
    if isDisabled(settings), settings.allowsRemoteShutdown { return (endRollout(), nil) }
    var new = settings
    // Each value was the setting's own before.
    for (name, value) in rollout.before { try? new.set(name, to: value) }
    let changes = settings.difference(to: new)
    names.subtract(rollout.before.keys)
    names.formUnion(rollout.byServer)
    recordModes(changes.filter { !rollout.byServer.contains($0.name) }, by: nil)
    let effects = [.storeSettings(changes, by: .rollback(rollout.endpoint))] + endRollout()
    return (effects, (new, changes, rollout.endpoint))
  }

  /// An upload is over: one that was begun after the change, and that the server took, proves it.
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

  /// The logging mode that a server has set for now. - Parameter isOnTrip: a trip is going on.
  func mode(isOnTrip: Bool) -> ServerMode? { modes[isOnTrip ? Self.tripMode : Self.mainMode] }

  private static let mainMode = "main.logging_mode"
  private static let tripMode = "trip.logging_mode"

  /// After a change of settings: which logging modes a server's answer has set.
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

  // MARK: The lifeline

  /// A server has silenced the device.
  private func isDisabled(_ settings: Settings) -> Bool {
    (settings.sendInterval == nil && names.contains("send_interval"))
      || (settings.main.trackingMode == .off && names.contains("main.tracking_mode"))
  }

  /// The same, without the user's permission to do so for good.
  private func isSilenced(_ settings: Settings) -> Bool { isDisabled(settings) && !settings.allowsRemoteShutdown }

  /// Whether a server is asked although there may be nothing to send: one that has silenced the device, and one whose
  /// change is on trial, since a device that lies still may have nothing to send for days.
  private func needsCheckIn(_ settings: Settings) -> Bool {
    isSilenced(settings) || (rollout != nil && !isDisabled(settings))
  }

  /// The program began. A program that begins more than once in six hours would never ask otherwise.
  mutating func resumeCheckIn(_ settings: Settings, isTracking: Bool, at now: Date) -> [Effect] {
    guard isTracking, needsCheckIn(settings) else { return [] }
    checkInTime = now
    return [.setTimer(.checkIn, now)]
  }

  /// Sets or cancels the timer, as the settings want it by now.
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

  /// The timer has run out. - Returns: the servers that are asked.
  mutating func checkInDue(_ settings: Settings, isTracking: Bool) -> ((EndpointPlan) -> Bool)? {
    checkInTime = nil
    guard isTracking, needsCheckIn(settings) else { return nil }
    let (isSilenced, endpoint) = (isSilenced(settings), rollout?.endpoint)
    return { $0.changesSettings && (isSilenced || $0.id == endpoint) }
  }
}
