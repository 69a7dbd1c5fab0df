internal import GodwitEngine

/// Requests the sessions of a sensor that a tracker needs.
struct SessionHolding: Sendable {
  private var held: SessionRequest?

  /// Requests the sessions that the engine's state needs, if they differ from the last request.
  /// - Parameter event: the event that the engine handled last. When the app becomes active, a session that keeps the app in use
  ///   is requested again, because it must be created while the app is in the foreground, or at its launch.
  mutating func update(_ engine: Engine, _ sensor: any Sensor, after event: Event) {
    let wanted = SessionRequest(of: engine, updatesInBackground: sensor.updatesInBackground)
    let isActivated = if case .becameActive = event { true } else { false }
    guard wanted != held || (isActivated && wanted?.staysInUse == true) else { return }
    held = wanted
    sensor.hold(wanted)
  }
}
