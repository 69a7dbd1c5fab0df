public import GodwitModel

/// What the phone does by itself all the time: it looks out for what is watched, and its motion chip senses.
extension World {
  // Seconds (assumed): so often the system learns where it is for what it watches, at rest, on the way, and on the way near the
  // boundary of a region. What it costs is in the powers of what is watched.
  static let watchAtRest = 120.0
  static let watchOnTheWay = 60.0
  static let watchNearBoundary = 20.0

  /// The system watches so many things at the same time; it then tells rough positions, also while nobody wants any.
  /// ``MonitoringService/regionsNear`` costs something only on the way.
  /// A phone without power watches nothing, and has to be asked anew when it is on again.
  public mutating func setMonitoring(_ services: Set<MonitoringService>) {
    guard isAlive else { return }
    let before = watched
    watched = services
    chargeWatching()
    guard services != before else { return }
    if services.isEmpty { cancel(.watch) } else { planWatch() }
  }

  private mutating func chargeWatching() {
    let isMoving = seen.map(Self.isMoving) ?? false
    set(.monitoring, watched.reduce(.zero) { $1 == .regionsNear && !isMoving ? $0 : $0 + phone.power($1.number) })
  }

  private mutating func planWatch() {
    let isMoving = seen.map(Self.isMoving) ?? false
    let seconds =
      !isMoving ? Self.watchAtRest : watched.contains(.regionsNear) ? Self.watchNearBoundary : Self.watchOnTheWay
    set(.watch, at: now + seconds)
  }

  mutating func watch() -> WorldEvent? {
    planWatch()
    // Whoever wants positions gets better ones.
    guard accuracy == nil, switches.services else { return nil }
    let truth = truth()
    // At rest the networks around are known. On the way and far from boundaries, half of the time nobody has scanned for
    // wifi just now (assumed).
    let isSure = watched.contains(.regionsNear) || !truth.isMoving
    if switches.wifi, isSure || random.happens(0.5), let fix = coarse.wifi(at: now, truth: truth) {
      cached = fix
      return .position(fix, .wifi)
    }
    guard switches.cellular, !switches.aeroplane, let fix = coarse.cell(at: now, truth: truth) else { return nil }
    cached = fix
    return .position(fix, .cell)
  }

  // MARK: Beacons

  /// The system listens for beacons from now on, seldom or once a second.
  public mutating func setBeacons(_ use: BeaconUse) {
    guard isAlive, use != beaconUse else { return }
    beaconUse = use
    set(.beacons, use == .none ? .zero : phone.power(use == .monitoring ? .beaconMonitoring : .beaconRanging))
    if use == .none || ear.beacons.isEmpty { cancel(.beacons) } else { set(.beacons, at: now) }
  }

  mutating func listen() -> WorldEvent? {
    set(.beacons, at: now + (beaconUse == .ranging ? BeaconRadio.ranging : BeaconRadio.watching))
    let heard = ear.listen(at: truth().coordinate)
    return heard.isEmpty ? nil : .beacons(heard)
  }

  // MARK: Motion

  /// What the motion chip sees; nil before it has looked.
  public var motion: Motion? { seen }

  static func isMoving(_ motion: Motion) -> Bool { motion != .stationary && !motion.isEmpty }

  /// Seconds that a motion must last until the chip is sure of it (assumed; cycling and driving are seen late).
  static func delay(of motion: Motion) -> Double {
    if motion.contains(.cycling) || motion.contains(.driving) { return 15 }
    return motion == .stationary ? 10 : 5
  }

  /// What it sees in the beginning is told at once.
  mutating func planMotion() {
    guard let seen else { return set(.motion, at: now) }
    var from = now
    var motion = truth().motion
    // A change that has begun already needs only the rest of its delay; one that is over before that is never seen.
    while true {
      if motion != seen {
        let told = from + Self.delay(of: motion)
        let next = cursor.motionChange(after: from)
        if next.map({ $0.time > told }) ?? true { return set(.motion, at: max(now, told)) }
      }
      guard let next = cursor.motionChange(after: from) else { return cancel(.motion) }
      (from, motion) = (next.time, next.motion)
    }
  }

  /// The motion chip is wrong for some seconds.
  mutating func flicker(_ motion: Motion, seconds: Double) -> WorldEvent? {
    guard isAlive else { return nil }
    let end = now + seconds
    flickerEnd = end
    seen = motion
    chargeWatching()
    set(.motion, at: end)
    return .motion(motion)
  }

  mutating func motionChanged() -> WorldEvent? {
    flickerEnd = nil
    let motion = truth().motion
    guard motion != seen else {
      planMotion()
      return nil
    }
    let wasMoving = seen.map(Self.isMoving) ?? false
    seen = motion
    planMotion()
    chargeWatching()
    if !watched.isEmpty, Self.isMoving(motion) != wasMoving { planWatch() }
    return .motion(motion)
  }
}
