import GodwitModel
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

private let start = Date(timeIntervalSince1970: 1_800_000_000)
private let a = LocationServices.ClientID(1)
private let b = LocationServices.ClientID(2)

private func fix(_ seconds: Double, north meters: Double = 0) -> Fix {
  // Valid: the latitude is close to 45°.
  Fix(time: start.addingTimeInterval(seconds), coordinate: Coordinate(latitude: 45 + meters / 111_195, longitude: 14)!)
}

private func services(_ status: CLAuthorizationStatus = .authorizedAlways) -> LocationServices {
  var services = LocationServices(authorization: status)
  for client in [a, b] { _ = services.handle(.connected(client), at: start) }
  return services
}

@Suite("The rules of the location services")
struct LocationServicesTests {
  @Test("only clients that started updates get positions, and the receiver runs while a client needs it")
  func standard() {
    var services = services()
    #expect(services.handle(.desiredAccuracyChanged(a, 100), at: start).isEmpty)
    #expect(services.handle(.startedUpdating(a), at: start) == [.radio(100)])
    #expect(services.handle(.startedUpdating(b), at: start) == [.radio(-1)])
    #expect(
      services.handle(.positions([fix(0), fix(1)]), at: start) == [
        .deliver(a, [fix(0), fix(1)]), .deliver(b, [fix(0), fix(1)]),
      ])
    #expect(services.handle(.stoppedUpdating(b), at: start) == [.radio(100)])
    #expect(services.handle(.positions([fix(2)]), at: start) == [.deliver(a, [fix(2)])])
    #expect(services.handle(.stoppedUpdating(a), at: start) == [.radio(nil)])
  }

  @Test("the distance filter compares with the last delivered position, and the first position is always delivered")
  func distanceFilter() {
    var services = services()
    _ = services.handle(.distanceFilterChanged(a, 10), at: start)
    _ = services.handle(.startedUpdating(a), at: start)
    let fixes = [fix(0), fix(1, north: 6), fix(2, north: 12), fix(3, north: 18), fix(4, north: 23)]
    #expect(services.handle(.positions(fixes), at: start) == [.deliver(a, [fixes[0], fixes[2], fixes[4]])])
  }

  @Test("the first position after a start is the last known one, at any age")
  func cached() {
    var services = services()
    _ = services.handle(.startedUpdating(a), at: start)
    _ = services.handle(.positions([fix(0)]), at: start)
    let later = start.addingTimeInterval(7200)
    #expect(services.handle(.startedUpdating(b), at: later) == [.deliver(b, [fix(0)])])
  }

  @Test("requestLocation delivers one position and then turns the receiver off")
  func oneShot() {
    var services = services()
    #expect(services.handle(.requestedLocation(a), at: start) == [.radio(-1), .wake(start.addingTimeInterval(10))])
    #expect(services.handle(.positions([fix(0), fix(1)]), at: start) == [.deliver(a, [fix(1)]), .radio(nil)])
    #expect(services.handle(.timer, at: start.addingTimeInterval(10)).isEmpty)
  }

  @Test("requestLocation delivers one position during updates too, whatever the distance filter drops")
  func oneShotDuringUpdates() {
    var services = services()
    _ = services.handle(.distanceFilterChanged(a, 75), at: start)
    _ = services.handle(.startedUpdating(a), at: start)
    _ = services.handle(.positions([fix(0)]), at: start)
    _ = services.handle(.requestedLocation(a), at: start)
    #expect(services.handle(.positions([fix(1, north: 5)]), at: start) == [.deliver(a, [fix(1, north: 5)])])
    #expect(services.handle(.positions([fix(2, north: 10)]), at: start).isEmpty)
  }

  @Test("requestLocation reports one error after ten seconds without a position, and a new request starts again")
  func oneShotTimeout() {
    var services = services()
    _ = services.handle(.requestedLocation(a), at: start)
    _ = services.handle(.requestedLocation(a), at: start.addingTimeInterval(5))
    // The timer of the first request fires early for the second one, so a new timer is set.
    #expect(services.handle(.timer, at: start.addingTimeInterval(10)) == [.wake(start.addingTimeInterval(15))])
    let outputs = services.handle(.timer, at: start.addingTimeInterval(15))
    #expect(outputs == [.fail(a, CLError(.locationUnknown)), .radio(nil)])
  }

  @Test("setting the clock back does not delay that error")
  func oneShotTimeoutAndClock() {
    var services = services()
    _ = services.handle(.requestedLocation(a), at: start)
    let outputs = services.handle(.timer, at: start.addingTimeInterval(-20 * 86_400))
    #expect(outputs == [.fail(a, CLError(.locationUnknown)), .radio(nil)])
  }

  @Test("the start and the end of updates cancel a request for one position", arguments: [true, false])
  func oneShotCancelled(_ isStarted: Bool) {
    var services = services()
    _ = services.handle(.requestedLocation(a), at: start)
    if isStarted { _ = services.handle(.startedUpdating(a), at: start) }
    #expect(services.handle(.stoppedUpdating(a), at: start) == [.radio(nil)])
    #expect(services.handle(.positions([fix(0)]), at: start).isEmpty)
    #expect(services.handle(.timer, at: start.addingTimeInterval(10)).isEmpty)
  }

  @Test("each reason for a missing position is reported once")
  func reasons() {
    var services = services()
    _ = services.handle(.startedUpdating(a), at: start)
    let reported = ["refused", "refused", "no fix yet", "no fix yet"].map { reason in
      services.handle(.sourceFailed(reason), at: start).compactMap { output -> String? in
        guard case .fail(_, let error) = output else { return nil }
        return error.localizedDescription
      }.first
    }
    #expect(reported == ["refused", nil, "no fix yet", nil])
  }

  @Test("a prompt appears once for each step, and updates begin when the user agrees")
  func authorization() {
    var services = services(.notDetermined)
    #expect(services.handle(.startedUpdating(a), at: start).isEmpty)
    #expect(services.handle(.requestedAuthorization(a, always: false), at: start) == [.prompt(always: false)])
    let outputs = services.handle(.authorizationDecided(.authorizedWhenInUse), at: start)
    #expect(outputs == [.authorization(a, .authorizedWhenInUse), .authorization(b, .authorizedWhenInUse), .radio(-1)])
    #expect(services.handle(.requestedAuthorization(a, always: false), at: start).isEmpty)
    #expect(services.handle(.requestedAuthorization(a, always: true), at: start) == [.prompt(always: true)])
    _ = services.handle(.authorizationDecided(.authorizedAlways), at: start)
    #expect(services.handle(.requestedAuthorization(a, always: true), at: start).isEmpty)
  }

  @Test("revoked permission ends updates with an error, and no position is reported")
  func denied() {
    var services = services()
    _ = services.handle(.startedUpdating(a), at: start)
    let outputs = services.handle(.authorizationDecided(.denied), at: start)
    #expect(outputs.contains(.fail(a, CLError(.denied))) && outputs.contains(.radio(nil)))
    #expect(services.handle(.positions([fix(0)]), at: start).isEmpty)
    #expect(services.handle(.requestedLocation(b), at: start) == [.fail(b, CLError(.denied))])
  }

  @Test("a missing receiver is reported once, and again after it returned")
  func sourceFailed() {
    var services = services()
    _ = services.handle(.startedUpdating(a), at: start)
    #expect(services.handle(.sourceFailed("unplugged"), at: start) == [.fail(a, CLError(.locationUnknown))])
    #expect(services.handle(.sourceFailed("unplugged"), at: start).isEmpty)
    _ = services.handle(.positions([fix(0)]), at: start)
    #expect(services.handle(.sourceFailed("unplugged"), at: start).count == 1)
  }
}

