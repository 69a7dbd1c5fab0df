public import GodwitModel

/// How the gaps of a track are filled: the positions of times without a recording.
///
/// A gap is a stay at its beginning followed by straight movement that arrives at its end in time, at the speed that suits
/// the distance. So a gap with both ends at one place is a stay, and a night is spent where the evening ended.
public struct TruthRules: Sendable, Hashable {
  /// Seconds between two samples from which on it is a gap.
  public var maximumStep = 60.0
  /// A gap is walked up to `walkingRange` metres, driven up to `drivingRange`, and flown beyond.
  public var walkingSpeed: MetersPerSecond = 1.4
  public var walkingRange: Meters = 2_000
  public var drivingSpeed: MetersPerSecond = 14
  public var drivingRange: Meters = 400_000
  public var flyingSpeed: MetersPerSecond = 230
  /// A sample that would need more than this is an error of the receiver that recorded it, and is left out.
  public var fastest: MetersPerSecond = 320
  /// A stay of so many seconds in a gap is one under a roof.
  public var indoorsAfter = 300.0
  /// Outdoors.
  public var surroundings = Surroundings.town
  /// What the track does not contain: environments of stretches of time. The later in the list wins.
  public var stretches: [Stretch] = []

  public init() {}

  /// A stretch of time with one environment.
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

/// Why there is no truth in a track.
public struct TruthError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String
}
