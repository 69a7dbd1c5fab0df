internal import Foundation
internal import GodwitModel

/// What is watched: significant changes, visits, regions and beacons. All of it belongs to the app, and what one manager
/// asked for comes to every one of them, as on Apple's systems.
extension LocationServices {
  /// Whether anything is watched at all now: for an app that runs, or one that may be told at any time.
  var canMonitor: Bool {
    permission.isGranted && (life.isRunning || (permission.isAlways && life.canRun(profile)))
  }

  /// Whether regions are: they need the exact place.
  var watchesRegions: Bool { canMonitor && !accuracy.isReduced }

  /// Seconds that crossings come late: nothing else keeps the radios awake.
  var regionLatency: Double {
    isReceiving ? 0 : profile.regionLatency * slowness
  }

  /// - Parameters:
  ///   - fixes: the positions that the app may know, in order.
  ///   - exact: all of them, as exact as they are.
  mutating func monitor(_ fixes: [Fix], exact: [Fix], at now: Date) -> [Output] {
    guard canMonitor else { return [] }
    var outputs: [Output] = []
    for fix in fixes where watchesSignificantChanges {
      guard significantChanges.take(fix, profile, slowness: slowness) else { continue }
      outputs += tell(.significantChange(fix), at: now)
    }
    for fix in exact {
      for visit in stays.take(fix, at: now, isWatched: watchesVisits, profile, slowness: slowness) {
        outputs += tell(visit, at: now)
      }
      guard !accuracy.isReduced else { continue }
      for crossing in regions.take(fix, at: now, profile, latency: regionLatency) {
        outputs += tell(.crossing(crossing), at: now)
      }
    }
    return outputs
  }

  mutating func tell(_ visit: Visit, at now: Date) -> [Output] {
    tell(.visit(accuracy.isReduced ? ReducedAccuracy.reduced(visit, profile) : visit), at: now)
  }

  /// Tells the app, which is made to run if it does not; what nobody in it has come for yet is kept.
  mutating func tell(_ event: AppLife.Event, at now: Date) -> [Output] {
    if case .crossing(let crossing) = event, !isWanted(crossing) { return [] }
    guard life.isRunning || permission.isAlways else { return [] }
    let told = addressed(event)
    // Who wanted a change and has continuous updates has the position already: nothing to run for.
    if case .significantChange = event, told.isEmpty, clients.contains(where: \.watchesSignificantChanges) {
      return []
    }
    var outputs: [Output] = []
    if permission.isAlways {
      outputs += life.run(for: event.reason, at: now, profile)
      if life.state == .background, permission.usesAlways() { outputs.append(.promptToKeepAlways) }
    }
    if told.isEmpty, profile.monitorsWithoutListener { life.keep(event) }
    return outputs + flush() + told
  }

  /// Whether the app wants to know this crossing.
  private func isWanted(_ crossing: Regions.Crossing) -> Bool {
    crossing.isEntry ? crossing.region.notifyOnEntry : crossing.region.notifyOnExit
  }

  /// Who is told of an event, and how.
  private func addressed(_ event: AppLife.Event) -> [Output] {
    clients.ids.flatMap { id -> [Output] in
      guard let client = clients[id] else { return [] }
      switch event {
      case .significantChange(let fix):
        let isUpdated = life.isRunning && receives(client)
        return client.watchesSignificantChanges && !isUpdated ? [.deliver(id, [fix])] : []
      case .visit(let visit):
        return client.role == .manager && clients.contains(where: \.watchesVisits) ? [.visited(id, visit)] : []
      case .crossing(let crossing): return client.role.takes(crossing.region) ? Self.outputs(crossing, id) : []
      }
    }
  }

  private static func outputs(_ crossing: Regions.Crossing, _ id: ClientID) -> [Output] {
    let state = Output.state(id, crossing.region, crossing.isEntry ? .inside : .outside)
    guard !crossing.isFirst else { return [state] }
    return [crossing.isEntry ? .entered(id, crossing.region) : .exited(id, crossing.region), state]
  }

  // MARK: Managers

  mutating func connect(_ id: ClientID, _ role: Role) -> [Output] {
    clients[id] = Client(role: role)
    // Crossings come to a delegate without being asked for; changes and visits when they are started again.
    let kept = life.takeKept { if case .crossing(let crossing) = $0 { role.takes(crossing.region) } else { false } }
    return [.authorization(id, permission.status)]
      + kept.flatMap { event -> [Output] in
        if case .crossing(let crossing) = event { Self.outputs(crossing, id) } else { [] }
      }
  }

  mutating func disconnect(_ id: ClientID) -> [Output] {
    // Managers of an app that has ended are forgotten already, and what they wanted is not.
    guard clients[id] != nil else { return [] }
    clients[id] = nil
    guard !profile.monitorsWithoutListener else { return [] }
    watchesSignificantChanges = clients.contains(where: \.watchesSignificantChanges)
    watchesVisits = clients.contains(where: \.watchesVisits)
    regions.removeAll(of: id)
    return []
  }

