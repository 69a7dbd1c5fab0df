internal import GodwitModel

internal import struct Foundation.Date

/// The last signal of a beacon that is near.
struct BeaconSignal: Sendable, Hashable, Codable {
  var proximity: BeaconProximity
  var accuracy: Meters?
  /// The number of successive results of ranging without the beacon.
  var misses = 0
  /// The time of the first of these results.
  var missingSince: Date?
}

/// The state of beacons. While the device is near a beacon of a UUID, the UUID is ranged. A beacon is present from its first
/// valid sighting until it is missing in several results.
struct BeaconRanging: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case signals
    case ranged = "heard"
    case encounterCounts = "met"
    case lost
    case ranging
  }

  /// Results without a beacon, one each second, after which the beacon is absent.
  private static let maximumMisses = 8
  /// Seconds without a beacon after which it is absent if results are rare, provided that at least two results lack it.
  private static let missingTime = 30.0
  /// Seconds in which ranging must find a beacon that the system has lost. A resumed app runs for ten seconds.
  private static let lostTime = 15.0

  /// The last signals of the beacons that are near, by the id of the region.
  private var signals: [String: BeaconSignal] = [:]
  /// The UUIDs of which the system reports that the device is near a beacon.
  private(set) var ranged: Set<ProximityUUID> = []
  /// The number of times that beacons of a UUID came near.
  private(set) var encounterCounts: [ProximityUUID: Int] = [:]
  /// The UUIDs whose last beacon the system has lost, with the time, until ranging confirms it.
  private var lost: [ProximityUUID: Date] = [:]
  private var ranging: Set<ProximityUUID> = []

  /// Whether a beacon is near. - Parameter id: the id of its region.
  func isNear(_ id: String) -> Bool { signals[id] != nil }

  /// Returns the beacons that are near and whose entry was reported.
  func current(_ stays: RegionStays, in catalogue: RegionCatalogue) -> [CurrentBeacon] {
    signals.compactMap { id, signal in
      guard stays[id]?.entered != nil, let region = catalogue[id] else { return nil }
      return CurrentBeacon(region: region, proximity: signal.proximity, accuracy: signal.accuracy)
    }
  }

  /// Handles a launch: nothing is ranged yet.
  mutating func relaunch() { ranging = [] }

  /// Handles a report of the system that the device came near the first beacon of a UUID, or lost the last one.
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

  /// Handles a report of the system that it lost the last beacon of a UUID. At the edge of the range, the system loses and finds
  /// a beacon repeatedly. If beacons of the UUID are being ranged, ranging decides.
  mutating func lose(_ uuid: ProximityUUID, _ stays: inout RegionStays, _ turn: inout Turn) {
    guard ranging.contains(uuid), !near(uuid, stays).isEmpty else { return update(uuid, isInside: false, &stays, &turn) }
    guard lost[uuid] == nil else { return }
    lost[uuid] = turn.time
    resetMisses(of: uuid, stays)
  }

  /// Restarts the counting of missing results.
  private mutating func resetMisses(of uuid: ProximityUUID, _ stays: RegionStays) {
    for id in near(uuid, stays) {
      signals[id]?.misses = 0
      signals[id]?.missingSince = nil
    }
  }

  /// Ends the presence of beacons that the system lost and that ranging did not find in time.
  mutating func expireLost(_ stays: inout RegionStays, _ turn: inout Turn) {
    for (uuid, since) in lost.sorted(by: { $0.key < $1.key }) where abs(turn.time.timeIntervalSince(since)) >= Self.lostTime {
      update(uuid, isInside: false, &stays, &turn)
    }
  }

  /// The time at which a lost UUID is absent; `nil`: none is lost.
  var nextTime: Date? {
    lost.values.reduce(nil) { .earlier($0, $1.addingTimeInterval(Self.lostTime)) }
  }

  mutating func startRanging(_ uuid: ProximityUUID, _ turn: inout Turn) {
    guard turn.canMonitor, ranging.insert(uuid).inserted else { return }
    turn.effects.append(.startRanging(uuid))
  }

  /// Handles a result of ranging.
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
    for (id, sighting) in seen.sorted(by: { $0.key < $1.key }) { recordSighting(id, sighting, &stays, &turn) }
    for id in near(uuid, stays) where seen[id] == nil { recordMiss(id, &stays, &turn) }
    guard lost[uuid] != nil else { return }
    if !seen.isEmpty {
      lost[uuid] = nil
    } else if near(uuid, stays).isEmpty {
      update(uuid, isInside: false, &stays, &turn)
    }
  }

  /// Returns the ids of the present beacons of a UUID, in order.
  private func near(_ uuid: ProximityUUID, _ stays: RegionStays) -> [String] {
    signals.keys.filter { stays[$0]?.region.beacon?.uuid == uuid }.sorted()
  }

  private mutating func recordSighting(
    _ id: String, _ sighting: BeaconSighting, _ stays: inout RegionStays, _ turn: inout Turn
  ) {
    if signals[id]?.proximity != sighting.proximity { turn.isInsideChanged = true }
    if signals[id] == nil { encounterCounts[sighting.identity.uuid, default: 0] += 1 }
    signals[id] = BeaconSignal(proximity: sighting.proximity, accuracy: sighting.accuracy)
    if let region = turn.catalogue[id] { stays.enter(region, at: turn.time, &turn) }
  }

  private mutating func recordMiss(_ id: String, _ stays: inout RegionStays, _ turn: inout Turn) {
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

  /// Handles the absence of a beacon, or the deletion of its region.
  mutating func leave(_ id: String, _ stays: inout RegionStays, _ turn: inout Turn) {
    signals[id] = nil
    stays.leave(id, at: turn.time, &turn)
  }
}
