/// What of the phone uses energy.
public enum EnergyPart: Int, Sendable, Hashable, Codable, CaseIterable {
  case standby
  /// The app, kept from sleeping and running.
  case processor
  case satellites
  case wifiScans
  case cellPositions
  /// Visits, regions, significant changes.
  case monitoring
  case motion
  case beacons
  /// Mobile network and wifi, for data.
  case mobileData
  case wifiData
  /// The delivery of positions to the app.
  case delivery
}

/// Adds up energy by part, over time. In whole numbers, so that nothing drifts: however the time is cut, every part comes to
/// the same, and the parts come to the total, to the last picojoule.
public struct EnergyAccount: Sendable {
  private struct Line: Sendable {
    var power = Power.zero
    var since: SimulatedTime
    var used = Energy.zero
  }

  private var lines: [Line]
  /// Of all parts, kept by itself and not added up from them.
  private var all: Line

  public init(from start: SimulatedTime) {
    lines = EnergyPart.allCases.map { _ in Line(since: start) }
    all = Line(since: start)
  }

  /// A part's power from now on. Time does not go back: an earlier moment than the last counts as the last.
  public mutating func set(_ part: EnergyPart, _ power: Power, at time: SimulatedTime) {
    let index = part.rawValue
    guard lines[index].power != power else { return }
    let timestamp = max(time, all.since)
    Self.accumulate(&lines[index], at: timestamp)
    Self.accumulate(&all, at: timestamp)
    all.power = all.power + power - lines[index].power
    lines[index].power = power
  }

  /// Energy used at once: a scan, a wake-up.
  public mutating func add(_ part: EnergyPart, _ energy: Energy) {
    lines[part.rawValue].used += energy
    all.used += energy
  }

  /// A part's power now.
  public func power(of part: EnergyPart) -> Power { lines[part.rawValue].power }
  /// The whole phone's power now.
  public var power: Power { all.power }

  /// Used by a part since the beginning.
  public func used(by part: EnergyPart, until time: SimulatedTime) -> Energy { Self.sum(lines[part.rawValue], at: time) }
  /// Used by the whole phone since the beginning.
  public func used(until time: SimulatedTime) -> Energy { Self.sum(all, at: time) }

  private static func accumulate(_ line: inout Line, at time: SimulatedTime) {
    line.used = sum(line, at: time)
    line.since = max(line.since, time)
  }

  private static func sum(_ line: Line, at time: SimulatedTime) -> Energy {
    line.used + line.power.energy(from: line.since, to: max(line.since, time))
  }
}
