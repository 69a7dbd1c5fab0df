internal import Foundation
internal import GodwitModel
internal import GodwitReceivers

/// Drives a ``LocationDaemon`` in virtual time: a simulated phone.
///
/// Its methods are called during the daemon's calls: they store what is requested, and do it afterwards.
package protocol LocationHost: AnyObject, Sendable {
  /// The time by the phone's own clock.
  var now: Date { get }
  /// Runs something of the app after everything that was handed in before, and only while the app runs.
  func perform(_ call: @escaping @Sendable () -> Void)
  /// Does what concerns the system and not one manager.
  func carryOut(_ output: LocationServices.Output)
  /// Delivers an output to a manager.
  func receive(_ output: LocationServices.Output)
  /// The program has requested something.
  func asked()
  /// Whether the program is still there: requests of one that has been killed have no effect.
  var isListening: Bool { get }
}

extension LocationDaemon {
  /// Something happens to a system that is driven manually.
  package func notify(_ input: LocationServices.Input) {
    switch input {
    // The listeners of the program ended with it.
    case .app(.terminated), .swipedAway, .rebooted: removeListeners()
    default: break
    }
    carryOutAndCall(input)
  }

  /// What is requested of a phone's system at the moment.
  package var demand: LocationServices.Demand { read { $0.demand } }
  /// Nothing of the location services keeps the app running in the background.
  package var mayBeSuspended: Bool { read { $0.mayBeSuspended } }
  package var appState: AppState { read { $0.appState } }
  package var allowsBackgroundFetch: Bool { read { $0.allowsBackgroundFetch } }
}

/// Positions come manually.
struct NoSource: PositionSource {
  var isSimulated: Bool { true }
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
}
