public import Foundation
public import GodwitEngine

extension TripActivity {
  /// Returns the next step for a tracker's status; `nil`: there is nothing to do now.
  /// - Parameters:
  ///   - status: the status of the tracker.
  ///   - isInForeground: whether the app is active.
  ///   - now: the time.
  public mutating func step(_ status: Tracker.Status, isInForeground: Bool, at now: Date) -> Step? {
    step(Content(status), isInForeground: isInForeground, at: now)
  }
}

extension TripActivity.Content {
  /// Creates the content from a tracker's status; `nil`: no trip is running.
  public init?(_ status: Tracker.Status) {
    guard let trip = status.trip else { return nil }
    self.init(
      start: trip.start, mode: trip.mode, distance: trip.distance, waiting: status.waiting, lastFix: status.lastFix?.time)
  }
}
