internal import GodwitEngine

/// Keeps the sessions of a sensor as a tracker needs them.
struct SessionHolding: Sendable {
  private var held: SessionRequest?

  /// Requests the sessions that the engine's state needs, if they are others than before.
  /// - Parameter event: what the engine has handled last. At an activation of the app the sessions are requested again: one that
  ///   keeps an app in use must be created while the app is in the foreground, or at its launch.
  mutating func update(_ engine: Engine, _ sensor: any Sensor, after event: Event) {
    let wanted = SessionRequest(of: engine, updatesInBackground: sensor.updatesInBackground)
    let isActivated = if case .becameActive = event { true } else { false }
    guard wanted != held || (isActivated && wanted?.staysInUse == true) else { return }
    held = wanted
    sensor.hold(wanted)
  }
}
