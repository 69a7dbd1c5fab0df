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
extension RegionWatch {
  /// Answers without a beacon, one a second, after which it is gone.
  static let misses = 8
  /// Or seconds, where answers are rare; two of them at least.
  static let missingTime = 30.0
  /// Seconds that ranging has for saying whether what the system has lost is gone; a woken app runs for ten.
  static let lostTime = 15.0

  /// The system has seen the device come near the first beacon of a UUID, or lose the last one.
  mutating func hear(_ uuid: ProximityUUID, isInside: Bool, _ turn: inout Turn) {
    lost[uuid] = nil
    if isInside {
      heard.insert(uuid)
      discardMisses(of: uuid)
      startRanging(uuid, &turn)
      return
    }
    heard.remove(uuid)
    if ranging.remove(uuid) != nil { turn.effects.append(.stopRanging(uuid)) }
    for id in met(of: uuid) { leave(id, at: turn.time, &turn) }
  }

  /// The system has lost the last beacon of a UUID. At the edge of the range it loses and finds it again and again: ranging has
  /// the last word.
  mutating func lose(_ uuid: ProximityUUID, _ turn: inout Turn) {
    let ids = met(of: uuid)
    guard ranging.contains(uuid), !ids.isEmpty else { return hear(uuid, isInside: false, &turn) }
    guard lost[uuid] == nil else { return }
    lost[uuid] = turn.time
    discardMisses(of: uuid)
  }

  /// Counting begins anew.
  private mutating func discardMisses(of uuid: ProximityUUID) {
    for id in met(of: uuid) {
      signals[id]?.misses = 0
      signals[id]?.missingSince = nil
    }
  }

  /// What ranging has said nothing of for too long is gone.
  mutating func giveUpLost(_ turn: inout Turn) {
    for (uuid, since) in lost.sorted(by: { $0.key < $1.key }) where turn.time.timeIntervalSince(since) >= Self.lostTime {
      hear(uuid, isInside: false, &turn)
    }
  }

  mutating func startRanging(_ uuid: ProximityUUID, _ turn: inout Turn) {
    guard canMonitor, ranging.insert(uuid).inserted else { return }
    turn.effects.append(.startRanging(uuid))
  }

  mutating func take(_ sightings: [BeaconSighting], of uuid: ProximityUUID, _ turn: inout Turn) {
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
    for (id, sighting) in seen.sorted(by: { $0.key < $1.key }) { meet(id, sighting, &turn) }
    for id in met(of: uuid) where seen[id] == nil { miss(id, &turn) }
    guard lost[uuid] != nil else { return }
    if !seen.isEmpty { lost[uuid] = nil } else if met(of: uuid).isEmpty { hear(uuid, isInside: false, &turn) }
  }

  /// Ids of the beacons of a UUID that are there, in order.
  private func met(of uuid: ProximityUUID) -> [String] {
    signals.keys.filter { stays[$0]?.region.beacon?.uuid == uuid }.sorted()
  }

  private mutating func meet(_ id: String, _ sighting: BeaconSighting, _ turn: inout Turn) {
    if signals[id]?.proximity != sighting.proximity { turn.isInsideChanged = true }
    if signals[id] == nil { met[sighting.identity.uuid, default: 0] += 1 }
    signals[id] = BeaconSignal(proximity: sighting.proximity, accuracy: sighting.accuracy)
    if let region = turn.catalogue[id] { enter(region, at: turn.time, &turn) }
  }

  private mutating func miss(_ id: String, _ turn: inout Turn) {
    guard var signal = signals[id] else { return }
    let since = signal.missingSince ?? turn.time
    signal.misses += 1
    signal.missingSince = since
    signals[id] = signal
    if signal.misses >= Self.misses || (signal.misses > 1 && turn.time.timeIntervalSince(since) >= Self.missingTime) {
      leave(id, at: turn.time, &turn)
    }
  }
}
