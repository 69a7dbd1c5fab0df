import Foundation
import GodwitEngine
import GodwitModel
import TestTexts
import Testing

/// A `RegionWatch` with random events in any order, and a system that applies its effects and records a violation for each
/// invalid effect.
private struct RegionsChaos {
  var watch = RegionWatch()
  var catalogue = RegionCatalogue.empty
  var random: SeededNumbers
  var now = 0.0
  var violations: [String] = []
  var monitored: [String: MonitoredRegion] = [:]
  var ranging: Set<ProximityUUID> = []
  var unmanaged = 0
  var timer: Date?
  var reported = 0
  /// The reported stays, by the id of the region.
  private var stays: [String: (entered: Date, hasDwelled: Bool)] = [:]
  private var asked: [String] = []
  private let isClockWild: Bool

  init(seed: UInt64, isClockWild: Bool) {
    random = SeededNumbers(seed)
    self.isClockWild = isClockWild
    change()
    send(.launched(monitored: [], foreign: 0))
  }

  private mutating func place() -> Coordinate {
    Regions.place(.random(in: -3000...3000, using: &random), .random(in: -3000...3000, using: &random))
  }

  private mutating func change() {
    var regions = Regions.random(
      .random(in: 0...60, using: &random), round: Regions.start, spread: 4000, radii: 20...2500, &random)
    for number in regions.indices {
      if Int.random(in: 0..<4, using: &random) == 0 { regions[number].dwell = .random(in: 60...4000, using: &random) }
      if Int.random(in: 0..<4, using: &random) == 0 {
        let from = Int.random(in: 0..<1440, using: &random)
        regions[number].schedule = RegionSchedule(windows: [.init(from: from, to: (from + 300) % 1440 + 1)])
      }
      if Int.random(in: 0..<6, using: &random) == 0, let star = try? Regions.star("r\(number)", at: place(), radius: 900, &random)
      {
        regions[number] = star
      }
    }
    for number in 0..<Int.random(in: 0...12, using: &random) {
      regions.append(Regions.beacon("r\(number * 7)", number % 7, major: UInt16(number % 3), dwell: number % 2 == 0 ? 90 : nil))
    }
    catalogue = RegionCatalogue(regions)
  }

  mutating func step() {
    now += [0, 1, 5, 60, 3000].randomElement(using: &random) ?? 1
    if isClockWild, Int.random(in: 0..<40, using: &random) == 0 { now += .random(in: -90_000...90_000, using: &random) }
    let identifier = monitored.keys.sorted().randomElement(using: &random) ?? "foreign"
    switch Int.random(in: 0..<22, using: &random) {
    case 0..<7:
      let time = now + [0, 0, 0, -30, 20].randomElement(using: &random)!  // The list is not empty.
      send(
        .fix(
          Fix(
            time: at(time), coordinate: place(),
            horizontalAccuracy: [nil, 5, 5, 20, 65, 1500].randomElement(using: &random) ?? nil,
            speed: Bool.random(using: &random) ? nil : .random(in: 0...30, using: &random))))
    case 7..<10: send(.entered(identifier))
    case 10..<12: send(.exited(identifier))
    case 12..<15:
      let asked = asked.isEmpty ? identifier : asked.removeFirst()
      send(.state(asked, isInside: [true, false, nil].randomElement(using: &random) ?? nil))
    case 15:
      monitored[identifier] = nil
      send(.monitoringFailed(identifier))
    case 16, 17:
      let uuid = Regions.uuid(.random(in: 0..<8, using: &random))
      let sightings = (0..<Int.random(in: 0...4, using: &random)).map { _ in
        BeaconSighting(
          identity: BeaconIdentity(uuid: uuid, major: .random(in: 0...3, using: &random), minor: 1),
          proximity: BeaconProximity.allCases.randomElement(using: &random) ?? .near,
          accuracy: Bool.random(using: &random) ? nil : .random(in: 0...9, using: &random))
      }
      send(.ranged(uuid, sightings))
    case 18:
      if let timer, timer > at(now) { now = timer.timeIntervalSince(at(0)) }
      send(.timer)
    case 19:
      if Int.random(in: 0..<4, using: &random) == 0 { send(.permission(canMonitor: false)) }
      send(.permission(canMonitor: true))
      if Bool.random(using: &random) {
        send(.zones(RegionZones(device: .init(offset: .random(in: -12...12, using: &random) * 3600))))
      }
    case 20:
      change()
      send(.catalogueChanged)
    default:
      if Bool.random(using: &random) {
        unmanaged = .random(in: 0...22, using: &random)
        send(.unmanagedRegions(unmanaged))
      } else {
        relaunch()
      }
    }
  }

