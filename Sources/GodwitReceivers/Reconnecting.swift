package import GodwitModel

extension ExponentialBackoff {
  /// The pauses before a service of this machine is requested again: 1 s, 2 s, 4 s, … 30 s.
  package static let reconnecting = ExponentialBackoff(first: 1, maximum: 30)
}
