internal import GodwitModel

/// Which radio networks besides satellites the phone can receive now.
struct Reception: Sendable {
  var hasWifi: Bool
  var hasCells: Bool
  /// Whether a network provides the satellites' orbits.
  var isAssisted: Bool
}

/// The phone's location sources: satellites, wifi and cells. The accuracy that the app requests determines which of them are on:
///
///  accuracy | sources |
/// |---|---|
/// | navigation, best, 10 m | satellites all the time |
/// | 100 m | wifi scans, more often while moving, and satellites for 12 of 120 seconds then |
///  1 km, 3 km | the cell, and wifi if another app has scanned recently |
struct Locating: Sendable {
  // Seconds. With 100 m, satellites are on for a tenth of the time while moving.
  private static let burstInterval = 120.0
  private static let burstLength = 12.0
  /// Seconds until the first coarse position.
  private static let firstRough: ClosedRange<Double> = 0.5...2

  /// The requested accuracy; `nil` while location is off.
  private(set) var accuracy: DesiredAccuracy?
  /// The last position; it is reported again when updates start.
  private(set) var cached: Fix?
  /// Whether the location services of the phone are on.
  private var isSwitchedOn = true
  /// Whether the system's restrictions at rest keep the receivers off.
  private var isAsleep = false
  private var satellites: SatelliteReceiver
  private var coarse: CoarsePositions
  private var random: RandomSource

  init(seed: UInt64) {
    satellites = SatelliteReceiver(seed: seed)
    coarse = CoarsePositions(seed: seed)
    random = RandomSource(seed: seed, stream: "world")
  }

  // MARK: On and off

  mutating func start(_ accuracy: DesiredAccuracy, _ reception: Reception, _ board: inout Mainboard) {
    guard board.isOn, self.accuracy != accuracy else { return }
    let isFirst = self.accuracy == nil
    self.accuracy = accuracy
    guard isAvailable else { return }
    board.cancel([.scan, .cell, .burst])
    if isFirst { board.set(.cache, at: board.time) }
    let rough = board.time + random.uniform(Self.firstRough)
    switch accuracy {
    case .navigation, .best, .tenMeters:
      turnSatellitesOn(reception, &board)
      if isFirst { board.set(.scan, at: rough) }
    case .hundredMeters:
      leaveSatellites(&board)
      board.set(.scan, at: isFirst ? rough : board.time)
      board.set(.burst, in: Self.burstInterval)
    case .kilometer, .threeKilometers:
      leaveSatellites(&board)
      board.set(.cell, at: isFirst ? rough : board.time)
    }
  }

  /// Ends the request for positions. The satellite receiver stays on for its off-delay.
  mutating func stop(_ board: inout Mainboard) {
    guard accuracy != nil else { return }
    accuracy = nil
    board.cancel([.scan, .cell, .burst, .cache])
    leaveSatellites(&board)
  }

  /// Turns everything off because the phone has no power.
  mutating func turnOff(_ board: inout Mainboard) {
    accuracy = nil
    satellitesOff(&board)
  }

  /// Turns everything off because the phone restarts.
  mutating func restart(_ board: inout Mainboard) {
    stop(&board)
    board.cancel(.satellitesOff)
    satellitesOff(&board)
  }

  /// Switches the location services of the phone on or off.
  mutating func switchServices(_ isOn: Bool, _ reception: Reception, _ board: inout Mainboard) {
    change(reception, &board) { $0.isSwitchedOn = isOn }
  }

  /// Suspends or resumes the receivers because the phone becomes idle or active. Requests persist.
  mutating func setAsleep(_ isAsleep: Bool, _ reception: Reception, _ board: inout Mainboard) {
    change(reception, &board) { $0.isAsleep = isAsleep }
  }

  private var isAvailable: Bool { isSwitchedOn && !isAsleep }

  private mutating func change(_ reception: Reception, _ board: inout Mainboard, _ body: (inout Locating) -> Void) {
    let wasAvailable = isAvailable
    body(&self)
    guard isAvailable != wasAvailable, let wanted = accuracy else { return }
    if isAvailable {
      accuracy = nil
      start(wanted, reception, &board)
    } else {
      board.cancel([.scan, .cell, .burst, .cache, .satellitesOff])
      satellitesOff(&board)
    }
  }

  /// Sets whether the positions of nearby wifi routers in the system's database are wrong.
  mutating func moveRouters(_ haveMoved: Bool) { coarse.hasMovedRouters = haveMoved }

  // MARK: Satellites

  private var wantsSatellites: Bool {
    switch accuracy {
    case .navigation, .best, .tenMeters: true
    default: false
    }
  }

