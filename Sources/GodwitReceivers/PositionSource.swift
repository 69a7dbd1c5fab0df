public import Foundation
public import GodwitModel

/// A source of raw positions: a receiver, a file, or a simulated phone.
public protocol PositionSource: Sendable {
  /// Runs until it is cancelled or has no more positions. - Parameter tell: receives each event. It returns when the event has
  /// been processed, so that a fast source waits for its consumer.
  func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws

  /// Whether the positions are recorded or simulated, and not current.
  var isSimulated: Bool { get }

  /// How the time of the source passes while no client requests positions. By default, a receiver is switched off, and a
  /// simulated source waits.
  var timekeeping: Timekeeping { get }

  /// The time of the simulated device before the first position; `nil` (the default): the time of this machine.
  var beginning: Date? { get }

  /// Whether the source reports headings; `false` by default.
  var hasCompass: Bool { get }
}

extension PositionSource {
  public var timekeeping: Timekeeping { isSimulated ? .waits : .switchesOff }
  public var beginning: Date? { nil }
  public var hasCompass: Bool { false }
}

/// How the time of a source passes while no client requests positions.
public enum Timekeeping: Sendable, Hashable {
  /// The source is cancelled, and started again when a client requests positions. For receivers.
  case switchesOff
  /// Time passes, and positions that no client requests are skipped. For recordings at a given speed.
  case runsOn
  /// Time stops until a client requests positions, or until the program waits for the end in `LocationDaemon.finished()`. For
  /// recordings that are as fast as their consumers.
  case waits
}

/// The events of a source.
public enum PositionEvent: Sendable, Hashable {
  /// Positions, oldest first.
  case positions([Fix])
  /// The direction in which the device points.
  case heading(CompassReading)
  /// There are no positions at present, with a sentence that gives the reason and the action to take.
  case unavailable(String)
  /// The source has no more positions.
  case finished
}

/// A reading of a compass.
public struct CompassReading: Sendable, Hashable {
  public var time: Date
  /// Degrees clockwise from magnetic north; `nil`: unknown.
  public var magnetic: Degrees?
  /// Degrees clockwise from true north; `nil`: unknown.
  public var geographic: Degrees?
  /// Accuracy, degrees.
  public var accuracy: Degrees

  /// - Parameters:
  ///   - time: the time of the reading.
  ///   - magnetic: degrees clockwise from magnetic north, 0 to 360.
  ///   - geographic: degrees clockwise from true north, 0 to 360.
  ///   - accuracy: accuracy in degrees. The default of 5 is an assumption: NMEA sentences do not contain it.
  public init(time: Date, magnetic: Degrees? = nil, geographic: Degrees? = nil, accuracy: Degrees = 5) {
    self.time = time
    self.magnetic = magnetic
    self.geographic = geographic
    self.accuracy = accuracy
  }
}
