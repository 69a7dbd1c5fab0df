#if os(Linux)
  import CoreLocation
  import Foundation
  import GodwitEngine
  import GodwitModel
  import Testing

  @testable import Godwit

  @Suite("The sensor of regions that an app forwards")
  struct ForwardingSensorTests {
    /// A source without positions.
    private struct NoSource: PositionSource {
      var isSimulated: Bool { true }
      func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
    }

    @Test("its positions continue in the background if the app's do, and are not paused", arguments: [true, false])
    func background(isAllowed: Bool) {
      let daemon = LocationDaemon(source: NoSource(), authorization: .authorizedAlways)
      let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "test"))
      manager.allowsBackgroundLocationUpdates = isAllowed
      let sensor = ForwardingSensor(manager)
      sensor.perform(.wantsFixes(.best))
      #expect(sensor.own.allowsBackgroundLocationUpdates == isAllowed)
      #expect(!sensor.own.pausesLocationUpdatesAutomatically)
    }
  }
#endif
