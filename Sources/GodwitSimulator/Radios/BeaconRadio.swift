public import GodwitModel

/// A beacon at a place, with its radio properties. The code that runs the app assigns the beacon's identity.
public struct PlacedBeacon: Sendable, Hashable {
  public var coordinate: Coordinate
  /// Seconds between two advertisements of the beacon.
  public var interval: Double
  /// The signal strength at 1 m that the beacon advertises, in dBm.
  public var powerAtOneMeter: Int

  /// - Parameters:
  ///   - coordinate: Position of the beacon.
  ///   - interval: Seconds between two advertisements of the beacon; more than 0.
  ///   - powerAtOneMeter: Signal strength at 1 m, in dBm.
  public init(coordinate: Coordinate, interval: Double = 1, powerAtOneMeter: Int = -59) {
    self.coordinate = coordinate
    self.interval = interval
    self.powerAtOneMeter = powerAtOneMeter
  }
}

/// A beacon that was received in a scan.
public struct RangedBeacon: Sendable, Hashable {
  /// Index in the list of beacons of the world.
  public var index: Int
  /// Signal strength in dBm.
  public var rssi: Int
}

/// The phone's beacon receiver. It scans for a short time, rarely for monitoring and once a second for ranging.
struct BeaconRadio: Sendable {
  // Seconds between two scans, and the duration of a scan; all assumed.
  static let watching = 10.0
  static let ranging = 1.0
  static let window = 1.0
  /// The weakest signal that is received, in dBm, and the standard deviation in dB of the loss by walls and people (assumed). With
  /// −59 dBm at 1 m, half of the signals at 50 m are received.
  static let weakest = -93.0
  static let fading = 4.0
  /// A beacon farther away than this is not received.
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
      // Free-space path loss: 20 dB for each factor of ten in distance.
      let loss = 20 * DeterministicMath.log(distance) / DeterministicMath.log(10)
      let strength = Double(beacon.powerAtOneMeter) - loss + Self.fading * random.normal()
      return strength < Self.weakest ? nil : RangedBeacon(index: index, rssi: Int(strength.rounded()))
    }
  }
}
