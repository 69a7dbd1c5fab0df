extension World {
  mutating func planNetwork() {
    if networkStep < script.steps.count { set(.network, at: script.steps[networkStep].start) }
  }

  mutating func networkChanged() -> WorldEvent? {
    scripted = script.steps[networkStep].condition
    networkStep += 1
    planNetwork()
    return follow()
  }

  /// The network as the owner's switches leave it.
  private mutating func follow() -> WorldEvent? {
    var condition = scripted
    if condition.kind == .wifi, !switches.wifi { condition = .lte }
    if switches.aeroplane, condition.kind != .wifi { condition = .offline }
    if !switches.cellular, condition.kind != .wifi { condition = .offline }
    if switches.captive, condition.kind == .wifi { condition.isCaptive = true }
    if condition.kind != .none, condition.kind != .wifi, switches.signalCost != 1 { condition.signalCost = switches.signalCost }
    guard condition != network else { return nil }
    let isOther = condition.kind != network.kind
    network = condition
    if isOther { lose() }
    return isAlive ? .network(condition) : nil
  }

  mutating func followRadio() {
    set(radioPart, radio.power)
    set(.radio, at: radio.nextChange)
  }

  mutating func planTransfer() {
    if let first = transfers.first { set(.transfer, at: first.end) } else { cancel(.transfer) }
  }

  mutating func transferEnded() -> WorldEvent? {
    guard let first = transfers.first else { return nil }
    transfers.removeFirst()
    planTransfer()
    return .transferred(first.transfer, isComplete: true)
  }

  /// The connection is gone, and with it what was under way.
  mutating func lose() {
    radio.cut()
    followRadio()
    ready += transfers.map { .transferred($0.transfer, isComplete: false) }
    transfers = []
    planTransfer()
  }

  mutating func planHazard() {
    if nextHazard < hazards.lines.count { set(.hazard, at: start + hazards.lines[nextHazard].after) }
  }

  mutating func hazard() -> WorldEvent? {
    let hazard = hazards.lines[nextHazard].hazard
    nextHazard += 1
    planHazard()
    if let change = apply(hazard) { ready.insert(change, at: 0) }
    return .hazard(hazard)
  }

  /// The world's own part of a hazard, whether it is of the script or comes from whoever runs it.
  /// - Returns: the change of the network, or of what the motion chip sees, that it brought.
  @discardableResult
  public mutating func apply(_ hazard: Hazard) -> WorldEvent? {
    switch hazard {
    case .aeroplane(let isOn): switches.aeroplane = isOn
    case .wifi(let isOn): switches.wifi = isOn
    case .cellular(let isOn): switches.cellular = isOn
    case .captive(let isOn): switches.captive = isOn
    case .movedRouter(let isOn): coarse.hasMovedRouters = isOn
    case .signal(let cost): switches.signalCost = cost
    case .services(let isOn): setServices(isOn)
    case .flicker(let motion, let seconds): return flicker(motion, seconds: seconds)
    case .charger(let isIn): setCharger(isIn)
    case .batteryLevel(let level):
      settle()
      let charging = battery.charging
      battery = Battery(capacity: battery.capacity, level: level)
      battery.charging = charging
    case .reboot, .upgrade:
      // Everything is off for a moment; who runs the app starts it again.
      stopUpdating()
      cancel(.satellitesOff)
      satellitesOff()
      lose()
    default: break
    }
    return follow()
  }
}

extension MonitoringService {
  var number: PhoneProfile.Number {
    switch self {
    case .visits: .visits
    case .significantChanges: .significantChanges
    case .regionsFar: .regionsFar
    case .regionsNear: .regionsNear
    }
  }
}
