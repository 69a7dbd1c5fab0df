import Foundation
import GodwitModel
import GodwitSimulator
import Testing

@Suite("Energy: the account")
struct EnergyAccountTests {
  @Test("the parts sum to the total, to the last picojoule, for random events", arguments: seeds)
  func sum(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var account = EnergyAccount(from: midnight)
    var time = midnight
    for _ in 0..<5_000 {
      time = SimulatedTime(microseconds: time.microseconds + Int64(random.next() % 100_000_000))
      let part = EnergyPart.allCases[Int(random.next() % UInt64(EnergyPart.allCases.count))]
      if random.happens(0.3) {
        account.add(part, .joules(random.uniform(0...5)))
      } else {
        account.set(part, .milliwatts(random.uniform(0...2_000)), at: time)
      }
      let end = time + random.uniform(0...1_000)
      let parts = EnergyPart.allCases.reduce(Energy.zero) { $0 + account.used(by: $1, until: end) }
      #expect(parts == account.used(until: end), "seed \(seed)")
    }
  }

  @Test("the energy of a time is the sum of its parts", arguments: seeds)
  func pieces(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var whole = EnergyAccount(from: midnight)
    var cut = EnergyAccount(from: midnight)
    var battery = Battery(capacity: .wattHours(12.7), level: 0.7)
    var cutBattery = battery
    var time = midnight
    for _ in 0..<300 {
      let power = Power.milliwatts(random.uniform(0...3_000))
      whole.set(.satellites, power, at: time)
      cut.set(.satellites, power, at: time)
      battery.charging = random.happens(0.3) ? .milliwatts(5_000) : .zero
      cutBattery.charging = battery.charging
      let end = time + random.uniform(0...600)
      var at = time
      while at < end {
        let next = min(end, SimulatedTime(microseconds: at.microseconds + Int64(1 + random.next() % 90_000_000)))
        // The part is turned off and on at the same time, which uses no energy.
        cut.set(.satellites, .zero, at: next)
        cut.set(.satellites, power, at: next)
        cutBattery.advance(from: at, to: next, using: power)
        at = next
      }
      battery.advance(from: time, to: end, using: power)
      time = end
      #expect(whole.used(until: time) == cut.used(until: time), "seed \(seed)")
      #expect(battery == cutBattery, "seed \(seed)")
    }
  }

  @Test("a century at a watt is exact")
  func long() {
    var account = EnergyAccount(from: midnight)
    account.set(.standby, .milliwatts(1_000), at: midnight)
    #expect(account.used(until: at(3.2e9)) == .joules(3.2e9))
    #expect(abs(account.used(until: at(3.2e9)).milliwattHours - 3.2e9 / 3.6) < 1)
  }

  @Test("a time before the last one counts as the last one, so no energy is subtracted")
  func backwards() {
    var account = EnergyAccount(from: midnight)
    account.set(.satellites, .milliwatts(100), at: at(0))
    account.set(.processor, .milliwatts(100), at: at(10))
    account.set(.satellites, .zero, at: at(5))
    #expect(account.used(until: at(20)) == .joules(2))
  }

  @Test("the time at which a battery is empty is exact to the microsecond, and its level stays between 0 and its capacity")
  func empty() throws {
    var battery = Battery(capacity: .joules(10), level: 0.5)
    let empty = try #require(battery.emptyTime(from: midnight, using: .milliwatts(3)))
    var before = battery
    before.advance(from: midnight, to: SimulatedTime(microseconds: empty.microseconds - 1), using: .milliwatts(3))
    #expect(!before.isEmpty)
    battery.advance(from: midnight, to: empty, using: .milliwatts(3))
    #expect(battery.isEmpty && battery.level == 0)
    battery.charging = .milliwatts(5_000)
    #expect(battery.emptyTime(from: empty, using: .milliwatts(3)) == nil)
    battery.advance(from: empty, to: empty + 3_600, using: .milliwatts(3))
    #expect(battery.isFull && battery.level == 1)
    battery.consume(.joules(11))
    #expect(battery.isEmpty)
  }

  @Test("a battery that starts before 1970 has a time at which it is empty; a battery that lasts beyond the last time has none")
  func emptyEarly() {
    let battery = Battery(capacity: .joules(10))
    let start = SimulatedTime(microseconds: -1_000_000_000)
    #expect(battery.emptyTime(from: start, using: .milliwatts(10)) == SimulatedTime(microseconds: 0))
    #expect(Battery(capacity: .joules(1e9)).emptyTime(from: midnight, using: Power(microwatts: 1)) == nil)
  }
}

