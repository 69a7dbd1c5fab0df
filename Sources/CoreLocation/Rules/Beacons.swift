internal import Foundation

/// Rule 6: which beacons are near, from single sightings of their advertisements.
///
/// Its times are those of the machine: a radio hears now.
package struct Beacons: Sendable {
  /// Which beacons: all of a UUID, or those with a major and a minor number.
  package struct Identity: Sendable, Hashable {
    package var uuid: UUID
    package var major: UInt16?
    package var minor: UInt16?

    package init(uuid: UUID, major: UInt16? = nil, minor: UInt16? = nil) {
      self.uuid = uuid
      self.major = major
      self.minor = minor
    }

    func matches(_ sighting: Sighting) -> Bool {
      uuid == sighting.uuid && (major == nil || major == sighting.major) && (minor == nil || minor == sighting.minor)
    }
  }

  /// One advertisement that was heard.
  package struct Sighting: Sendable, Hashable {
    package var uuid: UUID
    package var major: UInt16
    package var minor: UInt16
    /// Strength of the signal, dBm; 0: not measured.
    package var rssi: Int
    /// What the beacon says its signal is at 1 m, dBm.
    package var powerAtOneMeter: Int

    package init(uuid: UUID, major: UInt16, minor: UInt16, rssi: Int, powerAtOneMeter: Int) {
      self.uuid = uuid
      self.major = major
      self.minor = minor
      self.rssi = rssi
      self.powerAtOneMeter = powerAtOneMeter
    }
  }

  /// How near, with the numbers of `CLProximity`.
  package enum Proximity: Int, Sendable, Hashable {
    case unknown = 0
    case immediate = 1
    case near = 2
    case far = 3

    /// - Parameter meters: negative: not known. Apple gives no limits; half a metre and four are assumed.
    package init(meters: Double) {
      self =
        switch meters {
        case ..<0: .unknown
        case ..<0.5: .immediate
        case ..<4: .near
        default: .far
        }
    }
  }

  /// A beacon in a call of ranging.
  package struct Ranged: Sendable, Hashable {
    package var uuid: UUID
    package var major: UInt16
    package var minor: UInt16
    package var proximity: Proximity
    /// Metres; negative: not known.
    package var accuracy: Double
    /// dBm; 0: not heard since the last call.
    package var rssi: Int
    /// When it was heard last.
    package var time: Date
  }

  /// Seconds that a beacon which is not heard any more stays in the list, as one of unknown distance (assumed).
  static let rangingMemory = 10.0
  /// Seconds between two calls of ranging (Apple: about one).
  static let rangingInterval = 1.0

  private struct Name: Hashable {
    var uuid: UUID
    var major: UInt16
    var minor: UInt16
  }

  private var sighted: [Name: (sighting: Sighting, at: Date)] = [:]
  /// When the next call of ranging is made.
  private var nextRanging: Date?

  mutating func handle(_ sightings: [Sighting], at now: Date) {
    for sighting in sightings {
      sighted[Name(uuid: sighting.uuid, major: sighting.major, minor: sighting.minor)] = (sighting, now)
    }
  }

  /// Forgets what is of no use any more.
  mutating func discardOld(at now: Date, _ profile: OSProfile) {
    let maximum = max(Self.rangingMemory, profile.beaconExitAfter)
    sighted = sighted.filter { now.timeIntervalSince($0.value.at) < maximum }
  }

  func isNear(_ identity: Identity, at now: Date, _ profile: OSProfile) -> Bool {
    lastSeen(identity).map { now.timeIntervalSince($0) < profile.beaconExitAfter } ?? false
  }

  func lastSeen(_ identity: Identity) -> Date? {
    sighted.values.filter { identity.matches($0.sighting) }.map(\.at).max()
  }

  /// The one that was heard last.
  func last(_ identity: Identity) -> Sighting? {
    sighted.values.filter { identity.matches($0.sighting) }.max { $0.at < $1.at }?.sighting
  }

  /// Starts the beat of ranging, or ends it. - Returns: when the next call is made.
  mutating func setRanging(_ isOn: Bool, at now: Date) -> Date? {
    nextRanging = isOn ? nextRanging ?? now.addingTimeInterval(Self.rangingInterval) : nil
    return nextRanging
  }

  /// Whether a call of ranging is to be made now; then the next one is an interval later.
  mutating func beginRangingCall(at now: Date) -> Bool {
    guard let time = nextRanging, time <= now else { return false }
    nextRanging = now.addingTimeInterval(Self.rangingInterval)
    return true
  }

  /// What a call of ranging reports: nearest first, those of unknown distance last.
  func ranged(_ identity: Identity, at now: Date) -> [Ranged] {
    let all = sighted.values.compactMap { sighting, at -> Ranged? in
      let age = now.timeIntervalSince(at)
      guard identity.matches(sighting), age < Self.rangingMemory else { return nil }
      let isFresh = age < Self.rangingInterval && sighting.rssi < 0
      let accuracy = isFresh ? Self.distance(sighting) : -1
      return Ranged(
        uuid: sighting.uuid, major: sighting.major, minor: sighting.minor, proximity: Proximity(meters: accuracy),
        accuracy: accuracy, rssi: isFresh ? sighting.rssi : 0, time: at)
    }
    return all.sorted { a, b in
      let (first, second) = (Self.rank(a), Self.rank(b))
      return (first, a.major, a.minor, a.uuid.uuidString) < (second, b.major, b.minor, b.uuid.uuidString)
    }
  }

  private static func rank(_ beacon: Ranged) -> Double { beacon.accuracy < 0 ? .infinity : beacon.accuracy }

  /// Metres, by the law of free space: 20 dB less at ten times the distance.
  private static func distance(_ sighting: Sighting) -> Double {
    pow(10, Double(sighting.powerAtOneMeter - sighting.rssi) / 20)
  }
}
