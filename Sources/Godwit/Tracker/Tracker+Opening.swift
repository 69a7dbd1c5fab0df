internal import GodwitJournal

extension Tracker {
  /// Opens a tracker, on a phone also before its first unlock after a restart.
  ///
  /// If a system launches an app then, for a significant change or a visit, no file can be read. The tracker is opened
  /// at the unlock; until then the significant changes and visits that the sensor reports are held in memory, at most
  /// 10,000 of them, and recorded afterwards if tracking was on. An app that is ended before the unlock loses them.
  /// - Parameters:
  ///   - configuration: of the tracker.
  ///   - sensor: created on the main thread at the app's launch.
  ///   - protectedData: whether the phone is unlocked.
  /// - Throws: what ``init(configuration:sensor:)`` throws on an unlocked phone, and `CancellationError`.
  public static func open(
    configuration: Configuration, sensor: any Sensor, protectedData: Tracker.ProtectedData = .live()
  ) async throws -> Tracker {
    do { return try Tracker(configuration: configuration, sensor: sensor) } catch {
      guard error.code.category == .storage else { throw error }
      // A phone is locked most of the day; the journal cannot be opened only before the first unlock.
      guard await !protectedData.isAvailable() else { throw error }
    }
    let held = HeldSensor(sensor)
    held.hold(configuration.settings.main)
    do {
      try await protectedData.becomesAvailable()
      let tracker = try Tracker(configuration: configuration, sensor: held)
      // The tracker configures nothing at its launch while tracking is off.
      if try tracker.journal.remembered("tracking") != "on" { held.release() }
      return tracker
    } catch {
      held.release()
      throw error is CancellationError ? error : GodwitError(error, .fileUnavailable)
    }
  }
}