@Suite("Energy: the radio for data")
struct DataRadioTests {
  /// Joules of one transfer after a long sleep, until the radio sleeps again.
  private func cold(_ phone: String, _ kind: NetworkKind, up: Int, down: Int = 0) throws -> Double {
    var joules = 0.0
    var radio = DataRadio()
    let cost = try #require(PhoneProfile.named(phone)?.radio(kind))
    _ = radio.transfer(up: up, down: down, over: .usual(kind), cost: cost, at: midnight)
    var time = midnight
    while radio.phase != .idle {
      let next = radio.nextChange
      joules += radio.power.energy(from: time, to: next).joules
      radio.advance(to: next)
      time = next
    }
    return joules
  }

  @Test(
    "a cold upload of 10 kB costs the documented energy",
    arguments: [
      ("lte-2012", NetworkKind.lte, 13.0, 0.05), ("phone-2023", .lte, 2.5, 0.05), ("phone-2023", .nr, 7, 0.1),
      ("phone-2023", .wifi, 0.1, 0.3),
    ])
  func upload(phone: String, kind: NetworkKind, joules: Double, tolerance: Double) throws {
    #expect(abs(try cold(phone, kind, up: 10_000) / joules - 1) < tolerance)
  }

  @Test("the tail uses most of the energy of a small LTE upload, and little over wifi (Huang and others)")
  func tail() throws {
    let lte = try cold("lte-2012", .lte, up: 10_000)
    #expect(11.6 * 1.06 / lte > 0.9)
    #expect(try cold("lte-2012", .wifi, up: 10_000) < lte / 50)
    // A bulk upload: 10 MB at 5 Mbit/s, with the published power for each Mbit/s.
    let bulk = try cold("lte-2012", .lte, up: 10_000_000)
    #expect(abs(bulk - (0.26 * 1.211 + 0.5 * 1.288 + 16 * (1.288 + 5 * 0.438) + 11.6 * 1.06)) < 0.01)
    let threeG = try cold("lte-2012", .umts, up: 1_000_000)
    #expect(abs(threeG - (0.58 * 0.659 + 0.5 * 0.818 + 8 * (0.818 + 0.869) + 8.1 * 0.804 + 0.8 * 0.601)) < 0.01)
  }

  @Test("an upload during the tail needs no promotion and restarts the tail; an upload after the tail needs a promotion")
  func inTail() throws {
    let cost = try #require(PhoneProfile.named("lte-2012")?.radio(.lte))
    var radio = DataRadio()
    let first = radio.transfer(up: 10_000, down: 0, over: .lte, cost: cost, at: midnight)
    #expect(radio.phase == .promotion)
    let inTail = first + 5
    radio.advance(to: inTail)
    #expect(radio.phase == .tail)
    let second = radio.transfer(up: 10_000, down: 0, over: .lte, cost: cost, at: inTail)
    #expect(radio.phase == .transfer)
    #expect(abs((second - inTail) - (first - midnight - cost.promotionTime)) < 1e-5)
    radio.advance(to: second)
    #expect(radio.nextChange == second + 11.6)
    let after = second + 12
    radio.advance(to: after)
    #expect(radio.phase == .idle && radio.power == .zero && radio.nextChange == .never)
    _ = radio.transfer(up: 1, down: 1, over: .lte, cost: cost, at: after)
    #expect(radio.phase == .promotion)
  }

  @Test("concurrent uploads are sent one after the other, and a bad signal increases the cost")
  func queue() throws {
    let cost = try #require(PhoneProfile.named("phone-2023")?.radio(.lte))
    var radio = DataRadio()
    let first = radio.transfer(up: 100_000, down: 0, over: .lte, cost: cost, at: midnight)
    let second = radio.transfer(up: 100_000, down: 0, over: .lte, cost: cost, at: midnight)
    #expect(abs((second - first) - (0.5 + 0.16)) < 1e-5)
    radio.cut()
    #expect(radio.phase == .idle)
    var bad = NetworkCondition.lte
    bad.signalCost = 3
    _ = radio.transfer(up: 1, down: 0, over: bad, cost: cost, at: midnight)
    #expect(radio.power == .milliwatts(2_700))
  }
}

