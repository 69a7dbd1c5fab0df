internal import Foundation
internal import GodwitModel
internal import GodwitReceivers

/// Drives a ``LocationDaemon`` in virtual time. A simulated phone is a host.
///
/// The daemon calls its methods under a lock, so they only store the request and perform it later.
package protocol LocationHost: AnyObject, Sendable {
  /// The time of the phone's clock.
  var now: Date { get }
  /// Runs code of the app after all earlier calls, and only while the app runs.
  func perform(_ call: @escaping @Sendable () -> Void)
  /// Performs an output that concerns the system and not a client.
  func carryOut(_ output: LocationServices.Output)
  /// Called before an output is delivered to a client.
  func receive(_ output: LocationServices.Output)
  /// Called at each request of the program.
  func asked()
  /// Whether the program still exists. Requests of a killed program have no effect.
  var isListening: Bool { get }
}

extension LocationDaemon {
  /// Passes an input of the host to the daemon.
  package func notify(_ input: LocationServices.Input) {
    switch input {
    // The listeners end with the program.
    case .app(.terminated), .swipedAway, .rebooted: removeListeners()
    default: break
    }
    carryOutAndCall(input)
  }

  /// The services that the app currently requests of the system.
  package var demand: LocationServices.Demand { read { $0.demand } }
  /// Whether no location service keeps the app running in the background.
  package var mayBeSuspended: Bool { read { $0.mayBeSuspended } }
  package var appState: AppState { read { $0.appState } }
  package var allowsBackgroundFetch: Bool { read { $0.allowsBackgroundFetch } }
}

/// A source without positions, for a daemon whose host reports them.
struct NoSource: PositionSource {
  var isSimulated: Bool { true }
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
}
