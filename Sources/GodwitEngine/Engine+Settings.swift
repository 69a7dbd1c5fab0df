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
    let before = trial
    for change in changes {
      // What the owner decides is neither on trial nor a server's.
      setByServer.remove(change.name)
      trial?.before[change.name] = nil
    }
    noteModes(changes, by: nil)
    var effects: [Effect] = [.keepSettings(changes, by: .owner)]
    if trial?.before.isEmpty == true {
      effects += endTrial()
    } else if trial != before {
      effects.append(.keepTrial(trial))
    }
    return effects + take(new, at: now)
  }

  mutating func ownerSet(_ values: [SettingOffer], at now: Date) -> [Effect] {
    var new = settings
    // Whoever asked has looked before whether they can be.
    for value in values { try? new.set(value.name, to: value.value) }
    return ownerChanged(new, at: now)
  }

  mutating func offered(_ offers: [SettingOffer], by endpoint: EndpointID, at now: Date) -> [Effect] {
    guard let plan = plans.first(where: { $0.id == endpoint }) else { return [] }
    guard plan.changesSettings || offers.isEmpty else {
      refuse("This endpoint may not change settings.", endpoint)
      return []
    }
    var new = settings
    for offer in offers {
      do throws(SettingError) { try new.set(offer.name, to: offer.value, by: .ownerAndServer) } catch {
        refuse(error.description, endpoint)
      }
    }
    let changes = settings.difference(to: new)
    guard !changes.isEmpty else { return [] }
    if let other = trial?.endpoint, other != endpoint {
      let names = changes.map(\.name).joined(separator: ", ")
      refuse("Not now: what \(other) changed has to prove itself first. Not changed: \(names).", endpoint)
      return []
    }
    // A second answer of the same server proves what its first one changed.
    var onTrial =
      trial.flatMap { bringsTrial ? $0 : nil } ?? SettingsTrial(endpoint: endpoint, deadline: now, before: [:])
    onTrial.deadline = now.addingTimeInterval(SettingsTrial.length)
    for change in changes {
      // The oldest value is the one that was known to work.
      if onTrial.before[change.name] == nil {
        onTrial.before[change.name] = change.old
        if setByServer.contains(change.name) { onTrial.byServer.insert(change.name) }
      }
      setByServer.insert(change.name)
    }
    noteModes(changes, by: endpoint)
    trial = onTrial
    bringsTrial = sendings[endpoint]?.phase == .uploading
    var effects: [Effect] = [
      .keepSettings(changes, by: .server(endpoint)), .keepTrial(onTrial), .setTimer(.trial, onTrial.deadline),
    ]
    effects += tell(
      Notice(
        kind: .settings, title: "Settings changed by \(endpoint)",
        body: changes.map(\.description).joined(separator: "\n")))
    return effects + take(new, at: now)
  }

  /// Remembers what a server wanted and did not get; it may want it again with every answer.
  private mutating func refuse(_ reason: String, _ endpoint: EndpointID) {
    let sentence = "\(endpoint): \(reason)"
    refusedOffers.removeAll { $0 == sentence }
    refusedOffers.append(sentence)
    refusedOffers.removeFirst(max(0, refusedOffers.count - Self.mostRefusals))
  }

  /// The server was not reached after its change: what was before holds again.
  mutating func trialOver(at now: Date) -> [Effect] {
    guard let trial else { return [] }
    guard trial.deadline <= now else {
      // Too early by the clock, which may have been set back: nobody waits longer than a day for that.
      return [.setTimer(.trial, min(trial.deadline, now.addingTimeInterval(SettingsTrial.length)))]
    }
    // A server that may silence the device and did is not reached because of that.
    if isSilent, settings.allowsRemoteShutdown { return endTrial() }
    var new = settings
    // Each value was the setting's own before.
    for (name, value) in trial.before { try? new.set(name, to: value) }
    let changes = settings.difference(to: new)
    setByServer.subtract(trial.before.keys)
    setByServer.formUnion(trial.byServer)
    noteModes(changes.filter { !trial.byServer.contains($0.name) }, by: nil)
    var effects: [Effect] = [.keepSettings(changes, by: .rollback(trial.endpoint))]
    effects += endTrial()
    effects += tell(
      Notice(
        kind: .settings, title: "Settings restored",
        body: "\(trial.endpoint) was not reached for a day after it changed settings. Restored: "
          + changes.map(\.description).joined(separator: "; ")))
    return effects + take(new, at: now)
  }

  /// An upload is over: one that was begun after the change, and that the server took, proves it.
  mutating func trialTested(by endpoint: EndpointID, _ result: UploadResult) -> [Effect] {
    guard trial?.endpoint == endpoint else { return [] }
    if bringsTrial {
      bringsTrial = false
      return []
    }
    guard case .accepted(_, let bytes) = result, bytes > 0 else { return [] }
    return endTrial()
  }

  private mutating func endTrial() -> [Effect] {
    trial = nil
    bringsTrial = false
    return [.keepTrial(nil), .cancelTimer(.trial)]
  }

  private mutating func take(_ new: Settings, at now: Date) -> [Effect] {
    let old = settings
    settings = new
    var effects = configure()
    if old.main.resumeRadius != new.main.resumeRadius {
      if let radius = new.main.resumeRadius {
        if pausedSince != nil { effects += watchExit(radius: radius) }
      } else if watchesExit {
        watchesExit = false
        effects.append(.stopWatchingExit)
      }
    }
    if isTracking, old.authorization != new.authorization { effects += askForPermission() }
    if isOnTrip, old.trip.preventsScreenLock != new.trip.preventsScreenLock {
      effects.append(.keepScreenOn(new.trip.preventsScreenLock))
    }
    if old.sendInterval != new.sendInterval || old.main.batchSize != new.main.batchSize
      || old.trip.batchSize != new.trip.batchSize
    {
      effects += forEach { $0.recorded(0, $1, at: now) }
    }
    return effects
  }

  // MARK: The lifeline

  /// A server has told the device to be silent.
  private var isSilent: Bool {
    (settings.sendInterval == nil && setByServer.contains("send_interval"))
      || (settings.main.trackingMode == .off && setByServer.contains("main.tracking_mode"))
  }

  /// The same, and nobody allowed it to do so for good.
  var isSilenced: Bool { isSilent && !settings.allowsRemoteShutdown }

  /// Whether a server is asked although there may be nothing to send: one that has silenced the device, and one whose
  /// change is on trial, since a device that lies still may have nothing to send for days.
  var needsLifeline: Bool { isTracking && (isSilenced || (trial != nil && !isSilent)) }

  mutating func settleLifeline(at now: Date) -> [Effect] {
    if needsLifeline, lifelineAt == nil {
      let due = now.addingTimeInterval(Self.lifelineInterval)
      lifelineAt = due
      return [.setTimer(.lifeline, due)]
    }
    if !needsLifeline, lifelineAt != nil {
      lifelineAt = nil
      return [.cancelTimer(.lifeline)]
    }
    return []
  }

  mutating func lifeline(at now: Date) -> [Effect] {
    lifelineAt = nil
    guard needsLifeline else { return [] }
    var effects: [Effect] = []
    for plan in plans where plan.changesSettings && (isSilenced || plan.id == trial?.endpoint) {
      guard var sending = sendings[plan.id], sending.ask(terms(plan), at: now) else { continue }
      sendings[plan.id] = sending
      if sendTimers.removeValue(forKey: plan.id) != nil { effects.append(.cancelTimer(.send(plan.id))) }
      effects.append(.upload(plan.id, request(plan, isAsking: true)))
    }
    return effects
  }
}
