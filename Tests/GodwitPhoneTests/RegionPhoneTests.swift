import Foundation
import Godwit
import GodwitModel
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

/// A day: at home, a walk of two hours to the north at 08:00, a stay, the walk back at 17:00, home.
private func walks() throws -> Truth {
  let out = straight(from: 28_800, seconds: 7_200, speed: 1.3)
  let back = straight(from: 61_200, seconds: 7_200, speed: -1.3, north: 9_360)
  var rules = TruthRules()
  rules.surroundings = .only(.suburb)
  return try Truth(days: [[sample(0)], out, back, [sample(86_400)]], rules: rules)
}

private func fence(_ id: String, north: Double, radius: Double, east: Double = 0, dwell: Double? = nil) -> Region {
  Region(
    id: id, name: id.capitalized, shape: .circle(Circle(center: sample(0, north: north, east: east).coordinate, radius: radius)),
    tags: ["tag"], dwell: dwell)
}

/// The geofences on the route.
private let along = [
  fence("home", north: 0, radius: 400), fence("school", north: 3_000, radius: 400), fence("village", north: 6_000, radius: 400),
  fence("work", north: 9_360, radius: 400, dwell: 1_800),
]
/// Many regions that are never approached.
private let elsewhere = (0..<400).map { number in
  fence("far \(number)", north: Double(number) * 30, radius: 120, east: 2_500 + Double(number % 7) * 400)
}

/// The region events that the server stored, as text.
private func reported(_ received: ReceivedRecords) -> [String] {
  received.records.compactMap { record in
    guard case .region(let event) = record.kind else { return nil }
    return "\(event.kind) \(event.region.id)"
  }
}

@Suite("Regions on the simulated phone")
struct RegionPhoneTests {
  private func phone(
    _ script: String = "", regions: [Region] = along + elsewhere, beacons: [SimulatedBeacon] = [], received: ReceivedRecords,
    launched: @escaping @Sendable (Tracker) -> Void = { _ in }
  ) throws -> SimulatedPhone {
    var configuration = SimulatedPhone.Configuration(truth: try walks())
    configuration.start = midnight
    configuration.hazards = try HazardScript(text: script)
    configuration.beacons = beacons
    var settings = Settings()
    settings.apply(.batterySaving)
    var app = TrackerApp(settings: settings)
    app.configure = { $0.regions = RegionConfiguration() }
    app.launched = { tracker in
      received.launched()
      // Replacing the regions by equal ones at each launch has no effect.
      do { try tracker.regions?.replaceRegions(regions) } catch { Issue.record(error) }
      launched(tracker)
    }
    return SimulatedPhone(configuration, tracker: app, server: MemoryServer { received.store($0) })
  }

  @Test(
    "with significant changes only, every geofence on the route is reported in order, also if the app is killed repeatedly",
    arguments: [
      "", "+3h kill", "+8h05m kill\n+8h35m kill\n+9h kill\n+12h kill\n+17h30m kill", "+3h reboot\n+3h05m unlock",
    ])
  func crossings(script: String) throws {
    let received = ReceivedRecords()
    let phone = try phone(script, received: received)
    phone.run(until: at(86_400))
    phone.end()
    let reported = reported(received)
    #expect(received.launches > script.split(separator: "\n").count { $0.contains("kill") })
    for fence in along.map(\.id) {
      // A Wi-Fi router with a wrong position can cause more than one entry and exit.
      let own = reported.filter { $0.hasSuffix(" \(fence)") }
      let turns = own.filter { !$0.hasPrefix("dwelled") }
      #expect(turns.count >= 2, "\(fence): \(reported)")
      #expect(turns.enumerated().allSatisfy { $1.hasPrefix($0 % 2 == 0 ? "entered" : "exited") }, "\(fence): \(reported)")
    }
    #expect(reported.contains("dwelled work"))
    let numbers = received.records.compactMap { $0.id?.sequence.value }
    #expect(numbers.count == Set(numbers).count)
  }
}
