internal import GodwitModel

internal import struct Foundation.Date

/// When fixes are needed, and how exact.
struct FixDemand: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case wantedFix
    case recheckTime = "lookAgain"
    case rest
  }

  private struct WantedFix: Sendable, Hashable, Codable {
    var accuracy: DesiredAccuracy
    var since: Date
  }

  private struct RestingPlace: Sendable, Hashable, Codable {
    var place: Coordinate
    var since: Date
  }

  /// Seconds in one place after which no fixes are asked for: whoever sits beside an edge does not cross it.
  private static let restTime = 300.0
  /// Seconds after which a horizon is looked at again of which a fix says that it cannot have been left.
  private static let recheckInterval = 60.0
  /// Metres of movement that end a rest.
  static let step: Meters = 50

  /// A fix is needed that is not older than this.
  private var wantedFix: WantedFix?
  /// When a fix is asked for because the system says that the horizon was left, and a fix of just now that it was not.
  private var recheckTime: Date?
  /// Where the device has been since when, while fixes are needed.
  private var rest: RestingPlace?

  /// Whether one fix is needed just now.
  var isWaiting: Bool { wantedFix != nil }

  /// Only a fix that is not older than now will do.
  mutating func want(_ accuracy: DesiredAccuracy, at now: Date) {
    if wantedFix.map({ $0.accuracy.meters > accuracy.meters }) ?? true {
      wantedFix = WantedFix(accuracy: accuracy, since: now)
    }
    rest = nil
  }

  /// - Returns: whether it is the fix that was needed.
  mutating func handle(_ fix: Fix, at now: Date) -> Bool {
    let isAtRest = rest.map {
      GreatCircle.distance($0.place, fix.coordinate) <= max(Self.step, DevicePlace.accuracy(fix))
    }
    if isAtRest != true { rest = RestingPlace(place: fix.coordinate, since: fix.time) }
    guard let wanted = wantedFix, fix.time >= wanted.since || now < wanted.since else { return false }
    wantedFix = nil
    return true
  }

  /// The system says that the horizon was left.
  /// - Returns: whether the last fix says the same, so that none is needed.
  mutating func leave(_ horizon: Circle?, _ place: DevicePlace, at now: Date) -> Bool {
    guard let fix = place.fresh(at: now), let horizon else {
      want(.hundredMeters, at: now)
      return false
    }
    let inside = -horizon.distanceToEdge(from: fix.coordinate)
    let age = max(0, now.timeIntervalSince(fix.time))
    if inside < 0 { return true }
    if inside > DevicePlace.accuracy(fix) + age * DevicePlace.fastest {
      recheckTime = recheckTime ?? now.addingTimeInterval(Self.recheckInterval)
    } else {
      want(.hundredMeters, at: now)
    }
    return false
  }

  /// The horizon is another one.
  mutating func horizonChanged() { recheckTime = nil }

  /// The system's place is not the receiver's: both may be at it for long, and must not keep the receiver on.
  mutating func recheck(at now: Date) {
    guard let time = recheckTime, time <= now else { return }
    recheckTime = nil
    want(.hundredMeters, at: now)
  }

  /// Nothing can be monitored.
  mutating func cancel() { (wantedFix, recheckTime) = (nil, nil) }

  /// - Parameters:
  ///   - needs: what the plan needs.
  ///   - isHorizonMissing: whether the system would not monitor the horizon.
  func accuracy(_ needs: DesiredAccuracy?, isHorizonMissing: Bool, at now: Date) -> DesiredAccuracy? {
    if let wantedFix { return wantedFix.accuracy }
    if isHorizonMissing { return .hundredMeters }
    guard let needs else { return nil }
    return rest.map { now.timeIntervalSince($0.since) >= Self.restTime } ?? false ? nil : needs
  }

  /// When something else may be needed.
  /// - Parameter isNeeded: whether fixes are needed for the plan, and are asked for.
  func nextTime(isNeeded: Bool) -> Date? {
    guard isNeeded, let rest else { return recheckTime }
    // On the full minute, so that somebody who walks does not move the timer at each step.
    let due = (rest.since.timeIntervalSince1970 + Self.restTime) / 60
    return .earlier(recheckTime, Date(timeIntervalSince1970: due.rounded(.up) * 60))
  }
}
