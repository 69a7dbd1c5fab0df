internal import GodwitModel

/// What the phone can hear just now, besides satellites.
struct Reception: Sendable {
  var hasWifi: Bool
  var hasCells: Bool
  /// Whether the network reports where the satellites are.
  var isAssisted: Bool
}

/// Where the phone finds itself: satellites, wifi and cells, turned on and off by the accuracy that the app requests. Which radios
/// that means:
///
/// | wanted | radios |
/// |---|---|
/// | navigation, best, 10 m | satellites all the time |
/// | 100 m | wifi scans, more often while moving, and satellites for 12 of 120 seconds then |
/// | 1 km, 3 km | the cell, and wifi where another app has scanned anyway |
struct Locating: Sendable {
  // Seconds. With 100 m, satellites are on for a tenth of the time while moving.
  private static let burstInterval = 120.0
  private static let burstLength = 12.0
  /// A first rough position comes so soon.
  private static let firstRough: ClosedRange<Double> = 0.5...2

  /// The requested accuracy; nil while location is off.
  private(set) var accuracy: DesiredAccuracy?
  /// The last position; it is reported again when updates start.
  private(set) var cached: Fix?
  /// Location services of the whole phone.
  private var isSwitchedOn = true
  /// The system's rules at rest keep the radios off.
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

  /// The satellites' receiver stays on for a while.
  mutating func stop(_ board: inout Mainboard) {
    guard accuracy != nil else { return }
    accuracy = nil
    board.cancel([.scan, .cell, .burst, .cache])
    leaveSatellites(&board)
  }

  /// The phone's power is gone.
  mutating func turnOff(_ board: inout Mainboard) {
    accuracy = nil
    satellitesOff(&board)
  }

  /// The phone starts again; everything is off for an instant.
  mutating func restart(_ board: inout Mainboard) {
    stop(&board)
    board.cancel(.satellitesOff)
    satellitesOff(&board)
  }

  /// Location services were switched on or off for the whole phone.
  mutating func switchServices(_ isOn: Bool, _ reception: Reception, _ board: inout Mainboard) {
    change(reception, &board) { $0.isSwitchedOn = isOn }
  }

  /// The system sleeps at rest, or wakes up; the requests stay.
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

  /// The networks' places in the system's table are wrong from now on, or right again.
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

  /// With 100 m: a look at the satellites now and then, while moving.
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
      // Under a roof the place is still wanted, and networks have to do.
      if satellites.isSearching, wantsSatellites, !board.isSet(.scan) { planScan(&board) }
      return nil
    }
    cached = fix
    // During the rest of its off-delay its positions are not used.
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
    // Half of the time another app has scanned for wifi just now (assumed).
    if reception.hasWifi, random.happens(0.5), let fix = coarse.wifi(at: board.time, truth: truth) {
      return rough(fix, .wifi)
    }
    return rough(coarse.cell(at: board.time, truth: truth), .cell)
  }

  /// A position without satellites. While they work, it comes too late to be of use.
  private mutating func rough(_ fix: Fix?, _ origin: PositionOrigin) -> WorldEvent? {
    guard let fix, accuracy != nil, !satellites.isOn || satellites.isSearching else { return nil }
    cached = fix
    return .position(fix, origin)
  }

  /// The rough position that the system learns for what it watches, while no better one is requested.
  /// - Parameter isNear: whether the boundary of a region is near.
  mutating func watched(isNear: Bool, _ reception: Reception, _ board: inout Mainboard) -> WorldEvent? {
    guard accuracy == nil, isAvailable else { return nil }
    let truth = board.truth()
    // At rest the networks around are known. In motion and far from boundaries, half of the time there was no scan for wifi just now
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
