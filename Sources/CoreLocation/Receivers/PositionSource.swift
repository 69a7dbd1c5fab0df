internal import Foundation
public import GodwitModel

/// Where raw positions come from: a receiver, a file, a simulated phone.
public protocol PositionSource: Sendable {
  /// Runs until it is cancelled or has no more to report. `tell` returns when the event has been taken, so that a
  /// source which could be faster waits for its listener.
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws

  /// Whether its positions are from the past or made up.
  var isSimulated: Bool { get }
}

/// The events of a source.
public enum PositionEvent: Sendable, Hashable {
  /// Positions, oldest first.
  case positions([Fix])
  /// There are none for now; a sentence says why and what to do.
  case unavailable(String)
  /// There will be no more.
  case finished
}
