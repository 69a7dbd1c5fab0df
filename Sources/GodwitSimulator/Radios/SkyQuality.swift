public import GodwitModel

/// How good satellite positions are in one kind of surroundings. The numbers are those of the table in
/// Documentation/Simulator.md, with their sources.
public struct SkyQuality: Sendable, Hashable {
  /// Standard deviations of the two parts of the noise, metres on each axis, and the fast part's correlation time, seconds.
  public var fast: Meters
  public var slow: Meters
  public var fastTime: Double
  /// What the receiver reports as its accuracy lies in here, metres.
  public var reported: ClosedRange<Meters>
  /// Reflections: once in so many seconds on average the position jumps. 0: never.
  public var secondsBetweenJumps: Double
  /// Once in so many seconds the satellites are lost. 0: never.
  public var secondsBetweenOutages: Double
  /// Share of the time in which the receiver believes itself far better than it is.
  public var optimistic: Double
  /// How much longer a start takes than under the open sky.
  public var startFactor: Double

  /// Nil where no satellite is seen.
  public static func of(_ environment: Environment) -> SkyQuality? {
    switch environment {
    case .openSky: openSky
    case .suburb: suburb
    case .urban: urban
    case .canyon: canyon
    case .indoors, .underground, .flight: nil
    }
  }

  public static let openSky = SkyQuality(
    fast: 1.2, slow: 1.6, fastTime: 60, reported: 3...5, secondsBetweenJumps: 0, secondsBetweenOutages: 0, optimistic: 0,
    startFactor: 1)
  public static let suburb = SkyQuality(
    fast: 2.5, slow: 3, fastTime: 60, reported: 5...10, secondsBetweenJumps: 0, secondsBetweenOutages: 0, optimistic: 0,
    startFactor: 1)
  public static let urban = SkyQuality(
    fast: 6, slow: 8, fastTime: 20, reported: 10...30, secondsBetweenJumps: 0, secondsBetweenOutages: 0, optimistic: 0,
    startFactor: 1.5)
  public static let canyon = SkyQuality(
    fast: 12, slow: 20, fastTime: 60, reported: 15...65, secondsBetweenJumps: 60, secondsBetweenOutages: 300, optimistic: 0.2,
    startFactor: 2)

  /// Standard deviation of both parts together, metres on each axis.
  public var deviation: Meters { (fast * fast + slow * slow).squareRoot() }
  /// Radius of 68 % of the errors: 1.5 standard deviations of an axis.
  public var typicalAccuracy: Meters { 1.5 * deviation }

  static let jump: ClosedRange<Double> = 30...150
  static let jumpSeconds: ClosedRange<Double> = 5...30
  static let outageSeconds: ClosedRange<Double> = 5...20
}
