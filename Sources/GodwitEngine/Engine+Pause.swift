internal import GodwitModel

internal import struct Foundation.Date

/// Pauses of updates by the system. They are reported, and they end when the device leaves the place. The region for this
/// survives relaunches.
extension Engine {
  mutating func paused(at now: Date) -> [Effect] {
    guard isTracking, pausedSince == nil, policy.state?.startsAndStops != true else { return [] }
    pause.since = now
    var effects = recorder.action("paused_location_updates", at: now)
    if let radius = settings.main.resumeRadius { effects += pause.watchExit(from: lastFix?.coordinate, radius: radius) }
    effects += recorder.notify(.updatesPaused)
    if isOnTrip {
      effects.append(.setTimer(.tripGrace, now.addingTimeInterval(Trips.grace)))
      effects += recorder.notify(.tripPaused)
    }
    return effects + recorder.drain(byUser: false, at: now)
  }

  mutating func resumed(at now: Date) -> [Effect] {
    guard isTracking, pausedSince != nil else { return [] }
    var effects = pause.end(isOnTrip: isOnTrip)
    effects += recorder.action("resumed_location_updates", at: now)
    return effects + recorder.notify(.updatesResumed)
  }

  mutating func leftRegion(at now: Date) -> [Effect] {
    guard pause.watchesExit else { return [] }
    var effects = recorder.action("exited_pause_region", at: now)
    effects += pause.end(isOnTrip: isOnTrip)
    guard isTracking else { return effects }
    effects += configure(again: true)
    return effects + recorder.notify(.pausePlaceLeft)
  }
}
