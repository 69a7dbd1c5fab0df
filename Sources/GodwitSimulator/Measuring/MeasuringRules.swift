public import GodwitModel

/// The limits by which a run is measured. `Documentation/Reports.md` defines the figures.
public struct MeasuringRules: Sendable, Hashable, Codable {
  /// Whether only recorded parts of the truth count as moving, without the parts that rules filled in between recordings.
  public var onlyRecorded = true
  /// A second while moving is covered if the recorded track is at most this many metres from the truth …
  public var nearEnough: Meters = 100
  /// … and the positions before and after it are at most this many seconds apart, or both at one place.
  public var maximumGap = 180.0
  /// Definition of a stay, for the truth and for the recorded track.
  public var stays = StayFinder.Definition()
  /// Seconds between two samples of the truth for stays and for the length of the path. Above 0.
  public var sampling = 10.0
  /// Minimum distance in metres between two positions that count for the length of a path.
  public var minimumStep: Meters = 100

  public init() {}
}
