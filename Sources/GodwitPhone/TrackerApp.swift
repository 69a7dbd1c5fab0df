internal import CoreLocation
internal import CoreMotion
internal import Dispatch
public import Godwit
internal import GodwitEngine
public import GodwitModel
internal import Synchronization

internal import struct Foundation.URL

/// An app with this project's SDK: a tracker with Core Location and Core Motion, whose journal is on the phone's disk.
public struct TrackerApp: Sendable {
  public var settings: Settings
  /// The endpoints of the tracker. Any address can be used, because all requests reach the phone's server.
  public var endpoints: [Endpoint]
  /// Whether the app turns tracking on when the user opens it.
  public var starts = true
  /// Changes the configuration of the tracker before it is created.
  public var configure: @Sendable (inout Tracker.Configuration) -> Void = { _ in }
  /// Receives the tracker of each launch.
  public var launched: @Sendable (Tracker) -> Void = { _ in }
  /// Called first at each launch, also before the first unlock.
  package var launches: @Sendable (AppContext) -> Void = { _ in }
  /// Wraps the sensor of the tracker, for example in an observer or in a fault that ends the app at any point.
  package var senses: @Sendable (LocationSensor) -> any Sensor = { $0 }

  /// - Parameter settings: the settings of the tracker, which are the policy to test.
  public init(settings: Settings) {
    self.settings = settings
    let id = EndpointID("home")
    endpoints = URL(string: "https://home.example/api/overland").map { [Endpoint(id: id, url: $0, token: "simulated")] } ?? []
  }

  func app(of phone: @escaping @Sendable () -> SimulatedPhone?) -> PhoneApp {
    PhoneApp { launch in
      launches(launch)
      try await launch.waitForUnlock()
      var configuration = Tracker.Configuration(
        journalPath: launch.journalPath(), endpoints: endpoints, settings: settings, environment: launch.environment)
      configuration.recorded = { phone()?.record($0) }
      configure(&configuration)
      if configuration.regions != nil { configuration.regions?.path = launch.journalPath("regions") }
      let sensor = LocationSensor(
        manager: CLLocationManager(), motion: CMMotionActivityManager(),
        regions: configuration.regions == nil ? nil : CLLocationManager(), now: launch.environment.now)
      let tracker = try Tracker(configuration: configuration, sensor: senses(sensor))
      launch.whenKilled { [journal = tracker.journal, regions = tracker.regions] in
        journal.freeze()
        regions?.freeze()
      }
      launch.onEvent { [weak tracker] event in
        guard let tracker else { return }
        switch event {
        case .enteredForeground: tracker.becameActive()
        case .network(let isReachable, let isWifi): tracker.networkChanged(isReachable: isReachable, isWifi: isWifi)
        case .battery(let level, let isCharging):
          tracker.update { context in
            context.batteryLevel = level
            context.batteryState = isCharging ? .charging : .unplugged
          }
        case .enteredBackground, .unlocked: break
        }
      }
      if starts, launch.reason == .opened { tracker.startTracking() }
      phone()?.log.journal = tracker.journal
      launched(tracker)
      try await tracker.run()
      return nil
    }
  }
}

extension SimulatedPhone {
  /// Creates a phone whose app uses this project's SDK.
  public convenience init(_ configuration: Configuration, tracker: TrackerApp, server: any SimulatedServer) {
    let box = PhoneBox()
    self.init(configuration, app: tracker.app { box.phone }, server: server, isOpen: false)
    box.phone = self
    begin()
  }
}

/// A reference to a phone that is created later.
private final class PhoneBox: @unchecked Sendable {
  // `@unchecked Sendable`: written once before the app runs, and read on the phone's thread.
  weak var phone: SimulatedPhone?
}
