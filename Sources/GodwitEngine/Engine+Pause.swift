internal import GodwitModel

internal import struct Foundation.Date

/// The system's pauses: told, survived, and ended by leaving the place.
extension Engine {
  mutating func paused(at now: Date) -> [Effect] {
    guard isTracking, pausedSince == nil, policy?.startsAndStops != true else { return [] }
    pausedSince = now
    var effects = action("paused_location_updates", at: now)
    if let radius = settings.main.resumeRadius { effects += watchExit(radius: radius) }
    effects += tell(
      Notice(kind: .pause, title: "Tracking paused", body: "The system paused updates because you stand still."))
    if isOnTrip {
      effects.append(.setTimer(.tripGrace, now.addingTimeInterval(Self.tripGrace)))
      effects += tell(
        Notice(
          kind: .endTrip, title: "End the trip?", body: "You stand still. In ten minutes the trip ends by itself.",
          answers: [.endTrip, .keepTrip]))
    }
    return effects + drain(byOwner: false, at: now)
  }

  mutating func watchExit(radius: Meters) -> [Effect] {
    guard let place = lastFix?.coordinate else { return [] }
    watchesExit = true
    return [.watchExit(place, radius: radius)]
  }

  mutating func resumed(at now: Date) -> [Effect] {
    guard isTracking, pausedSince != nil else { return [] }
    var effects = wakeUp()
    effects += action("resumed_location_updates", at: now)
    return effects
      + tell(Notice(kind: .pause, title: "Tracking resumed", body: "The system tells the location again."))
  }

  mutating func leftRegion(at now: Date) -> [Effect] {
    guard watchesExit else { return [] }
    var effects = action("exited_pause_region", at: now)
    effects += wakeUp()
    guard isTracking else { return effects }
    effects += configure(again: true)
    return effects + tell(Notice(kind: .pause, title: "Tracking resumed", body: "You left the place of the pause."))
  }

  mutating func wakeUp() -> [Effect] {
    pausedSince = nil
    var effects: [Effect] = []
    if watchesExit {
      watchesExit = false
      effects.append(.stopWatchingExit)
    }
    if isOnTrip { effects += [.cancelTimer(.tripGrace), .withdraw(.endTrip)] }
    return effects
  }
}
