/// The mode of transport, as far as positions alone determine it.
public enum TransportMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// On foot.
  case walk
  /// On a bicycle; running is as fast, and is classified as riding.
  case bike
  /// By bus, car, taxi, train or anything else with an engine.
  case motor

  /// Returns the mode of a part of a track that has one mode, for example between two stays.
  /// - Parameter features: The features of the part.
  public init(_ features: MotionFeatures) { self = Limits().mode(of: features) }

  /// Returns the mode of a part of a track; `nil` without movement.
  /// - Parameter fixes: Its positions, sorted by time.
  public init?(of fixes: some Sequence<Fix>) {
    var meter = MotionMeter()
    for fix in fixes { meter.add(fix.coordinate, at: fix.time) }
    guard let features = meter.features else { return nil }
    self.init(features)
  }

  /// The limits between modes. Six rules in a fixed order, each with one number, none of them optimal for a single set
  /// of tracks: `Documentation/Analysis.md` has the effect of each, and the small effect of a change by a fifth.
  struct Limits: Sendable, Hashable {
    /// The maximum long-term walking speed: 2.53 m/s is the fastest mean of any age (Bohannon, Comfortable and maximum
    /// walking speed of adults aged 20–79 years, Age and Ageing 26, 1997).
    var walking: MetersPerSecond = 2.5
    /// The speed that a bicycle does not exceed for 15 % of the time.
    var riding: MetersPerSecond = 10
    /// The maximum speed of a bicycle, except downhill.
    var descending: MetersPerSecond = 14
    /// If 95 % of the moving time is slower than this, an engine cannot be distinguished from muscle power.
    var engine: MetersPerSecond = 7
    /// Acceleration and braking from here on need an engine, metres per second per second.
    var acceleration = 0.22
    /// A track at walking speed for half of the time, and that many times faster for some of it, contains a bus ride.
    var contrast = 4.0

    /// Returns the mode of a part of a track.
    /// - Parameter features: The features of the part.
    func mode(of features: MotionFeatures) -> TransportMode {
      if features.fastSpeed >= riding || features.topSpeed >= descending { return .motor }
      if features.topSpeed >= engine {
        if features.topSpeed >= contrast * features.medianSpeed { return .motor }
        // Without an acceleration only the speed decides: the middle between the two limits.
        let isEngine =
          if let measured = features.acceleration { measured >= acceleration } else {
            features.topSpeed >= (engine + riding) / 2
          }
        if isEngine { return .motor }
      }
      return features.fastSpeed >= walking ? .bike : .walk
    }
  }
}
