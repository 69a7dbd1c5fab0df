public import GodwitModel

/// What a run is measured by: every limit that a figure depends on. `Documentation/Reports.md` says what each figure means.
public struct MeasuringRules: Sendable, Hashable, Codable {
  /// Only what was really recorded counts as moving, and not what was filled in by rule between recordings.
  public var onlyRecorded = true
  /// Moving time counts as covered where the recorded track is at most so many metres from the truth …
  public var nearEnough: Meters = 100
  /// … and the two positions around that time are at most so many seconds apart, or both at one place.
  public var maximumGap = 180.0
  /// What counts as a stay, in the truth and in what was recorded.
  public var stays = StayFinder.Definition()
  /// Seconds between two looks at the truth, for stays and for the length of the way. Above 0.
  public var sampling = 10.0
  /// Metres from one position to the next that counts for the length of a way.
  public var minimumStep: Meters = 100

  public init() {}
}
