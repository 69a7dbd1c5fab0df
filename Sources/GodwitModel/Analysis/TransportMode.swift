/// How somebody moved, as far as positions alone can tell.
public enum TransportMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// On foot.
  case walk
  /// On a bicycle; who runs is as fast, and is told as riding.
  case bike
  /// By bus, car, taxi, train or anything else with an engine.
  case motor

  /// The mode of a piece of a track that has one mode: between two stays, say.
  /// - Parameter features: What was measured of it.
  public init(_ features: MotionFeatures) { self = Limits().mode(of: features) }

  /// The mode of a piece of a track; `nil` where nothing moved.
  /// - Parameter fixes: Its positions, in the order of time.
  public init?(of fixes: some Sequence<Fix>) {
    var meter = MotionMeter()
    for fix in fixes { meter.add(fix.coordinate, at: fix.time) }
    guard let features = meter.features else { return nil }
    self.init(features)
  }

  /// Where one mode ends and the next begins. Six rules in a fixed order, each with one number, none of them the best one
  /// for any single set of tracks: `Documentation/Analysis.md` has what each of them is worth and how little it matters when
  /// it is a fifth larger or smaller.
  struct Limits: Sendable, Hashable {
    /// Nobody walks faster for long: 2.53 m/s is the fastest mean of any age (Bohannon, Comfortable and maximum walking
    /// speed of adults aged 20–79 years, Age and Ageing 26, 1997).
    var walking: MetersPerSecond = 2.5
    /// Nobody rides a bicycle faster than this for 15 % of the way.
    var riding: MetersPerSecond = 10
    /// Nor faster than this at all, but downhill.
    var descending: MetersPerSecond = 14
    /// Where 95 % of the moving time is slower than this, nothing tells an engine from legs.
    var engine: MetersPerSecond = 7
    /// What gathers speed and brakes like this has an engine and brakes for it, metres per second per second.
    var acceleration = 0.22
    /// Who walks half of the time and is that many times faster for some of it took a bus.
    var contrast = 4.0

    /// The mode of a piece of a track.
    /// - Parameter features: What was measured of it.
    func mode(of features: MotionFeatures) -> TransportMode {
      if features.fastSpeed >= riding || features.topSpeed >= descending { return .motor }
      if features.topSpeed >= engine {
        if features.topSpeed >= contrast * features.medianSpeed { return .motor }
        // Without an acceleration speed alone must do: what lies in the middle between the two limits.
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
