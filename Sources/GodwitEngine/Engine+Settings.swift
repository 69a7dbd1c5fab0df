internal import GodwitModel

internal import struct Foundation.Date

/// Changes of settings: by the owner at once; by a server within bounds, on trial, and never so that the device is
/// lost to it.
extension Engine {
  /// Seconds after which a device that a server has silenced asks it for new settings.
  static let lifelineInterval = 6 * 3600.0
  /// Refused offers that are remembered.
  static let mostRefusals = 20

  mutating func ownerChanged(_ new: Settings, at now: Date) -> [Effect] {
    let changes = settings.difference(to: new)
    guard !changes.isEmpty else { return [] }
    for change in changes {
      // What the owner decides is neither on trial nor a server's.
      setByServer.remove(change.name)
      trial?.before[change.name] = nil
    }
    var effects: [Effect] = [.keepSettings(changes, by: .owner)]
    if trial?.before.isEmpty == true { effects += endTrial() }
    return effects + take(new, at: now)
  }

  mutating func ownerSet(_ values: [SettingOffer], at now: Date) -> [Effect] {
    var new = settings
    // Whoever asked has looked before whether they can be.
    for value in values { try? new.set(value.name, to: value.value) }
    return ownerChanged(new, at: now)
  }

  mutating func offered(_ offers: [SettingOffer], by endpoint: EndpointID, at now: Date) -> [Effect] {
    guard plans.first(where: { $0.id == endpoint })?.changesSettings == true else { return [] }
    var new = settings
    for offer in offers {
      do throws(SettingError) { try new.set(offer.name, to: offer.value, by: .ownerAndServer) } catch {
        refusedOffers.append("\(endpoint): \(error)")
      }
    }
    refusedOffers.removeFirst(max(0, refusedOffers.count - Self.mostRefusals))
    let changes = settings.difference(to: new)
    guard !changes.isEmpty else { return [] }
    var before = trial?.endpoint == endpoint ? trial?.before ?? [:] : [:]
    for change in changes {
      setByServer.insert(change.name)
      // The oldest value is the one that was known to work.
      if before[change.name] == nil { before[change.name] = change.old }
    }
    let onTrial = SettingsTrial(
      endpoint: endpoint, deadline: now.addingTimeInterval(SettingsTrial.length), before: before)
    trial = onTrial
    var effects: [Effect] = [
      .keepSettings(changes, by: .server(endpoint)), .keepTrial(onTrial), .setTimer(.trial, onTrial.deadline),
    ]
    effects += tell(
      Notice(
        kind: .settings, title: "Settings changed by \(endpoint)",
        body: changes.map(\.description).joined(separator: "\n")))
    return effects + take(new, at: now)
  }

  /// The server was not reached after its change: what was before holds again.
  mutating func trialOver(at now: Date) -> [Effect] {
    guard let trial, trial.deadline <= now else { return [] }
    var new = settings
    // Each value was the setting's own before.
    for (name, value) in trial.before { try? new.set(name, to: value) }
    let changes = settings.difference(to: new)
    setByServer.subtract(trial.before.keys)
    var effects: [Effect] = [.keepSettings(changes, by: .rollback(trial.endpoint))]
    effects += endTrial()
    effects += tell(
      Notice(
        kind: .settings, title: "Settings restored",
        body: "\(trial.endpoint) was not reached for a day after it changed settings. Restored: "
          + changes.map(\.description).joined(separator: "; ")))
    return effects + take(new, at: now)
  }

  /// The server was reached after its change.
  mutating func trialProved(by endpoint: EndpointID) -> [Effect] {
    trial?.endpoint == endpoint ? endTrial() : []
  }

  private mutating func endTrial() -> [Effect] {
    trial = nil
    return [.keepTrial(nil), .cancelTimer(.trial)]
  }

  private mutating func take(_ new: Settings, at now: Date) -> [Effect] {
    let old = settings
    settings = new
    var effects = configure()
    if watchesExit, new.main.resumeRadius == nil {
      watchesExit = false
      effects.append(.stopWatchingExit)
    }
    if isOnTrip, old.trip.preventsScreenLock != new.trip.preventsScreenLock {
      effects.append(.keepScreenOn(new.trip.preventsScreenLock))
    }
    if !new.notifies { effects += reminder.withdraw() }
    if old.sendInterval != new.sendInterval || old.main.batchSize != new.main.batchSize
      || old.trip.batchSize != new.trip.batchSize
    {
      effects += forEach { $0.recorded(0, $1, at: now) }
    }
    return effects + armLifeline(at: now)
  }

  // MARK: The lifeline

  /// A server has told the device to be silent, and nobody allowed it to do so for good.
  var isSilenced: Bool {
    guard !settings.allowsRemoteShutdown else { return false }
    return (settings.sendInterval == nil && setByServer.contains("send_interval"))
      || (settings.main.trackingMode == .off && setByServer.contains("main.tracking_mode"))
  }

  mutating func armLifeline(at now: Date) -> [Effect] {
    isSilenced ? [.setTimer(.lifeline, now.addingTimeInterval(Self.lifelineInterval))] : []
  }

  mutating func lifeline(at now: Date) -> [Effect] {
    guard isSilenced else { return [] }
    var effects: [Effect] = []
    for plan in plans where plan.changesSettings {
      guard var sending = sendings[plan.id], sending.ask(terms(plan)) else { continue }
      sendings[plan.id] = sending
      effects.append(.upload(plan.id, request(plan, isAsking: true)))
    }
    return effects + armLifeline(at: now)
  }
}
