public import GodwitModel

extension World {
  /// The app wants to know where it is, so exactly. Which radios that means:
  ///
  /// | wanted | radios |
  /// |---|---|
  /// | navigation, best, 10 m | satellites all the time |
  /// | 100 m | wifi scans, more often while moving, and satellites for 12 of 120 seconds then |
  /// | 1 km, 3 km | the cell, and wifi where somebody scanned anyway |
  ///
  /// The last known position, if there is one, is told at once, however old it is; then comes a rough one, and an exact one
  /// when the satellites have been found.
  public mutating func startUpdating(_ accuracy: DesiredAccuracy) {
    guard isAlive, self.accuracy != accuracy else { return }
    let isFirst = self.accuracy == nil
    self.accuracy = accuracy
    guard switches.services else { return }
    for alarm in [Alarm.scan, .cell, .burst] { cancel(alarm) }
    if isFirst { set(.cache, at: now) }
    let rough = now + random.uniform(Self.firstRough)
    switch accuracy {
    case .navigation, .best, .tenMeters:
      turnSatellitesOn()
      if isFirst { set(.scan, at: rough) }
    case .hundredMeters:
      leaveSatellites()
      set(.scan, at: isFirst ? rough : now)
      set(.burst, at: now + Self.burstInterval)
    case .kilometer, .threeKilometers:
      leaveSatellites()
      set(.cell, at: isFirst ? rough : now)
    }
  }

  /// The app wants no more positions. The satellites' receiver stays on for a while, as they do.
  public mutating func stopUpdating() {
    guard accuracy != nil else { return }
    accuracy = nil
    for alarm in [Alarm.scan, .cell, .burst, .cache] { cancel(alarm) }
    leaveSatellites()
  }

  private var wantsSatellites: Bool {
    switch accuracy {
    case .navigation, .best, .tenMeters: true
    default: false
    }
  }

  private mutating func turnSatellitesOn() {
    cancel(.satellitesOff)
    satellites.turnOn(at: now, truth: truth(), isAssisted: network.isReachable)
    if satellites.nextTick != .never { set(.satellites, at: satellites.nextTick) }
    followSatellites()
  }

  private mutating func leaveSatellites() {
    guard satellites.isOn else { return }
    set(.satellitesOff, at: now + phone[.satelliteOffDelay])
  }

  mutating func satellitesOff() {
    satellites.turnOff()
    cancel(.satellites)
    followSatellites()
  }

  private mutating func followSatellites() {
    let power: Power =
      !satellites.isOn
      ? .zero
      : phone.power(
        satellites.isSearching ? .satelliteSearch : accuracy == .navigation ? .satellitesForNavigation : .satellites)
    if account.power(of: .satellites) != power { set(.satellites, power) }
  }

  /// With 100 m: a look at the satellites now and then, while moving.
  mutating func burst() {
    guard accuracy == .hundredMeters else { return }
    set(.burst, at: now + Self.burstInterval)
    guard truth().isMoving, !satellites.isOn else { return }
    turnSatellitesOn()
    set(.satellitesOff, at: now + Self.burstLength)
  }

  mutating func satelliteTick() -> WorldEvent? {
    let fix = satellites.tick(at: now, truth: truth(), isAssisted: network.isReachable)
    set(.satellites, at: satellites.nextTick)
    followSatellites()
    guard let fix else {
      // Under a roof the place is still wanted, and networks have to do.
      if satellites.isSearching, wantsSatellites, tickets[Alarm.scan.rawValue] == nil { planScan() }
      return nil
    }
    cached = fix
    // The rest of its off-delay it works for nobody.
    guard wantsSatellites || accuracy == .hundredMeters else { return nil }
    return .position(fix, .satellites)
  }

  mutating func scan() -> WorldEvent? {
    let truth = truth()
    if accuracy == .hundredMeters || (wantsSatellites && satellites.isSearching) { planScan() }
    if switches.wifi {
      spend(.wifiScans, phone.energy(.wifiScan))
      if let fix = coarse.wifi(at: now, truth: truth) { return rough(fix, .wifi) }
    }
    return rough(hasCells ? coarse.cell(at: now, truth: truth) : nil, .cell)
  }

  private mutating func planScan() { set(.scan, at: now + phone[truth().isMoving ? .wifiScanMoving : .wifiScanStill]) }

  mutating func cell() -> WorldEvent? {
    let truth = truth()
    set(.cell, at: now + phone[.cellPositionInterval])
    guard hasCells else { return nil }
    spend(.cellPositions, phone.energy(.cellPosition))
    // Half of the time somebody else has scanned for wifi just now (assumed).
    if switches.wifi, random.happens(0.5), let fix = coarse.wifi(at: now, truth: truth) { return rough(fix, .wifi) }
    return rough(coarse.cell(at: now, truth: truth), .cell)
  }

  /// A phone with its mobile radio off hears no cells.
  private var hasCells: Bool { switches.cellular && !switches.aeroplane }

  /// A position without satellites. While they work, it comes too late to be of use.
  private mutating func rough(_ fix: Fix?, _ origin: PositionOrigin) -> WorldEvent? {
    guard let fix, accuracy != nil, !satellites.isOn || satellites.isSearching else { return nil }
    cached = fix
    return .position(fix, origin)
  }

  /// Location services were switched on or off for the whole phone.
  mutating func setServices(_ isOn: Bool) {
    guard switches.services != isOn else { return }
    switches.services = isOn
    guard let wanted = accuracy else { return }
    if isOn {
      accuracy = nil
      startUpdating(wanted)
    } else {
      for alarm in [Alarm.scan, .cell, .burst, .cache, .satellitesOff] { cancel(alarm) }
      satellitesOff()
    }
  }

  mutating func set(_ alarm: Alarm, at time: SimulatedTime) {
    cancel(alarm)
    guard time != .never else { return }
    tickets[alarm.rawValue] = schedule.plan(alarm, at: time, rank: alarm.rawValue)
  }

  mutating func cancel(_ alarm: Alarm) {
    guard let ticket = tickets[alarm.rawValue] else { return }
    schedule.cancel(ticket)
    tickets[alarm.rawValue] = nil
  }
}
