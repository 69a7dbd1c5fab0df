import GodwitModel
import Testing

@testable import CoreLocation

private let a = Phone.manager
// Valid: a constant.
private let uuid = UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")!

private func sighting(_ minor: UInt16 = 1, rssi: Int = -59) -> Beacons.Sighting {
  Beacons.Sighting(uuid: uuid, major: 7, minor: minor, rssi: rssi, powerAtOneMeter: -59)
}

private func region(major: UInt16? = nil, minor: UInt16? = nil) -> Regions.Region {
  Regions.Region(identifier: "bike", shape: .beacon(Beacons.Identity(uuid: uuid, major: major, minor: minor)))
}

extension Phone {
  fileprivate mutating func process(_ sightings: [Beacons.Sighting], at times: [Double]) {
    for time in times {
      wait(until: time)
      send(.sightings(sightings))
    }
  }

  fileprivate var ranged: [(at: Double, [Beacons.Ranged])] {
    outputs.compactMap { output in
      if case .ranged(_, _, let beacons) = output.1 { (output.at, beacons) } else { nil }
    }
  }
}

@Suite("Rule 6: beacons")
struct BeaconTests {
  @Test(
    "an entry is reported at once, an exit thirty seconds after the last sighting",
    arguments: [
      ([10.0], ["10 in bike", "40 out bike"]),
      ([10, 20, 30, 55], ["10 in bike", "85 out bike"]),
      // A beacon that is rarely received is exited between its sightings.
      ([10, 45, 80], ["10 in bike", "40 out bike", "45 in bike", "75 out bike", "80 in bike", "110 out bike"]),
      ([], []),
    ] as [([Double], [String])])
  func crossing(_ times: [Double], _ expected: [String]) {
    var phone = Phone()
    phone.send(.watch(a, region()))
    phone.process([sighting()], at: times)
    phone.wait(until: 1000)
    #expect(phone.crossings == expected)
  }

  @Test(
    "a region contains all beacons of a UUID, of a major number, or one beacon",
    arguments: [(nil, nil, true), (7, nil, true), (7, 1, true), (8, nil, false), (7, 2, false)]
      as [(UInt16?, UInt16?, Bool)])
  func identity(_ major: UInt16?, _ minor: UInt16?, _ isMeant: Bool) {
    var phone = Phone()
    phone.send(.watch(a, region(major: major, minor: minor)))
    phone.process([sighting()], at: [10])
    #expect(phone.crossings.isEmpty != isMeant)
  }

  @Test("ranging reports once a second, the nearest beacon first and beacons without a sighting last, until none remains")
  func ranging() {
    var phone = Phone()
    phone.send(.ranging(a, Beacons.Identity(uuid: uuid), true))
    phone.wait(until: 0.5)
    phone.send(.sightings([sighting(1, rssi: -85), sighting(2, rssi: -45), sighting(3, rssi: -65), sighting(4, rssi: 0)]))
    phone.process([sighting(1, rssi: -45)], at: [1.5])
    phone.wait(until: 12)
    let ranged = phone.ranged
    #expect(ranged.map(\.at) == (1...12).map(Double.init))
    #expect(ranged[0].1.map(\.minor) == [2, 3, 1, 4])
    #expect(ranged[0].1.map(\.proximity) == [.immediate, .near, .far, .unknown])
    #expect(ranged[0].1.map { $0.accuracy < 0 } == [false, false, false, true])
    #expect(ranged[1].1.map(\.minor) == [1, 2, 3, 4] && ranged[1].1.map(\.rssi) == [-45, 0, 0, 0])
    #expect(ranged[10].1.map(\.minor) == [1] && ranged[11].1.isEmpty)
    phone.send(.ranging(a, Beacons.Identity(uuid: uuid), false))
    phone.discard()
    phone.wait(until: 20)
    #expect(phone.ranged.isEmpty && !phone.outputs.contains { if case .wake = $0.1 { true } else { false } })
  }

  @Test("setting the clock back delays neither the reports of ranging nor the exit of a beacon by more than their intervals")
  func clock() {
    var phone = Phone()
    phone.send(.watch(a, region()))
    phone.send(.ranging(a, Beacons.Identity(uuid: uuid), true))
    phone.process([sighting()], at: [10])
    phone.discard()
    let back = -20 * 86_400.0
    phone.setClock(to: back)
    phone.wait(until: back + 60)
    #expect(phone.ranged.map(\.at) == (2...60).map { back + Double($0) })
    #expect(phone.crossings == ["\(Int(back) + 31) out bike"])
  }

  @Test("in the background, ranging lasts as long as the wake-up of the app")
  func background() {
    var phone = Phone()
    phone.send(.watch(a, region()))
    phone.send(.ranging(a, Beacons.Identity(uuid: uuid), true))
    phone.send(.app(.background))
    phone.send(.app(.suspended))
    phone.wait(until: 100)
    #expect(phone.ranged.isEmpty)
    phone.process([sighting()], at: [100])
    phone.wait(until: 125)
    #expect(phone.has(.wakeApp(until: Phone.start.addingTimeInterval(110))))
    #expect(phone.ranged.map(\.at) == (101...110).map(Double.init))
    #expect(phone.times { $0 == .mayBeSuspended } == [110])
  }

  @Test("the radio scans while a region or ranging needs it, and beacons need full accuracy")
  func radio() {
    var phone = Phone()
    phone.send(.watch(a, region()))
    phone.send(.precise(false))
    phone.process([sighting()], at: [10])
    phone.send(.ranging(a, Beacons.Identity(uuid: uuid), true))
    #expect(phone.crossings.isEmpty)
    #expect(phone.has(.rangingFailed(a, Beacons.Identity(uuid: uuid), CLError(.rangingUnavailable))))
    phone.send(.precise(true))
    phone.send(.stopWatching(a, identifier: "bike"))
    let switches = phone.outputs.compactMap { if case .beaconRadio(let isOn) = $0.1 { isOn } else { nil } }
    #expect(switches == [true, false, true, false])
  }

  @Test("a beacon is one of the twenty regions")
  func limit() {
    var phone = Phone()
    for number in 1...20 { phone.send(.watch(a, Phone.circle("\(number)"))) }
    phone.send(.watch(a, region()))
    #expect(phone.has(.watchFailed(a, region(), CLError(.regionMonitoringFailure))))
  }
}
