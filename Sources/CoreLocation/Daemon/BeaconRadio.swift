internal import Synchronization

/// The daemon's hold on a source of beacons: it listens while it is on.
final class BeaconRadio: Sendable {
  private let source: (any BeaconSource)?
  private let listening = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter source: `nil`: this machine receives no beacons.
  init(_ source: (any BeaconSource)?) { self.source = source }

  /// Whether this machine has a receiver of beacons.
  var hasEars: Bool { source?.isThere ?? false }

  deinit { listening.withLock { $0?.cancel() } }

  /// Turns it on or off; to what it is already is no change.
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
          // No listener is left.
        } catch {
          take(.beaconsFailed("\(error)"))
        }
      }
    }
  }
}
