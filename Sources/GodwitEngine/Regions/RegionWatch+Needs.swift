internal import GodwitModel

internal import struct Foundation.Date

/// When fixes are needed, and when it looks again.
extension RegionWatch {
  /// Seconds in one place after which no fixes are asked for: whoever sits beside an edge does not cross it.
  static let restTime = 300.0

  mutating func noteRest(_ fix: Fix) {
    if let rest, GreatCircle.distance(rest.place, fix.coordinate) <= max(Self.step, Self.accuracy(fix)) { return }
    rest = RestingPlace(place: fix.coordinate, since: fix.time)
  }

  func neededAccuracy(at now: Date) -> DesiredAccuracy? {
    guard canMonitor else { return nil }
    if let wantedFix { return wantedFix.accuracy }
    if refusals[RegionIdentifier.horizon.description]?.until != nil { return .hundredMeters }
    guard let needs = plan.needs else { return nil }
    return rest.map { now.timeIntervalSince($0.since) >= Self.restTime } ?? false ? nil : needs
  }

  func nextTime(_ turn: Turn) -> Date? {
    var next = nextStayTime(turn)
    next = .earlier(next, lookAgain)
    for since in lost.values { next = .earlier(next, since.addingTimeInterval(Self.lostTime)) }
    for refusal in refusals.values { next = .earlier(next, refusal.until) }
    if toldAccuracy != nil, plan.needs != nil, let rest {
      // On the full minute, so that somebody who walks does not move the timer at each step.
      let due = (rest.since.timeIntervalSince1970 + Self.restTime) / 60
      next = .earlier(next, Date(timeIntervalSince1970: due.rounded(.up) * 60))
    }
    return next
  }
}
