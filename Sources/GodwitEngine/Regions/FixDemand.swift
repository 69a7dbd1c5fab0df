internal import GodwitModel

internal import struct Foundation.Date

/// Determines when fixes are needed, and with which accuracy.
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

  /// Seconds in one place after which no fixes are requested: a device at rest does not cross an edge.
  private static let restTime = 300.0
  /// Seconds after which a fix is requested if the system reported an exit of the horizon and the last fix contradicts it.
  private static let recheckInterval = 60.0
  /// Metres of movement that end a rest.
  static let step: Meters = 50

  /// The fix that is needed. It must not be older than `since`.
  private var wantedFix: WantedFix?
  /// The time at which a fix is requested, because the system reported an exit of the horizon and a recent fix contradicts it.
  private var recheckTime: Date?
  /// The place where the device is at rest, and the time since when, while fixes are needed.
  private var rest: RestingPlace?

  /// Whether a single fix is needed at present.
  var isWaiting: Bool { wantedFix != nil }

  /// Requests a fix that is not older than `now`.
  mutating func want(_ accuracy: DesiredAccuracy, at now: Date) {
    if wantedFix.map({ $0.accuracy.meters > accuracy.meters }) ?? true {
      wantedFix = WantedFix(accuracy: accuracy, since: now)
    }
    rest = nil
  }

  /// Handles a fix. - Returns: whether it is the fix that was needed.
  mutating func handle(_ fix: Fix, at now: Date) -> Bool {
    let isAtRest = rest.map {
      GreatCircle.distance($0.place, fix.coordinate) <= max(Self.step, DevicePlace.accuracy(fix))
    }
    // A rest from before the clock was set back starts again.
    if isAtRest != true || rest.map({ $0.since > now }) ?? false {
      rest = RestingPlace(place: fix.coordinate, since: fix.time)
    }
    guard let wanted = wantedFix, fix.time >= wanted.since || now < wanted.since else { return false }
    wantedFix = nil
    return true
  }

  /// Handles a report of the system that the device left the horizon.
  /// - Returns: whether the last fix confirms it, so that no fix is needed.
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

  /// Handles a change of the horizon.
  mutating func horizonChanged() { recheckTime = nil }

  /// Requests the fix that is due. The positions of the system and of the receiver may differ near the horizon for long, and that
  /// must not keep the receiver on.
  mutating func recheck(at now: Date) {
    // The clock may have been set back.
    guard let time = recheckTime, time <= now || time > now.addingTimeInterval(Self.recheckInterval) else { return }
    recheckTime = nil
    want(.hundredMeters, at: now)
  }

  /// Cancels the requests, because nothing can be monitored.
  mutating func cancel() { (wantedFix, recheckTime) = (nil, nil) }

  /// Returns the accuracy of the fixes that are needed; `nil`: none are needed.
  /// - Parameters:
  ///   - needs: the accuracy that the plan needs.
  ///   - isHorizonMissing: whether the system does not monitor the horizon.
  func accuracy(_ needs: DesiredAccuracy?, isHorizonMissing: Bool, at now: Date) -> DesiredAccuracy? {
    if let wantedFix { return wantedFix.accuracy }
    if isHorizonMissing { return .hundredMeters }
    guard let needs else { return nil }
    return rest.map { now.timeIntervalSince($0.since) >= Self.restTime } ?? false ? nil : needs
  }

  /// Returns the next time at which the demand may change; `nil`: it does not change by time.
  /// - Parameter isNeeded: whether the plan needs fixes and they are requested.
  func nextTime(isNeeded: Bool) -> Date? {
    guard isNeeded, let rest else { return recheckTime }
    // Rounded up to the full minute, so that the timer does not move with each step of a walk.
    let due = (rest.since.timeIntervalSince1970 + Self.restTime) / 60
    return .earlier(recheckTime, Date(timeIntervalSince1970: due.rounded(.up) * 60))
  }
}
