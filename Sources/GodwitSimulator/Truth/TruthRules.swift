public import GodwitModel

/// Rules that fill the gaps of a track.
///
/// A gap is filled with a stay at its first place, followed by straight movement that arrives at the second place in time. The
/// speed depends on the distance. A gap with both ends at one place is therefore a stay, and the night is spent at the last place
/// of the evening.
public struct TruthRules: Sendable, Hashable {
  /// Minimum seconds between two samples that form a gap.
  public var maximumStep = 60.0
  /// Speed and range of movement in a gap: walking up to `walkingRange` metres, driving up to `drivingRange`, and flying beyond.
  public var walkingSpeed: MetersPerSecond = 1.4
  public var walkingRange: Meters = 2_000
  public var drivingSpeed: MetersPerSecond = 14
  public var drivingRange: Meters = 400_000
  public var flyingSpeed: MetersPerSecond = 230
  /// Maximum speed. A sample that would require a higher speed is an error of the recording receiver, and is left out.
  public var fastest: MetersPerSecond = 320
  /// Minimum seconds of a stay in a gap that is indoors.
  public var indoorsAfter = 300.0
  /// Environments outdoors.
  public var surroundings = Surroundings.town
  /// Environments that the track does not contain, by time. A later element of the list overrides an earlier one.
  public var stretches: [Stretch] = []

  public init() {}

  /// A time range with one environment.
  public struct Stretch: Sendable, Hashable {
    public var start: SimulatedTime
    public var end: SimulatedTime
    public var environment: Environment

    public init(from start: SimulatedTime, to end: SimulatedTime, environment: Environment) {
      self.start = start
      self.end = end
      self.environment = environment
    }
  }
}

/// Error of a track without a usable sample.
public struct TruthError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}
