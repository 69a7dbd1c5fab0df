import Foundation
import GodwitEngine
import GodwitModel

/// A `RegionWatch` that receives the inputs of tests and returns its effects as text: "start horizon 850", "start home",
/// "stop home", "state home", "range 1", "stop ranging 1", "timer 300", "no timer", "entered home 12", "fixes 10m", "no fixes",
/// "changed". Numbers are metres, or seconds since the start.
struct RegionsBench {
  var watch: RegionWatch
  var catalogue: RegionCatalogue
  /// All reported events, as text.
  var reported: [String] = []
  var events: [RegionEvent] = []
  /// The regions that the system monitors, named as in the texts of the effects.
  var monitored: Set<String> = []
  /// The identifiers of monitored regions, by the names in the texts of the effects.
  private(set) var identifiers: [String: String] = [:]

  /// Creates a watch, and launches it with no monitored regions unless `isLaunched` is false.
  init(_ regions: [Region], limits: RegionLimits = RegionLimits(), isLaunched: Bool = true) {
    catalogue = RegionCatalogue(regions)
    watch = RegionWatch(limits: limits)
    if isLaunched { send(.launched(monitored: [], foreign: 0), 0) }
  }

  @discardableResult
  mutating func send(_ input: RegionInput, _ time: Double) -> [String] {
    if case .monitoringFailed(let identifier) = input { monitored.remove(Self.word(identifier)) }
    return watch.handle(input, at: at(time), in: catalogue).map { effect in
      switch effect {
      case .startMonitoring(let region):
        let word = Self.word(region.identifier)
        identifiers[word] = region.identifier
        monitored.insert(word)
        if case .circle(let circle) = region.shape, word == "horizon" { return "start horizon \(Int(circle.radius.rounded()))" }
        return "start \(word)"
      case .stopMonitoring(let identifier):
        monitored.remove(Self.word(identifier))
        return "stop \(Self.word(identifier))"
      case .requestState(let identifier): return "state \(Self.word(identifier))"
      case .startRanging(let uuid): return "range \(uuid.low)"
      case .stopRanging(let uuid): return "stop ranging \(uuid.low)"
      case .setTimer(let time): return time.map { "timer \(Self.seconds($0))" } ?? "no timer"
      case .wantsFixes(let accuracy): return accuracy.map { "fixes \($0.rawValue)" } ?? "no fixes"
      case .insideChanged: return "changed"
      case .report(let event):
        events.append(event)
        let words = "\(event.kind.rawValue) \(event.region.id) \(Self.seconds(event.time))"
        reported.append(words)
        return words
      }
    }
  }

  /// Reports an entry of the system into a monitored region, by its name in the texts of the effects.
  @discardableResult
  mutating func entered(_ word: String, _ time: Double) -> [String] { send(.entered(identifiers[word] ?? ""), time) }
  @discardableResult
  mutating func exited(_ word: String, _ time: Double) -> [String] { send(.exited(identifiers[word] ?? ""), time) }
  @discardableResult
  mutating func state(_ word: String, _ isInside: Bool?, _ time: Double) -> [String] {
    send(.state(identifiers[word] ?? "", isInside: isInside), time)
  }
  /// Sends a fix `north` metres north of the start.
  @discardableResult
  mutating func fix(_ north: Meters, _ time: Double, accuracy: Meters? = 5) -> [String] {
    send(.fix(Regions.fix(north, at: time, accuracy: accuracy)), time)
  }

  /// Sends one ranging result: the proximity of each detected beacon, by its major number.
  @discardableResult
  mutating func range(_ uuid: Int, _ received: [UInt16: BeaconProximity], _ time: Double, accuracy: Meters? = nil) -> [String] {
    let sightings = received.sorted { $0.key < $1.key }.map { major, proximity in
      BeaconSighting(
        identity: BeaconIdentity(uuid: Regions.uuid(uuid), major: major, minor: 1), proximity: proximity, accuracy: accuracy,
        rssi: -60)
    }
    return send(.ranged(Regions.uuid(uuid), sightings), time)
  }

  /// Replaces the catalogue.
  @discardableResult
  mutating func replace(_ regions: [Region], _ time: Double) -> [String] {
    catalogue = RegionCatalogue(regions)
    return send(.catalogueChanged, time)
  }

  /// Simulates a termination and a relaunch with the encoded state.
  @discardableResult
  mutating func relaunch(_ time: Double, unmanaged: Int = 0) throws -> [String] {
    watch = try JSONDecoder().decode(RegionWatch.self, from: JSONEncoder().encode(watch))
    return send(.launched(monitored: monitored.compactMap { identifiers[$0] }, foreign: unmanaged), time)
  }

  var geofences: [String] { watch.geofences(in: catalogue).map(\.id) }
  var beacons: [String] { watch.beacons(in: catalogue).map(\.region.id) }

  private static func word(_ identifier: String) -> String {
    switch RegionIdentifier(identifier) {
    case .horizon: "horizon"
    case .geofence(let id, _): id
    case .beacons(let uuid): "beacons \(uuid.low)"
    case nil: "nothing of ours: \(identifier)"
    }
  }

  private static func seconds(_ time: Date) -> Int { Int(time.timeIntervalSince(at(0)).rounded()) }
}