@Suite("Core Location's API")
struct APITests {
  @Test("constants have Apple's values")
  func constants() {
    #expect(kCLLocationAccuracyBestForNavigation == -2 && kCLLocationAccuracyBest == -1 && kCLDistanceFilterNone == -1)
    #expect(CLAuthorizationStatus.authorizedAlways.rawValue == 3 && CLError.Code.rangingFailure.rawValue == 17)
    #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(-90, 180)))
  }

  @Test("errors are caught as on Apple's systems")
  func errors() {
    func fail() throws { throw CLError(.denied) }
    do { try fail() } catch CLError.denied {} catch { Issue.record("\(error)") }
    #expect((CLError(.network) as NSError).domain == kCLErrorDomain && (CLError(.network) as NSError).code == 2)
  }

  @Test("a location measures distances on the ellipsoid")
  func distance() {
    let a = CLLocation(latitude: 0, longitude: 0)
    #expect(abs(a.distance(from: CLLocation(latitude: 0, longitude: 1)) - 111_319.49) < 0.01)
    #expect(a.horizontalAccuracy == 0 && a.verticalAccuracy == -1 && a.speed == -1 && a.course == -1)
    #expect(CLLocation(latitude: 1, longitude: 2).distance(from: CLLocation(latitude: 91, longitude: 0)) == -1)
  }

