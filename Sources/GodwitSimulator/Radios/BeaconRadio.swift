public import GodwitModel

/// A beacon at a place, as far as radio goes: the code that runs the app names it.
public struct PlacedBeacon: Sendable, Hashable {
  public var coordinate: Coordinate
  /// Seconds between two of its advertisements.
  public var interval: Double
  /// What it says its signal is at 1 m, dBm.
  public var powerAtOneMeter: Int

  /// - Parameters:
  ///   - coordinate: where it stands.
  ///   - interval: seconds between two of its advertisements; more than 0.
  ///   - powerAtOneMeter: its signal at 1 m, dBm.
  public init(coordinate: Coordinate, interval: Double = 1, powerAtOneMeter: Int = -59) {
    self.coordinate = coordinate
    self.interval = interval
    self.powerAtOneMeter = powerAtOneMeter
  }
}

/// A beacon that was just received.
public struct RangedBeacon: Sendable, Hashable {
  /// Which of the world's beacons.
  public var index: Int
  /// Strength of its signal, dBm.
  public var rssi: Int
}

/// The beacons that a phone receives: short scans, seldom while they are only watched for, once a second while they are ranged.
struct BeaconRadio: Sendable {
  // Seconds between two looks, and of one; all assumed.
  static let watching = 10.0
  static let ranging = 1.0
  static let window = 1.0
  /// Weakest signal that is received, dBm, and the effect of walls and people on it, standard deviation in dB (assumed). With −59 dBm at
  /// 1 m, 50 m is the middle of the range.
  static let weakest = -93.0
  static let fading = 4.0
  /// No beacon farther away than this is received.
  static let farthest: Meters = 300
  static let nearest: Meters = 0.3

  let beacons: [PlacedBeacon]
  private var random: RandomSource

  init(_ beacons: [PlacedBeacon], seed: UInt64) {
    self.beacons = beacons
    random = RandomSource(seed: seed, stream: "beacons")
  }

  mutating func listen(at place: Coordinate) -> [RangedBeacon] {
    beacons.indices.compactMap { index in
      let beacon = beacons[index]
      let distance = max(Self.nearest, GreatCircle.distance(beacon.coordinate, place))
      // A beacon with a long interval may not advertise during the scan.
      guard distance < Self.farthest, random.happens(min(1, Self.window / beacon.interval)) else { return nil }
      // The law of free space: 20 dB less at ten times the distance.
      let loss = 20 * DeterministicMath.log(distance) / DeterministicMath.log(10)
      let strength = Double(beacon.powerAtOneMeter) - loss + Self.fading * random.normal()
      return strength < Self.weakest ? nil : RangedBeacon(index: index, rssi: Int(strength.rounded()))
    }
  }
}
