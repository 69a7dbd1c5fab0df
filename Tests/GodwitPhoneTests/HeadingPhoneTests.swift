import CoreLocation
import Foundation
import Godwit
import GodwitSimulator
import Synchronization
import Testing

@testable import GodwitPhone

@Suite("The compass of a simulated phone")
struct HeadingPhoneTests {
  private final class Compass: NSObject, CLLocationManagerDelegate, Sendable {
    private let manager = CLLocationManager()
    private let note: @Sendable (CLHeading) -> Void

    init(_ note: @escaping @Sendable (CLHeading) -> Void) {
      self.note = note
      super.init()
      manager.delegate = self
      manager.requestWhenInUseAuthorization()
      if CLLocationManager.headingAvailable() { manager.startUpdatingHeading() }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) { note(newHeading) }
  }

  @Test("an app in the foreground receives the heading of the route when it changes, and none in the background")
  func headings() throws {
    let reported = Mutex<[(at: Double, true: Double, magnetic: Double, accuracy: Double)]>([])
    let app = PhoneApp { launch in
      Compass { heading in
        reported.withLock {
          $0.append(
            (
              heading.timestamp.timeIntervalSince(midnight.date), heading.trueHeading, heading.magneticHeading,
              heading.headingAccuracy
            ))
        }
      }
    }
    var configuration = SimulatedPhone.Configuration(truth: try workday())
    configuration.start = midnight
    configuration.closesAfter = nil
    let phone = SimulatedPhone(configuration, app: app, server: NoServer())
    phone.run(until: at(64_000))
    // To the north in the morning, and back to the south at 17:00.
    let headings = reported.withLock { $0 }
    #expect(headings.count >= 2 && headings.count < 100, "\(headings.count)")
    #expect(headings.map(\.at) == headings.map(\.at).sorted())
    let turn = try #require(headings.last { abs($0.true - 180) < 5 })
    #expect((61_190...61_260).contains(turn.at), "\(turn)")
    #expect(headings.contains { $0.at < 61_000 && ($0.true < 5 || $0.true > 355) })
    #expect(headings.allSatisfy { $0.accuracy > 0 && $0.true == $0.magnetic })
    phone.end()
  }
}
