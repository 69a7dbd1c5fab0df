internal import Foundation

/// Rule 6: the beacons that are near, computed from sightings of their advertisements.
///
/// Its times are those of the machine's clock.
package struct Beacons: Sendable {
  /// A set of beacons: all beacons with a UUID, or those that also have a major and a minor number.
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

  /// A received advertisement of a beacon.
  package struct Sighting: Sendable, Hashable {
    package var uuid: UUID
    package var major: UInt16
    package var minor: UInt16
    /// The signal strength in dBm; 0: not measured.
    package var rssi: Int
    /// The signal strength at 1 m that the beacon advertises, in dBm.
    package var powerAtOneMeter: Int

    package init(uuid: UUID, major: UInt16, minor: UInt16, rssi: Int, powerAtOneMeter: Int) {
      self.uuid = uuid
      self.major = major
      self.minor = minor
      self.rssi = rssi
      self.powerAtOneMeter = powerAtOneMeter
    }
  }

  /// The proximity of a beacon. The raw values are those of `CLProximity`.
  package enum Proximity: Int, Sendable, Hashable {
    case unknown = 0
    case immediate = 1
    case near = 2
    case far = 3

    /// Creates the proximity of a distance. Apple documents no limits; 0.5 m and 4 m are assumed.
    /// - Parameter meters: the distance; negative: unknown.
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

  /// A beacon in a report of ranging.
  package struct Ranged: Sendable, Hashable {
    package var uuid: UUID
    package var major: UInt16
    package var minor: UInt16
    package var proximity: Proximity
    /// The distance in metres; negative: unknown.
    package var accuracy: Double
    /// The signal strength in dBm; 0: not received since the last report.
    package var rssi: Int
    /// The time at which the beacon was last received.
    package var time: Date
  }

  /// Seconds for which a beacon that is no longer received is still reported, with an unknown distance (assumed).
  static let rangingMemory = 10.0
  /// Seconds between two reports of ranging (Apple: about one).
  static let rangingInterval = 1.0

  private struct Name: Hashable {
    var uuid: UUID
    var major: UInt16
    var minor: UInt16
  }

  private var sighted: [Name: (sighting: Sighting, at: Date)] = [:]
  /// The time of the next report of ranging; `nil`: no ranging.
  private var nextRanging: Date?

  mutating func handle(_ sightings: [Sighting], at now: Date) {
    for sighting in sightings {
      sighted[Name(uuid: sighting.uuid, major: sighting.major, minor: sighting.minor)] = (sighting, now)
    }
  }

  /// Removes outdated sightings. Those from before the clock was set back count from now on.
  mutating func discardOld(at now: Date, _ profile: OSProfile) {
    let maximum = max(Self.rangingMemory, profile.beaconExitAfter)
    for (name, value) in sighted where value.at > now { sighted[name] = (value.sighting, now) }
    sighted = sighted.filter { now.timeIntervalSince($0.value.at) < maximum }
  }

  func isNear(_ identity: Identity, at now: Date, _ profile: OSProfile) -> Bool {
    lastSeen(identity).map { now.timeIntervalSince($0) < profile.beaconExitAfter } ?? false
  }

  func lastSeen(_ identity: Identity) -> Date? {
    sighted.values.filter { identity.matches($0.sighting) }.map(\.at).max()
  }

  /// Returns the newest sighting; `nil`: none.
  func last(_ identity: Identity) -> Sighting? {
    sighted.values.filter { identity.matches($0.sighting) }.max { $0.at < $1.at }?.sighting
  }

  /// Starts or ends the reports of ranging. - Returns: the time of the next report; `nil`: none.
  mutating func setRanging(_ isOn: Bool, at now: Date) -> Date? {
    // A clock that was set back does not delay the report.
    let latest = now.addingTimeInterval(Self.rangingInterval)
    nextRanging = isOn ? min(nextRanging ?? latest, latest) : nil
    return nextRanging
  }

  /// Returns whether a report of ranging is due now, and schedules the next one.
  mutating func beginRangingCall(at now: Date) -> Bool {
    guard let time = nextRanging, time <= now else { return false }
    nextRanging = now.addingTimeInterval(Self.rangingInterval)
    return true
  }

  /// Returns the beacons for a report of ranging: nearest first, beacons of unknown distance last.
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

  /// Returns the distance in metres by the free-space path loss: 20 dB for each factor of ten.
  private static func distance(_ sighting: Sighting) -> Double {
    pow(10, Double(sighting.powerAtOneMeter - sighting.rssi) / 20)
  }
}
