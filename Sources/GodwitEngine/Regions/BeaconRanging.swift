internal import GodwitModel

internal import struct Foundation.Date

/// What is heard of a beacon that is near.
struct BeaconSignal: Sendable, Hashable, Codable {
  var proximity: BeaconProximity
  var accuracy: Meters?
  /// Answers of ranging in a row without it.
  var misses = 0
  /// When the first of them came.
  var missingSince: Date?
}

/// Beacons: near some beacon of a UUID they are ranged; one is there at its first good sighting and gone after several misses.
struct BeaconRanging: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case signals
    case ranged = "heard"
    case met
    case lost
    case ranging
  }

  /// Answers without a beacon, one a second, after which it is gone.
  private static let maximumMisses = 8
  /// Or seconds, where answers are rare; two of them at least.
  private static let missingTime = 30.0
  /// Seconds that ranging has for saying whether what the system has lost is gone; a woken app runs for ten.
  private static let lostTime = 15.0

  /// What was heard of the beacons that are near, by id of the region.
  private var signals: [String: BeaconSignal] = [:]
  /// UUIDs of which the system says that the device is near some beacon.
  private(set) var ranged: Set<ProximityUUID> = []
  /// How often beacons of a UUID were met.
  private(set) var met: [ProximityUUID: Int] = [:]
  /// Those of which the system has lost the last beacon, and when, as long as ranging has not said the same.
  private var lost: [ProximityUUID: Date] = [:]
  private var ranging: Set<ProximityUUID> = []

  /// Whether a beacon is near, by the id of its region.
  func isNear(_ id: String) -> Bool { signals[id] != nil }

  /// The beacons that are near and whose entry was reported.
  func current(_ stays: RegionStays, in catalogue: RegionCatalogue) -> [CurrentBeacon] {
    signals.compactMap { id, signal in
      guard stays[id]?.entered != nil, let region = catalogue[id] else { return nil }
      return CurrentBeacon(region: region, proximity: signal.proximity, accuracy: signal.accuracy)
    }
  }

  /// The program was launched: nothing is ranged yet.
  mutating func relaunch() { ranging = [] }

  /// The system has seen the device come near the first beacon of a UUID, or lose the last one.
  mutating func update(_ uuid: ProximityUUID, isInside: Bool, _ stays: inout RegionStays, _ turn: inout Turn) {
    lost[uuid] = nil
    if isInside {
      ranged.insert(uuid)
      resetMisses(of: uuid, stays)
      startRanging(uuid, &turn)
      return
    }
    ranged.remove(uuid)
    if ranging.remove(uuid) != nil { turn.effects.append(.stopRanging(uuid)) }
    for id in near(uuid, stays) { leave(id, &stays, &turn) }
  }

  /// The system has lost the last beacon of a UUID. At the edge of the range it loses and finds it again and again: ranging has
  /// the last word.
  mutating func lose(_ uuid: ProximityUUID, _ stays: inout RegionStays, _ turn: inout Turn) {
    guard ranging.contains(uuid), !near(uuid, stays).isEmpty else { return update(uuid, isInside: false, &stays, &turn) }
    guard lost[uuid] == nil else { return }
    lost[uuid] = turn.time
    resetMisses(of: uuid, stays)
  }

  /// Counting restarts.
  private mutating func resetMisses(of uuid: ProximityUUID, _ stays: RegionStays) {
    for id in near(uuid, stays) {
      signals[id]?.misses = 0
      signals[id]?.missingSince = nil
    }
  }

  /// What ranging has said nothing of for too long is gone.
  mutating func giveUpLost(_ stays: inout RegionStays, _ turn: inout Turn) {
    for (uuid, since) in lost.sorted(by: { $0.key < $1.key }) where turn.time.timeIntervalSince(since) >= Self.lostTime {
      update(uuid, isInside: false, &stays, &turn)
    }
  }

  /// When something has been lost for too long.
  var nextTime: Date? {
    lost.values.reduce(nil) { .earlier($0, $1.addingTimeInterval(Self.lostTime)) }
  }

  mutating func startRanging(_ uuid: ProximityUUID, _ turn: inout Turn) {
    guard turn.canMonitor, ranging.insert(uuid).inserted else { return }
    turn.effects.append(.startRanging(uuid))
  }

  /// An answer of ranging.
  mutating func handle(
    _ sightings: [BeaconSighting], of uuid: ProximityUUID, _ stays: inout RegionStays, _ turn: inout Turn
  ) {
    guard ranging.contains(uuid), let group = turn.catalogue.group(uuid) else { return }
    var seen: [String: BeaconSighting] = [:]
    for sighting in sightings where sighting.isGood && sighting.identity.uuid == uuid {
      for position in group.regions(of: sighting.identity) {
        let id = turn.catalogue.id(at: position)
        if let other = seen[id],
          (other.proximity, other.accuracy ?? .infinity) <= (sighting.proximity, sighting.accuracy ?? .infinity)
        {
          continue
        }
        seen[id] = sighting
      }
    }
    for (id, sighting) in seen.sorted(by: { $0.key < $1.key }) { meet(id, sighting, &stays, &turn) }
    for id in near(uuid, stays) where seen[id] == nil { miss(id, &stays, &turn) }
    guard lost[uuid] != nil else { return }
    if !seen.isEmpty {
      lost[uuid] = nil
    } else if near(uuid, stays).isEmpty {
      update(uuid, isInside: false, &stays, &turn)
    }
  }

  /// Ids of the beacons of a UUID that are there, in order.
  private func near(_ uuid: ProximityUUID, _ stays: RegionStays) -> [String] {
    signals.keys.filter { stays[$0]?.region.beacon?.uuid == uuid }.sorted()
  }

  private mutating func meet(
    _ id: String, _ sighting: BeaconSighting, _ stays: inout RegionStays, _ turn: inout Turn
  ) {
    if signals[id]?.proximity != sighting.proximity { turn.isInsideChanged = true }
    if signals[id] == nil { met[sighting.identity.uuid, default: 0] += 1 }
    signals[id] = BeaconSignal(proximity: sighting.proximity, accuracy: sighting.accuracy)
    if let region = turn.catalogue[id] { stays.enter(region, at: turn.time, &turn) }
  }

  private mutating func miss(_ id: String, _ stays: inout RegionStays, _ turn: inout Turn) {
    guard var signal = signals[id] else { return }
    let since = signal.missingSince ?? turn.time
    signal.misses += 1
    signal.missingSince = since
    signals[id] = signal
    if signal.misses >= Self.maximumMisses
      || (signal.misses > 1 && turn.time.timeIntervalSince(since) >= Self.missingTime)
    {
      leave(id, &stays, &turn)
    }
  }

  /// A beacon is gone, or its region is.
  mutating func leave(_ id: String, _ stays: inout RegionStays, _ turn: inout Turn) {
    signals[id] = nil
    stays.leave(id, at: turn.time, &turn)
  }
}
