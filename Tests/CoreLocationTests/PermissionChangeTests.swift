import Foundation
import Testing

@testable import CoreLocation

@Suite("Permission that changes while a program runs")
struct PermissionChangeTests {
  @Test(
    "live updates and monitors report each change of permission, and continue when it is granted again", .timeLimit(.minutes(20)))
  func streams() async throws {
    let daemon = LocationDaemon(source: Script(north: [10, 20]), authorization: .denied)
    try await daemon.serve {
      let monitor = await CLMonitor("Home")
      await monitor.add(
        CLMonitor.CircularGeographicCondition(center: Script.origin, radius: 100), identifier: "home")
      var events = await monitor.events.makeAsyncIterator()
      var updates = CLLocationUpdate.liveUpdates().makeAsyncIterator()
      let rejected = try #require(await events.next())
      #expect(rejected.state == .unmonitored && rejected.authorizationDenied)
      #expect(try await updates.next()?.authorizationDenied == true)

      daemon.handle(.authorizationDecided(.authorizedWhenInUse))
      #expect(try await events.next()?.state == .satisfied)
      for north in [10.0, 20] {
        let location = try #require(await updates.next()?.location)
        #expect(abs(location.coordinate.latitude - Script.place(north: north).latitude) < 1e-9)
      }

      daemon.handle(.authorizationDecided(.denied))
      #expect(try await events.next()?.authorizationDenied == true)
      let update = try #require(await updates.next())
      #expect(update.authorizationDenied && update.location == nil)

      daemon.handle(.authorizationDecided(.authorizedAlways))
      #expect(try await events.next()?.state == .satisfied)
    }
  }

  @Test("a session reports each change until it ends", .timeLimit(.minutes(20)))
  func session() async throws {
    let daemon = LocationDaemon(source: Script(north: []), authorization: .authorizedAlways)
    try await daemon.serve {
      let session = CLServiceSession(authorization: .always)
      var diagnostics = session.diagnostics.makeAsyncIterator()
      let first = try await diagnostics.next()
      #expect(first?.alwaysAuthorizationDenied == false)
      daemon.handle(.authorizationDecided(.authorizedWhenInUse))
      #expect(try await diagnostics.next()?.alwaysAuthorizationDenied == true)
      daemon.handle(.authorizationDecided(.restricted))
      #expect(try await diagnostics.next()?.authorizationRestricted == true)
      session.invalidate()
      #expect(try await diagnostics.next() == nil)
    }
  }

  @Test("a released client does not keep the receiver running", .timeLimit(.minutes(20)))
  func gone() async throws {
    // Yields when no client needs positions any more.
    let (ended, end) = AsyncStream<Void>.makeStream()
    let daemon = LocationDaemon(source: Endless(end: end), authorization: .authorizedAlways)
    try await daemon.serve {
      for try await update in CLLocationUpdate.liveUpdates() where update.location != nil { break }
      for await _ in ended { break }
      var monitor: CLMonitor? = await CLMonitor("Home")
      await monitor?.add(
        CLMonitor.CircularGeographicCondition(center: Script.origin, radius: 100), identifier: "home")
      monitor = nil
      for await _ in ended { break }
    }
  }

  /// A receiver that reports one position each time it is switched on, and is on until it is switched off.
  private struct Endless: PositionSource {
    var end: AsyncStream<Void>.Continuation
    var isSimulated: Bool { true }
    var timekeeping: Timekeeping { .switchesOff }
    func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
      await tell(.positions([Script.fix(0, north: 0)]))
      for await _ in AsyncStream<Void>.makeStream().stream {}
      end.yield()
    }
  }
}
