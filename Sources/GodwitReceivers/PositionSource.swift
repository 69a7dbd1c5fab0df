public import Foundation
public import GodwitModel

/// Where raw positions come from: a receiver, a file, a simulated phone.
public protocol PositionSource: Sendable {
  /// Runs until it is cancelled or has no more to report. `tell` returns when the event has been taken, so that a
  /// source which could be faster waits for its listener.
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws

  /// Whether its positions are from the past or made up.
  var isSimulated: Bool { get }

  /// How its time passes while no client wants positions. By default a receiver is switched off, and a simulated one waits.
  var timekeeping: Timekeeping { get }

  /// The time of the simulated device before the first position; `nil`, the default: the time of this machine.
  var beginning: Date? { get }

  /// Whether it reports headings. False by default.
  var hasCompass: Bool { get }
}

extension PositionSource {
  public var timekeeping: Timekeeping { isSimulated ? .waits : .switchesOff }
  public var beginning: Date? { nil }
  public var hasCompass: Bool { false }
}

/// How the time of a source passes while no client wants positions.
public enum Timekeeping: Sendable, Hashable {
  /// The source is cancelled, and started again when a client wants positions: a receiver.
  case switchesOff
  /// Time runs on, and positions that no client wants are passed over: a recording at a given speed.
  case runsOn
  /// Time stands still until a client wants positions, or the program waits for the end in `LocationDaemon.finished()`: a
  /// recording that is as fast as its listeners.
  case waits
}

/// The events of a source.
public enum PositionEvent: Sendable, Hashable {
  /// Positions, oldest first.
  case positions([Fix])
  /// Which way the device points.
  case heading(CompassReading)
  /// There are none for now; a sentence says why and what to do.
  case unavailable(String)
  /// There will be no more.
  case finished
}

/// What a compass reads.
public struct CompassReading: Sendable, Hashable {
  public var time: Date
  /// Degrees clockwise from magnetic north; `nil`: unknown.
  public var magnetic: Degrees?
  /// Degrees clockwise from true north; `nil`: unknown.
  public var geographic: Degrees?
  /// Degrees that it may be wrong by.
  public var accuracy: Degrees

  /// - Parameters:
  ///   - time: when it was read.
  ///   - magnetic: degrees clockwise from magnetic north, 0 to 360.
  ///   - geographic: degrees clockwise from true north, 0 to 360.
  ///   - accuracy: degrees that it may be wrong by. The default of 5 is assumed: NMEA sentences do not state it.
  public init(time: Date, magnetic: Degrees? = nil, geographic: Degrees? = nil, accuracy: Degrees = 5) {
    self.time = time
    self.magnetic = magnetic
    self.geographic = geographic
    self.accuracy = accuracy
  }
}