  mutating func watchSignificantChanges(_ id: ClientID, _ isOn: Bool, at now: Date) -> [Output] {
    guard let client = clients[id] else { return [] }
    clients[id]?.watchesSignificantChanges = isOn
    let wasOn = watchesSignificantChanges
    watchesSignificantChanges = clients.contains(where: \.watchesSignificantChanges)
    if !wasOn { significantChanges = SignificantChanges() }
    guard isOn, permission.isGranted else {
      return isOn && permission.status != .notDetermined ? refusal(of: id) : []
    }
    let kept = life.takeKept { if case .significantChange = $0 { true } else { false } }
    let fixes = kept.compactMap { event -> Fix? in
      if case .significantChange(let fix) = event { fix } else { nil }
    }
    if !fixes.isEmpty { return [.deliver(id, fixes)] }
    // The first call is usually with a position from before.
    guard let last, !client.watchesSignificantChanges, !receives(client) else { return [] }
    if !wasOn { _ = significantChanges.take(last, profile, slowness: slowness) }
    return [.deliver(id, [last])]
  }

  mutating func watchVisits(_ id: ClientID, _ isOn: Bool, at now: Date) -> [Output] {
    guard clients[id] != nil else { return [] }
    clients[id]?.watchesVisits = isOn
    watchesVisits = clients.contains(where: \.watchesVisits)
    guard isOn else { return [] }
    let kept = life.takeKept { if case .visit = $0 { true } else { false } }
    return kept.compactMap { if case .visit(let visit) = $0 { .visited(id, visit) } else { nil } }
  }

  // MARK: Regions

  mutating func stopWatching(_ id: ClientID, _ identifier: String) {
    let monitor: String? = if case .monitor(let name) = clients[id]?.role { name } else { nil }
    regions.remove(Regions.Name(monitor: monitor, identifier: identifier))
  }

  /// The app has run and stops: what became of conditions of a monitor that it did not make is lost, and they are watched no
  /// more (Apple's documentation of `CLMonitor`).
  mutating func lapse() {
    let lost = life.takeKept { if case .crossing(let crossing) = $0 { crossing.region.monitor != nil } else { false } }
    for case .crossing(let crossing) in lost { regions.lapse(crossing.region.name) }
  }

  mutating func watch(_ id: ClientID, _ region: Regions.Region) -> [Output] {
    guard let client = clients[id] else { return [] }
    var region = region
    if case .monitor(let name) = client.role { region.monitor = name }
    if let error = refusal(of: region) { return [.watchFailed(id, region, error)] }
    regions.add(region, owner: id, last: known, profile)
    let state = regions.state(of: region, at: known, profile)
    return [.watching(id, region)] + (region.monitor == nil || state == .unknown ? [] : [.state(id, region, state)])
  }

  private func refusal(of region: Regions.Region) -> CLError? {
    if case .circle(_, let radius) = region.shape, !(0...Regions.largest).contains(radius) {
      let reason = "A region of \(radius) m cannot be watched; its radius must be 0 to \(Int(Regions.largest)) m."
      return CLError(.regionMonitoringFailure, reason: reason)
    }
    guard permission.isGranted else {
      return CLError(.regionMonitoringDenied, reason: "The person does not allow regions to be watched.")
    }
    guard !accuracy.isReduced else {
      return CLError(.regionMonitoringDenied, reason: "Regions need the exact place, which the person does not give.")
    }
    guard regions.count < profile.maximumRegions || regions.contains(region.name) else {
      return CLError(
        .regionMonitoringFailure, reason: "A program can have \(profile.maximumRegions) regions watched; stop one first.")
    }
    return nil
  }

  mutating func state(_ id: ClientID, _ region: Regions.Region) -> [Output] {
    guard clients[id] != nil else { return [] }
    let isKnown = permission.isGranted && !accuracy.isReduced
    let state = isKnown ? regions.answer(region, at: known, profile) : .unknown
    return [.state(id, region, state)]
  }

  // MARK: Beacons

  /// Whether calls of ranging are made: only while the app runs.
  var isRanging: Bool {
    life.isRunning && !life.isReleased && permission.isGranted && !accuracy.isReduced
      && clients.contains { !$0.ranging.isEmpty }
  }

  mutating func range(_ id: ClientID, _ identity: Beacons.Identity, _ isOn: Bool, at now: Date) -> [Output] {
    guard var client = clients[id] else { return [] }
    client.ranging.removeAll { $0 == identity }
    if isOn {
      guard permission.isGranted, !accuracy.isReduced else {
        let reason = "Beacons need the exact place, which the person does not give."
        return [.rangingFailed(id, identity, CLError(.rangingUnavailable, reason: reason))]
      }
      client.ranging.append(identity)
    }
    clients[id] = client
    return []
  }

  mutating func hear(_ sightings: [Beacons.Sighting], at now: Date) -> [Output] {
    guard permission.isGranted, !accuracy.isReduced else { return [] }
    beacons.take(sightings, at: now)
    guard watchesRegions else { return [] }
    return regions.take(beacons, at: now, profile).flatMap { tell(.crossing($0), at: now) }
  }

  /// Who is ranging is told; beacons that are watched stay watched, and are heard again by themselves.
  func failBeacons(_ reason: String) -> [Output] {
    clients.ids.flatMap { id -> [Output] in
      (clients[id]?.ranging ?? []).map { .rangingFailed(id, $0, CLError(.rangingUnavailable, reason: reason)) }
    }
  }

  mutating func ranged(at now: Date) -> [Output] {
    guard isRanging, let time = nextRanging, time <= now else { return [] }
    nextRanging = now.addingTimeInterval(Beacons.rangingInterval)
    return clients.ids.flatMap { id -> [Output] in
      (clients[id]?.ranging ?? []).map { .ranged(id, $0, beacons.ranged($0, at: now)) }
    }
  }
}