  private mutating func relaunch() {
    guard let data = try? JSONEncoder().encode(watch), let again = try? JSONDecoder().decode(RegionWatch.self, from: data),
      again == watch
    else { return violations.append("\(now): the decoded watch differs from the encoded one") }
    watch = again
    (ranging, timer) = ([], nil)
    // The system may have lost some regions.
    monitored = monitored.filter { _ in Int.random(in: 0..<9, using: &random) > 0 }
    send(.launched(monitored: monitored.keys.sorted() + ["com.example.shop"], foreign: unmanaged))
  }

  private var current: [String] {
    watch.geofences(in: catalogue).map(\.id).sorted()
      + watch.beacons(in: catalogue).map { "\($0.region.id) \($0.proximity)" }.sorted()
  }

  private mutating func send(_ input: RegionInput) {
    let before = watch
    let wasInside = current
    let effects = watch.handle(input, at: at(now), in: catalogue)
    var same = before
    if same.handle(input, at: at(now), in: catalogue) != effects || same != watch { violate("is not repeatable", input) }
    for effect in effects { carryOut(effect, input) }
    let near = monitored.values.compactMap { if case .beacons(let uuid) = $0.shape { uuid } else { ProximityUUID?.none } }
    if !ranging.isSubset(of: near) { violate("ranges what is not monitored", input) }
    if monitored.count > max(0, 19 - unmanaged) { violate("\(monitored.count) of \(19 - unmanaged) slots", input) }
    // A region that was exited and entered again is in both lists, and observers are notified nevertheless.
    let hasMoved = effects.contains { if case .report(let event) = $0 { event.kind != .dwelled } else { false } }
    let isReported = effects.contains(.insideChanged)
    if current != wasInside, !isReported { violate("observers are not notified of a change", input) }
    if current == wasInside, isReported, !hasMoved { violate("observers are notified without a change", input) }
    if Set(watch.geofences(in: catalogue).map(\.id)).union(watch.beacons(in: catalogue).map(\.region.id)) != Set(stays.keys) {
      violate("the regions inside differ from the reported stays", input)
    }
  }

  private mutating func carryOut(_ effect: RegionEffect, _ input: RegionInput) {
    switch effect {
    case .startMonitoring(let region):
      // The horizon is started again at each launch: its identifier does not contain its circle.
      var isAllowed = false
      if case .launched = input { isAllowed = region.identifier == RegionIdentifier.horizon.description }
      if monitored[region.identifier] == region, !isAllowed { violate("starts \(region.identifier) again", input) }
      monitored[region.identifier] = region
    case .stopMonitoring(let identifier):
      if monitored.removeValue(forKey: identifier) == nil { violate("stops \(identifier), which is not monitored", input) }
    case .requestState(let identifier):
      if monitored[identifier] == nil { violate("asks for \(identifier), which is not monitored", input) }
      asked.append(identifier)
    case .startRanging(let uuid): if !ranging.insert(uuid).inserted { violate("starts ranging twice", input) }
    case .stopRanging(let uuid): if ranging.remove(uuid) == nil { violate("stops ranging that was not started", input) }
    case .setTimer(let time): timer = time
    case .wantsFixes, .insideChanged: break
    case .report(let event):
      reported += 1
      handle(event, input)
    }
  }

  private mutating func handle(_ event: RegionEvent, _ input: RegionInput) {
    let id = event.region.id
    switch event.kind {
    case .entered:
      if stays[id] != nil { violate("enters \(id) twice", input) }
      stays[id] = (event.time, false)
    case .exited:
      guard let stay = stays.removeValue(forKey: id) else { return violate("leaves \(id) unentered", input) }
      if event.entered != stay.entered || event.time < stay.entered { violate("times of \(id)", input) }
    case .dwelled:
      guard let stay = stays[id], !stay.hasDwelled else { return violate("dwells in \(id) without an entry, or twice", input) }
      if event.entered != stay.entered || event.time < stay.entered { violate("times of \(id)", input) }
      stays[id]?.hasDwelled = true
    case .crossed: violate("crosses \(id), which only a server reports", input)
    }
  }

  private mutating func violate(_ words: String, _ input: RegionInput) { violations.append("\(now): \(words), after \(input)") }
}

@Suite("Regions: invariants of the watch under random events")
struct RegionsChaosTests {
  @Test(
    """
    entries and exits alternate; no region is started or stopped twice, no slot of another part of the app is used, observers \
    are notified of every change and of nothing else, equal inputs have equal effects, and the decoded state is the encoded one
    """, arguments: 1...8, [false, true])
  func anything(_ seed: UInt64, _ isClockWild: Bool) {
    var chaos = RegionsChaos(seed: seed, isClockWild: isClockWild)
    for _ in 0..<600 where chaos.violations.isEmpty { chaos.step() }
    #expect(chaos.violations.prefix(3) == [])
    // The random events covered enough.
    #expect(chaos.reported > 20)
  }
}