  private mutating func turnSatellitesOn(_ reception: Reception, _ board: inout Mainboard) {
    board.cancel(.satellitesOff)
    satellites.turnOn(at: board.time, truth: board.truth(), isAssisted: reception.isAssisted)
    if satellites.nextTick != .never { board.set(.satellites, at: satellites.nextTick) }
    followSatellites(&board)
  }

  private func leaveSatellites(_ board: inout Mainboard) {
    guard satellites.isOn else { return }
    board.set(.satellitesOff, in: board.phone[.satelliteOffDelay])
  }

  mutating func satellitesOff(_ board: inout Mainboard) {
    satellites.turnOff()
    board.cancel(.satellites)
    followSatellites(&board)
  }

  private func followSatellites(_ board: inout Mainboard) {
    let power: Power =
      !satellites.isOn
      ? .zero
      : board.phone.power(
        satellites.isSearching ? .satelliteSearch : accuracy == .navigation ? .satellitesForNavigation : .satellites)
    if board.power.account.power(of: .satellites) != power { board.set(.satellites, power) }
  }

  /// With 100 m, turns the satellite receiver on for a short time while moving.
  mutating func burst(_ reception: Reception, _ board: inout Mainboard) {
    guard accuracy == .hundredMeters else { return }
    board.set(.burst, in: Self.burstInterval)
    guard board.truth().isMoving, !satellites.isOn else { return }
    turnSatellitesOn(reception, &board)
    board.set(.satellitesOff, in: Self.burstLength)
  }

  mutating func satelliteTick(_ reception: Reception, _ board: inout Mainboard) -> WorldEvent? {
    let fix = satellites.tick(at: board.time, truth: board.truth(), isAssisted: reception.isAssisted)
    board.set(.satellites, at: satellites.nextTick)
    followSatellites(&board)
    guard let fix else {
      // Indoors, positions of networks replace those of satellites.
      if satellites.isSearching, wantsSatellites, !board.isSet(.scan) { planScan(&board) }
      return nil
    }
    cached = fix
    // Positions during the receiver's off-delay are not used.
    guard wantsSatellites || accuracy == .hundredMeters else { return nil }
    return .position(fix, .satellites)
  }

  // MARK: Wifi and cells

  mutating func scan(_ reception: Reception, _ board: inout Mainboard) -> WorldEvent? {
    let truth = board.truth()
    if accuracy == .hundredMeters || (wantsSatellites && satellites.isSearching) { planScan(&board) }
    if reception.hasWifi {
      board.spend(.wifiScans, board.phone.energy(.wifiScan))
      if let fix = coarse.wifi(at: board.time, truth: truth) { return rough(fix, .wifi) }
    }
    return rough(reception.hasCells ? coarse.cell(at: board.time, truth: truth) : nil, .cell)
  }

  private func planScan(_ board: inout Mainboard) {
    board.set(.scan, in: board.phone[board.truth().isMoving ? .wifiScanMoving : .wifiScanStill])
  }

  mutating func cell(_ reception: Reception, _ board: inout Mainboard) -> WorldEvent? {
    let truth = board.truth()
    board.set(.cell, in: board.phone[.cellPositionInterval])
    guard reception.hasCells else { return nil }
    board.spend(.cellPositions, board.phone.energy(.cellPosition))
    // In half of the cases another app has scanned for wifi recently (assumed).
    if reception.hasWifi, random.happens(0.5), let fix = coarse.wifi(at: board.time, truth: truth) {
      return rough(fix, .wifi)
    }
    return rough(coarse.cell(at: board.time, truth: truth), .cell)
  }

  /// Returns a position without satellites. It is ignored while the satellite receiver has fixes.
  private mutating func rough(_ fix: Fix?, _ origin: PositionOrigin) -> WorldEvent? {
    guard let fix, accuracy != nil, !satellites.isOn || satellites.isSearching else { return nil }
    cached = fix
    return .position(fix, origin)
  }

  /// Returns the coarse position that the system measures for monitoring while the app requests none.
  /// - Parameter isNear: Whether the boundary of a region is near.
  mutating func watched(isNear: Bool, _ reception: Reception, _ board: inout Mainboard) -> WorldEvent? {
    guard accuracy == nil, isAvailable else { return nil }
    let truth = board.truth()
    // At rest the nearby networks are known. While moving far from boundaries, a recent wifi scan is missing in half of the cases
    // (assumed).
    let isSure = isNear || !truth.isMoving
    if reception.hasWifi, isSure || random.happens(0.5), let fix = coarse.wifi(at: board.time, truth: truth) {
      cached = fix
      return .position(fix, .wifi)
    }
    guard reception.hasCells, let fix = coarse.cell(at: board.time, truth: truth) else { return nil }
    cached = fix
    return .position(fix, .cell)
  }
}
