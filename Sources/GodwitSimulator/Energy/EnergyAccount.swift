/// A consumer of energy in the phone.
public enum EnergyPart: Int, Sendable, Hashable, Codable, CaseIterable {
  case standby
  /// The processor while the app runs or keeps the phone awake.
  case processor
  case satellites
  case wifiScans
  case cellPositions
  /// Monitoring of visits, regions and significant changes.
  case monitoring
  case motion
  case beacons
  /// Data over the mobile network.
  case mobileData
  case wifiData
  /// The delivery of positions to the app.
  case delivery
}

/// Adds up the energy of each part over time. The sums use whole numbers, so that nothing drifts: the energy of each part and of
/// the whole phone does not depend on how the time is split, and the parts add up to the total, to the last picojoule.
public struct EnergyAccount: Sendable {
  private struct Line: Sendable {
    var power = Power.zero
    var since: SimulatedTime
    var used = Energy.zero
  }

  private var lines: [Line]
  /// All parts together. This total is maintained separately instead of being summed from the parts.
  private var all: Line

  public init(from start: SimulatedTime) {
    lines = EnergyPart.allCases.map { _ in Line(since: start) }
    all = Line(since: start)
  }

  /// Sets the power of a part from a time on. A time before the last change counts as the time of the last change.
  public mutating func set(_ part: EnergyPart, _ power: Power, at time: SimulatedTime) {
    let index = part.rawValue
    guard lines[index].power != power else { return }
    let timestamp = max(time, all.since)
    Self.accumulate(&lines[index], at: timestamp)
    Self.accumulate(&all, at: timestamp)
    all.power = all.power + power - lines[index].power
    lines[index].power = power
  }

  /// Adds energy that is used at once, such as that of a scan or a wake-up.
  public mutating func add(_ part: EnergyPart, _ energy: Energy) {
    lines[part.rawValue].used += energy
    all.used += energy
  }

  /// Returns the current power of a part.
  public func power(of part: EnergyPart) -> Power { lines[part.rawValue].power }
  /// The current power of the whole phone.
  public var power: Power { all.power }

  /// Returns the energy that a part used since the start.
  public func used(by part: EnergyPart, until time: SimulatedTime) -> Energy { Self.sum(lines[part.rawValue], at: time) }
  /// Returns the energy that the whole phone used since the start.
  public func used(until time: SimulatedTime) -> Energy { Self.sum(all, at: time) }

  private static func accumulate(_ line: inout Line, at time: SimulatedTime) {
    line.used = sum(line, at: time)
    line.since = max(line.since, time)
  }

  private static func sum(_ line: Line, at time: SimulatedTime) -> Energy {
    line.used + line.power.energy(from: line.since, to: max(line.since, time))
  }
}
