internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The regions of a tracker that is fed from a recorded file: its positions are the clock.
final class ReplayedRegions: RegionSensor {
  private let clock = ReplayClock(.distantPast)

  /// A world with the time of the file.
  func environment(in world: TrackerEnvironment) -> TrackerEnvironment {
    var environment = world
    environment.now = { [clock] in clock.now }
    environment.sleep = { [clock] in try await clock.sleep($0) }
    return environment
  }

  /// Tells a fix at its time. With the first one the regions begin to be watched over: before it nobody knows what time it is.
  func tell(_ fix: Fix, to regions: RegionManager) {
    clock.advance(to: fix.time)
    if regions.sensor == nil {
      // What was known already is not lived through again.
      if let known = regions.newestFix { clock.advance(to: known.time) }
      regions.use(self)
    }
    regions.tell(.fix(fix))
  }

  // MARK: Sensor

  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void) {
    tell(.launched(monitored: [], foreign: 0))
    tell(.permission(canMonitor: true))
  }

  /// Nothing but the file says where it was.
  func perform(_ effect: RegionEffect) {}
}
