package import GodwitModel

extension ExponentialBackoff {
  /// Until a service of this machine is asked for again: 1 s, 2 s, 4 s, … 30 s.
  package static let reconnecting = ExponentialBackoff(first: 1, maximum: 30)
}