@Suite("Phones")
struct PhoneProfileTests {
  @Test("the table has the phones, and each number with its unit, source and origin")
  func table() throws {
    #expect(
      PhoneProfile.all.map(\.name) == ["legacy-n95", "lte-2012", "phone-2023", "pixel-7", "pixel-8-pro", "iphone-6", "nexus-6"])
    #expect(PhoneProfile.usual.name == "phone-2023" && PhoneProfile.named("phone-1876") == nil)
    for phone in PhoneProfile.all {
      for number in PhoneProfile.Number.allCases {
        let quantity = try #require(phone.quantity(number))
        #expect(quantity.unit == number.unit && quantity.source.count > 4)
      }
      #expect(phone.radio(.none) == nil && phone.radio(.wifi) != nil)
    }
    #expect(PhoneProfile.usual.quantity(.satellites)?.origin == .assumed)
    #expect(PhoneProfile.named("legacy-n95")?.quantity(.satellites)?.origin == .published)
    // A phone without LTE uses 3G.
    let old = try #require(PhoneProfile.named("legacy-n95"))
    #expect(old.radio(.nr) == old.radio(.umts) && old.networks == [.wifi, .umts])
    #expect(PhoneProfile.usual.with(.satellites, 400)[.satellites] == 400)
  }

  @Test(
    "a Pixel has the currents of its power profile at 3.7 V, and other values are assumed",
    arguments: [
      ("pixel-7", "device_google_pantah", 13.3, 14.33, 12.79, 38.0, 298.0),
      ("pixel-8-pro", "android_device_google_shusky", 10, 28, 5, 79, 292),
    ])
  func pixel(
    name: String, repository: String, suspended: Double, weak: Double, good: Double, wifi: Double, modem: Double
  ) throws {
    let phone = try #require(PhoneProfile.named(name))
    let published: [(PhoneProfile.Number, Double)] = [
      (.standby, suspended), (.satelliteSearch, weak), (.satellites, good),
    ]
    for (number, current) in published {
      #expect(abs(phone[number] - current * 3.7) < 0.06 && phone.quantity(number)?.origin == .published)
    }
    #expect(phone.quantity(.standby)?.source.contains(repository) == true)
    #expect(try #require(phone.radio(.wifi)).base == .milliwatts((wifi * 37).rounded() / 10))
    #expect(try #require(phone.radio(.lte)).base == .milliwatts((modem * 37).rounded() / 10))
    for number in [PhoneProfile.Number.wifiScan, .delivery, .runnable, .motion] {
      let quantity = try #require(phone.quantity(number))
      #expect(quantity.origin == .assumed && quantity.value == PhoneProfile.usual[number])
      #expect(quantity.source.contains("phone-2023"))
    }
  }

  @Test("the phones of MobilityNet have fitted numbers, a recalled battery, and no 5G", arguments: ["iphone-6", "nexus-6"])
  func fitted(name: String) throws {
    let phone = try #require(PhoneProfile.named(name))
    #expect(phone.quantity(.battery)?.origin == .recalled && phone.quantity(.standby)?.origin == .field)
    for number in [PhoneProfile.Number.satelliteSearch, .satellites, .runnable, .wifiScan] {
      #expect(phone.quantity(number)?.source.contains("fit-phones") == true)
    }
    #expect(phone.networks == [.wifi, .umts, .lte] && phone.radio(.nr) == phone.radio(.lte))
    // A day at the best accuracy uses more than half of the battery.
    #expect((phone[.satelliteSearch] + phone[.runnable] + phone[.standby]) / 1_000 * 24 > 0.5 * phone[.battery])
  }

  @Test(
    "an invalid table is rejected with phone, number and a remedy",
    arguments: [
      ("\"battery\": {\"value\": 12.7, \"unit\": \"Wh\"", "\"battery\": {\"value\": 12.7, \"unit\": \"J\"", "give it in Wh"),
      ("\"standby\": {\"value\": 45", "\"standby\": {\"value\": -45", "standby is -45.0"),
      ("\"motion\": {\"value\": 1.5", "\"mution\": {\"value\": 1.5", "motion is missing"),
      ("\"5g\"", "\"6g\"", "there is no radio \"6g\""),
      ("\"wifiScanStill\": {\"value\": 120", "\"wifiScanStill\": {\"value\": 0", "wifiScanStill must be above 0"),
      ("\"phones\"", "\"telephones\"", "phones.json"),
    ])
  func wrong(old: String, new: String, words: String) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Sources/GodwitSimulator/Phones/phones.json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let phones = try PhoneProfile.read(Array(text.utf8))
    #expect(phones == PhoneProfile.all)
    #expect(text.contains(old))
    let changed = text.replacingOccurrences(of: old, with: new)
    #expect { try PhoneProfile.read(Array(changed.utf8)) } throws: { "\($0)".contains(words) }
  }
}
