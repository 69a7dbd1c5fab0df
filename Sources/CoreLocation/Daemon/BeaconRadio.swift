internal import Synchronization

/// Runs a source of beacons while it is turned on.
final class BeaconRadio: Sendable {
  private let source: (any BeaconSource)?
  private let listening = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter source: the source of beacons; `nil`: this machine cannot receive beacons.
  init(_ source: (any BeaconSource)?) { self.source = source }

  /// Whether this machine has a receiver of beacons.
  var hasReceiver: Bool { source?.isAvailable ?? false }

  deinit { listening.withLock { $0?.cancel() } }

  /// Turns the source on or off. A call that requests the current state has no effect.
  func turn(_ isOn: Bool, _ take: @escaping @Sendable (LocationServices.Input) -> Void) {
    listening.withLock { listening in
      guard isOn else {
        listening?.cancel()
        listening = nil
        return
      }
      guard listening == nil, let source else { return }
      listening = Task {
        do {
          try await source.run { event in
            switch event {
            case .sightings(let sightings): take(.sightings(sightings))
            case .unavailable(let reason): take(.beaconsFailed(reason))
            }
          }
        } catch is CancellationError {
          // The source was turned off.
        } catch {
          take(.beaconsFailed("\(error)"))
        }
      }
    }
  }
}
