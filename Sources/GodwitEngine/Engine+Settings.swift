internal import GodwitModel

internal import struct Foundation.Date

/// Changes of settings. A change by the user takes effect at once; a change by a server is a staged rollout.
extension Engine {
  mutating func userChanged(_ new: Settings, at now: Date) -> [Effect] {
    let changes = settings.difference(to: new)
    guard !changes.isEmpty else { return [] }
    return [.storeSettings(changes, by: .user)] + recorder.serverSettings.userChanged(changes) + apply(new, at: now)
  }

  mutating func userSet(_ values: [DesiredSetting], at now: Date) -> [Effect] {
    var new = settings
    // The caller has validated the values.
    for value in values { try? new.set(value.name, to: value.value) }
    return userChanged(new, at: now)
  }

  mutating func offered(_ desired: [DesiredSetting], by endpoint: EndpointID, at now: Date) -> [Effect] {
    guard let plan = recorder.queues.plan(endpoint) else { return [] }
    let (new, changes) = recorder.serverSettings.offered(desired, by: plan, to: settings, at: now)
    guard !changes.isEmpty else { return [] }
    let begun = recorder.serverSettings.begin(changes, by: endpoint, isUploading: recorder.queues.isUploading(endpoint), at: now)
    return begun + recorder.notify(.settingsChanged(changes, by: endpoint)) + apply(new, at: now)
  }

  /// Rolls back a change of settings by a server, because the server was not reached after it.
  mutating func rolloutOver(at now: Date) -> [Effect] {
    let (effects, restored) = recorder.serverSettings.rolloutOver(settings, at: now)
    guard let restored else { return effects }
    return effects + recorder.notify(.settingsRestored(restored.changes, of: restored.endpoint))
      + apply(restored.settings, at: now)
  }

  /// Contacts the servers that may change settings, even if there are no records to send.
  mutating func checkIn(at now: Date) -> [Effect] {
    guard let asked = recorder.serverSettings.checkInDue(settings, isTracking: isTracking) else { return [] }
    return recorder.queues.ask(asked, recorder.sendingConditions, at: now)
  }

  private mutating func apply(_ new: Settings, at now: Date) -> [Effect] {
    let old = settings
    recorder.settings = new
    var effects = configure()
    if old.main.resumeRadius != new.main.resumeRadius {
      effects += pause.radiusChanged(new.main.resumeRadius, place: lastFix?.coordinate)
    }
    if isTracking, old.authorization != new.authorization { effects += recorder.permission.ask(for: new.authorization) }
    if isOnTrip, old.trip.preventsScreenLock != new.trip.preventsScreenLock {
      effects.append(.keepScreenOn(new.trip.preventsScreenLock))
    }
    if old.sendInterval != new.sendInterval || old.main.batchSize != new.main.batchSize
      || old.trip.batchSize != new.trip.batchSize
    {
      effects += recorder.queues.recorded(0, recorder.sendingConditions, at: now)
    }
    return effects
  }
}
