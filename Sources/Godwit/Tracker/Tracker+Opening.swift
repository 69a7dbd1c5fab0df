internal import GodwitJournal

extension Tracker {
  /// Opens a tracker, on a phone also before its first unlock after a restart.
  ///
  /// Before the first unlock no file can be read, but the system may launch the app for a significant change or a visit. The tracker is
  /// then opened at the unlock. Until then the significant changes and visits that the sensor reports are held in memory, at most 10,000
  /// events, and recorded afterwards if tracking was on. They are lost if the app ends before the unlock.
  /// - Parameters:
  ///   - configuration: the configuration of the tracker.
  ///   - sensor: the source of positions, created on the main thread at the app's launch.
  ///   - protectedData: whether the phone is unlocked.
  /// - Throws: the errors of ``init(configuration:sensor:)``, and `CancellationError`.
  public static func open(
    configuration: Configuration, sensor: any Sensor, protectedData: Tracker.ProtectedData = .live()
  ) async throws -> Tracker {
    do { return try Tracker(configuration: configuration, sensor: sensor) } catch {
      guard error.code.category == .storage else { throw error }
      // After the first unlock the journal can be opened also while the phone is locked, so the attempt above comes first.
      guard await !protectedData.isAvailable() else { throw error }
    }
    let held = HeldSensor(sensor)
    held.hold(configuration.settings.main)
    do {
      try await protectedData.becomesAvailable()
      let tracker = try Tracker(configuration: configuration, sensor: held)
      // While tracking is off, the engine does not configure the sensor at its launch, so the held sensor is stopped here.
      if try tracker.journal.remembered("tracking") != "on" { held.release() }
      return tracker
    } catch {
      held.release()
      throw error is CancellationError ? error : GodwitError(error, .fileUnavailable)
    }
  }
}