  /// A source that reports three positions and then ends.
  private struct ThreePositions: PositionSource {
    var isSimulated: Bool { true }
    func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
      for second in 0..<3 { await tell(.positions([fix(Double(second))])) }
      await tell(.finished)
    }
  }

  /// A class as in tutorials.
  @MainActor
  private final class Model: NSObject, CLLocationManagerDelegate {
    let manager: CLLocationManager
    var locations: [CLLocation] = []
    var statuses: [CLAuthorizationStatus] = []

    init(_ manager: CLLocationManager) {
      self.manager = manager
      super.init()
      manager.delegate = self
      manager.desiredAccuracy = kCLLocationAccuracyBest
      manager.requestWhenInUseAuthorization()
      manager.startUpdatingLocation()
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      let status = manager.authorizationStatus
      MainActor.assumeIsolated { statuses.append(status) }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      MainActor.assumeIsolated { self.locations += locations }
    }
  }

  @Test("an ordinary class of an iOS app works unchanged", .timeLimit(.minutes(20)))
  @MainActor
  func ordinaryClass() async {
    let daemon = LocationDaemon(source: ThreePositions())
    let model = Model(CLLocationManager(daemon: daemon, queue: .main))
    await daemon.finished()
    #expect(model.locations.map(\.timestamp) == (0..<3).map { start.addingTimeInterval(Double($0)) })
    #expect(model.statuses.last == .authorizedWhenInUse)
    #expect(model.manager.location?.sourceInformation?.isSimulatedBySoftware == true)
  }

  @Test(
    "reports of gpsd become positions, one for each time",
    arguments: [
      (
        #"{"class":"TPV","mode":3,"time":"2026-11-20T08:30:00.000Z","lat":45.1,"lon":14.2,"altMSL":7,"eph":3,"speed":1,"track":90}"#,
        true
      ),
      (#"{"class":"TPV","mode":1,"time":"2026-11-20T08:30:00.000Z"}"#, false),
      (#"{"class":"TPV","mode":3,"lat":45.1,"lon":14.2}"#, false),
      (#"{"class":"TPV","mode":2,"time":"2026-11-20T08:30:00.000Z","lat":91,"lon":14.2}"#, false),
      (#"{"class":"SKY"}"#, false), ("junk", false), ("", false),
    ])
  func gpsd(_ line: String, _ isPosition: Bool) {
    var reader = GpsdReader()
    let bytes = Array((line + "\n").utf8)
    // The result does not depend on where the bytes are split.
    let events = bytes.flatMap { reader.feed([$0]) } + reader.feed(bytes)
    #expect(events.count == (isPosition ? 1 : 0))
  }
}
