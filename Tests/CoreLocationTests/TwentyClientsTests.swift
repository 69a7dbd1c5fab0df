import Foundation
import GodwitModel
import Testing

@testable import CoreLocation

/// A day of an app with many managers, in virtual time: each manager is called as a single manager would be.
@Suite("Many managers", .timeLimit(.minutes(20)))
struct TwentyClientsTests {
  /// A delegate that logs every event.
  private final class Log: NSObject, CLLocationManagerDelegate {
    private(set) var crossings: [String] = []
    private(set) var visits: [String] = []
    private(set) var changes: [Double] = []
    private(set) var failures: [Int] = []

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
      crossings.append("in \(region.identifier)")
    }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
      crossings.append("out \(region.identifier)")
    }
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
      let (from, to) = (visit.arrivalDate, visit.departureDate)
      visits.append(
        "\(from == .distantPast ? -1 : from.timeIntervalSince(Phone.start)) \(to == .distantFuture ? -1 : to.timeIntervalSince(Phone.start))"
      )
    }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      changes += locations.map { $0.timestamp.timeIntervalSince(Phone.start) }
    }
    func locationManager(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error) {
      failures.append((error as? CLError)?.code.rawValue ?? -1)
    }
  }

  /// Seconds and metres north: an hour at home, 21 km in 35 minutes, two hours there, back, and an hour at home.
  private static let day: [(seconds: Double, north: Double)] = {
    var day: [(Double, Double)] = []
    var time = 0.0
    func go(to end: Double, from start: Double, seconds: Double) {
      for step in stride(from: 0, to: seconds, by: 10) { day.append((time + step, start + (end - start) * step / seconds)) }
      time += seconds
    }
    go(to: 0, from: 0, seconds: 3600)
    go(to: 21_000, from: 0, seconds: 2100)
    go(to: 21_000, from: 21_000, seconds: 7200)
    go(to: 0, from: 21_000, seconds: 2100)
    go(to: 0, from: 0, seconds: 3600)
    return day
  }()

  /// - Parameters:
  ///   - count: The number of managers that share the twenty regions.
  ///   - leaving: The number of managers that are released after half of the day.
  private func run(_ count: Int, leaving: Int = 0) -> [Log] {
    let host = ManualHost()
    let logs = (0..<count).map { _ in Log() }
    var managers: [CLLocationManager] = []
    for log in logs {
      let manager = CLLocationManager(daemon: host.daemon, queue: .main)
      manager.delegate = log
      manager.startMonitoringVisits()
      manager.startMonitoringSignificantLocationChanges()
      managers.append(manager)
    }
    for number in 0..<20 {
      let center = CLLocationCoordinate2D(
        latitude: Phone.fix(0, Double(number + 1) * 1000).coordinate.latitude, longitude: Phone.fix(0, 0).coordinate.longitude)
      managers[number % count].startMonitoring(for: CLCircularRegion(center: center, radius: 200, identifier: "\(number)"))
    }
    managers[count - 1].startMonitoring(
      for: CLCircularRegion(center: CLLocationCoordinate2D(latitude: 1, longitude: 1), radius: 200, identifier: "twenty-first"))
    host.settle()
    for (index, position) in Self.day.enumerated() {
      if index == Self.day.count / 2 { managers.removeFirst(leaving) }
      host.at(position.seconds, position.north)
    }
    host.wait(until: 24 * 3600)
    return logs
  }

  @Test("each of twenty managers gets every crossing, visit and change once")
  func all() throws {
    let one = try #require(run(1).first)
    #expect(one.failures == [5])
    // Each circle is entered and exited in both directions.
    #expect(one.crossings.count == 80 && Set(one.crossings).count == 40, "\(one.crossings)")
    #expect(
      one.visits.count >= 3 && one.changes.count >= 6 && one.changes == one.changes.sorted(), "\(one.visits) \(one.changes)")
    let many = run(20)
    for log in many {
      #expect(log.crossings == one.crossings)
      #expect(log.visits == one.visits)
      #expect(log.changes == one.changes)
    }
    #expect(many.flatMap(\.failures) == [5])
  }

  @Test("managers that are released during a day do not affect the others")
  func leaving() throws {
    let one = try #require(run(1).first)
    let logs = run(20, leaving: 15)
    for log in logs.suffix(5) {
      #expect(log.crossings == one.crossings && log.visits == one.visits && log.changes == one.changes)
    }
    for log in logs.prefix(15) {
      #expect(log.crossings == Array(one.crossings.prefix(log.crossings.count)) && log.crossings.count == 40)
    }
  }
}
