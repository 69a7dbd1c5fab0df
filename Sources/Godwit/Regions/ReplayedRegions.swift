internal import Foundation
internal import GodwitEngine
internal import GodwitModel

/// The region sensor of a tracker that replays a file. The times of the positions advance its clock.
final class ReplayedRegions: RegionSensor {
  private let clock = ReplayClock(.distantPast)

  /// Returns the environment with the time of the file.
  func environment(in world: TrackerEnvironment) -> TrackerEnvironment {
    var environment = world
    environment.now = { [clock] in clock.now }
    environment.sleep = { [clock] in try await clock.sleep($0) }
    return environment
  }

  /// Advances the clock to the time of a fix and reports the fix. The first fix starts the evaluation, because the time of
  /// the file is unknown before it.
  func notify(_ fix: Fix, to regions: RegionManager) {
    clock.advance(to: fix.time)
    if regions.sensor == nil {
      // Fixes up to the newest known one are not evaluated again.
      if let known = regions.newestFix { clock.advance(to: known.time) }
      regions.use(self)
    }
    regions.send(.fix(fix))
  }

  // MARK: Sensor

  func connect(_ tell: @escaping @Sendable (RegionInput) -> Void) {
    tell(.launched(monitored: [], foreign: 0))
    tell(.permission(canMonitor: true))
  }

  /// Does nothing, because positions come only from the file.
  func perform(_ effect: RegionEffect) {}
}
