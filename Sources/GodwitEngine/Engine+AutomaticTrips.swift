internal import GodwitModel

internal import struct Foundation.Date

/// Trips that begin when the motion chip sees their motion, and end when it has not seen it for a while: somebody who
/// records only rides never has to touch the program.
extension Engine {
  mutating func motionChanged(_ motion: Motion, isSure: Bool, at now: Date) -> [Effect] {
    context.motion = motion
    return followMotion(isSure: isSure, at: now) + tellPolicy(.motion(motion, isSure: isSure), at: now)
  }

  mutating func followMotion(isSure: Bool, at now: Date) -> [Effect] {
    guard isTracking, settings.startsTripsByMotion else { return [] }
    guard let trip else {
      guard isSure, moves(as: settings.tripMode) else { return [] }
      return startTrip(settings.tripMode, at: now, byMotion: true)
        + tell(Notice(kind: .trip, title: "Trip began", body: "It ends by itself when you rest.", answers: [.endTrip]))
    }
    guard isOnTrip, trip.beganByMotion else { return [] }
    if moves(as: trip.mode) {
      guard trip.rest != nil else { return [] }
      self.trip?.rest = nil
      return [.keepTrip(keptTrip), .cancelTimer(.tripRest)]
    }
    return trip.rest == nil ? rest(from: now, at: now) : []
  }

  /// Whoever stands at a light is still on a trip, but does not move.
  private func moves(as mode: TripMode) -> Bool {
    !context.motion.intersection(mode.motion).isEmpty && !context.motion.contains(.stationary)
  }

  private mutating func rest(from since: Date, at now: Date) -> [Effect] {
    trip?.beginRest(at: since)
    return [.keepTrip(keptTrip), .setTimer(.tripRest, now.addingTimeInterval(settings.tripRest))]
  }

  /// A program that begins does not know what happened meanwhile: the trip goes on only if its motion is seen.
  mutating func restAfterLaunch(at now: Date) -> [Effect] {
    guard isOnTrip, let trip, trip.beganByMotion else { return [] }
    guard trip.rest == nil else { return [.setTimer(.tripRest, now.addingTimeInterval(settings.tripRest))] }
    return rest(from: trip.lastFix?.time ?? trip.start, at: now)
  }

  mutating func tripRestOver(at now: Date) -> [Effect] {
    guard isOnTrip, let rest = trip?.rest else { return [] }
    trip?.cutBack(to: rest)
    return endTrip(end: rest.since, isAutomatic: true, at: now)
  }
}
