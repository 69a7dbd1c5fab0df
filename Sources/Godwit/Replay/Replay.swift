#if os(Linux)
  public import CoreLocation
  public import CoreMotion
  internal import Dispatch
  internal import Foundation
  public import GodwitHTTPClient
  internal import GodwitModel
  internal import GodwitWire
  internal import GodwitLocks

  /// Replays a recorded track to an app's own tracker. The tracker receives the positions, and motion that is computed from
  /// them, with the times of the file and as fast as it can process them. For tests and demonstrations, on Linux only.
  ///
  ///     let replay = try Replay(path: "ride.gpx")
  ///     var configuration = Tracker.Configuration(journalPath: path, endpoints: [])
  ///     configuration.environment = replay.environment()
  ///     let tracker = try Tracker(configuration: configuration, sensor: replay.sensor)
  ///     try await replay.play(to: tracker)
  public final class Replay: Sendable {
    /// The clock, which has the time of the last replayed position.
    package let clock: ReplayClock
    /// Reports the positions of the file to Core Location.
    public let daemon: LocationDaemon
    /// Reports motion that is computed from the positions.
    public let coprocessor: MotionCoprocessor
    private let listener = Listener()

    /// Opens a track.
    /// - Parameter path: the path of a GPX, NMEA 0183 or GeoLife PLT file.
    /// - Throws: ``GodwitError/Code/fileUnavailable`` if the file cannot be read, or has no point with a time.
    public init(path: String) throws(GodwitError) {
      let clock = ReplayClock(try GodwitError.wrapping(.fileUnavailable) { try Self.beginning(of: path) })
      self.clock = clock
      let listener = listener
      let source = ReplaySource(
        path: path, pace: .unpaced(most: 1, digested: { await listener.tracker?.caughtUp() }), horizontalAccuracy: nil)
      daemon = LocationDaemon(source: ClockedSource(source: source, clock: clock), now: { clock.now })
      coprocessor = MotionCoprocessor(daemon: daemon)
    }

    /// A sensor with location and motion.
    public var sensor: LocationSensor {
      LocationSensor(
        manager: CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "godwit.replay")),
        motion: CMMotionActivityManager(coprocessor: coprocessor))
    }

    /// Returns the environment of the tracker, whose clock has the time of the file.
    /// - Parameter client: sends the tracker's requests.
    public func environment(client: HTTPClient = .live()) -> TrackerEnvironment {
      var environment = TrackerEnvironment.live()
      environment.client = client
      environment.now = { [clock] in clock.now }
      environment.sleep = { [clock] in try await clock.sleep($0) }
      return environment
    }

    /// Runs a tracker that was created with this replay's sensor and environment: turns tracking on, replays the whole
    /// file, turns tracking off, and returns when all records are written. Call it once.
    public func play(to tracker: Tracker) async throws {
      listener.set(tracker)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await tracker.run() }
        group.addTask { [daemon] in
          tracker.startTracking()
          await daemon.finished()
          await tracker.caughtUp()
          tracker.stopTracking()
          await tracker.untilTripIsFinished()
        }
        // If the tracker's task ends first, it throws an error.
        try await group.next()
        group.cancelAll()
      }
    }

    private static func beginning(of path: String) throws -> Date {
      let file = try ReplayFile(path: path, now: Date().timeIntervalSince1970)
      while let fixes = try file.next() {
        if let time = fixes.first?.time { return time }
      }
      throw GodwitError(.fileUnavailable, "\(path): none of its points has a time, so that it cannot be replayed.")
    }
  }

  /// Advances the clock to the time of each position before the position is reported.
  private struct ClockedSource: PositionSource {
    var source: ReplaySource
    var clock: ReplayClock
    var isSimulated: Bool { source.isSimulated }

    func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
      try await source.run { event in
        if case .positions(let fixes) = event, let last = fixes.last { clock.advance(to: last.time) }
        await tell(event)
      }
    }
  }

  /// Holds the tracker, which is created after the source that waits for it.
  private final class Listener: Sendable {
    private let kept = Mutex<Tracker?>(nil)
    var tracker: Tracker? { kept.withLock { $0 } }
    func set(_ tracker: Tracker) { kept.withLock { $0 = tracker } }
  }
#endif
