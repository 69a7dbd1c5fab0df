public import GodwitModel

/// Quality of satellite positions in one environment. The numbers and their sources are in the table of Documentation/Simulator.md.
public struct SkyQuality: Sendable, Hashable {
  /// Standard deviations of the two components of the noise in metres on each axis, and correlation time of the fast component in
  /// seconds.
  public var fast: Meters
  public var slow: Meters
  public var fastTime: Double
  /// Range of the accuracies that the receiver reports, in metres.
  public var reported: ClosedRange<Meters>
  /// Mean seconds between two jumps of the position by reflections; 0 if there are none.
  public var secondsBetweenJumps: Double
  /// Mean seconds between two losses of the satellites; 0 if there are none.
  public var secondsBetweenOutages: Double
  /// Fraction of the time in which the reported accuracy is much too good.
  public var optimistic: Double
  /// Factor of the time to first fix, compared with the open sky.
  public var startFactor: Double

  /// Returns the quality in an environment; `nil` where no satellite is visible.
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

  /// Standard deviation of both components together, in metres on each axis.
  public var deviation: Meters { (fast * fast + slow * slow).squareRoot() }
  /// Radius in metres that contains 68 % of the errors: 1.5 standard deviations of an axis.
  public var typicalAccuracy: Meters { 1.5 * deviation }

  static let jump: ClosedRange<Double> = 30...150
  static let jumpSeconds: ClosedRange<Double> = 5...30
  static let outageSeconds: ClosedRange<Double> = 5...20
}
