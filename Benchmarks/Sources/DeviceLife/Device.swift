#if os(Linux)
  import CoreLocation
  internal import Foundation
  import Godwit
  import GodwitTracks

  /// The whole SDK of a device, from the delegate of Core Location to the network, on a virtual clock that advances as fast as the work
  /// is done.
  package enum Device {
    /// The work of a device.
    package struct Command: Codable {
      package var journal: String
      package var url: String
      package var token: String?
      /// A recorded track, which is replayed forwards and backwards.
      package var track: String
      /// The number of seconds with positions, one per second.
      package var seconds = 0
      /// The number of positions that are reported together.
      package var together = 1
      /// Whether the device runs until everything is sent; otherwise it runs until the last fix is in the journal.
      package var isSending = true

      package init(journal: String, url: String, token: String?, track: String) {
        (self.journal, self.url, self.token, self.track) = (journal, url, token, track)
      }
    }

    package static func run(_ command: Command) async throws -> DeviceReport {
      let time = VirtualTime(Date(timeIntervalSince1970: 1_760_000_000))
      guard let address = URL(string: command.url) else { throw CocoaError(.fileReadUnknown) }
      var settings = Settings()
      settings.deviceID = "walker"
      settings.includesUniqueID = true
      let daemon = LocationDaemon(source: EmptySource(), authorization: .authorizedAlways, now: { time.now })
      let manager = CLLocationManager(daemon: daemon, queue: DispatchQueue(label: "location"))
      let sensor = LocationSensor(manager: manager)
      let tracker = try Tracker(
        configuration: Tracker.Configuration(
          journalPath: command.journal, endpoints: [Endpoint(id: "home", url: address, token: command.token)],
          settings: settings, uniqueID: "7F3A2C1E-9B4D-4E6F-8A1B-2C3D4E5F6A7B", environment: time.environment),
        sensor: sensor)
      let begin = (DeviceReport.processorTime, ContinuousClock.now)
      let running = Task { try await tracker.run() }
      // The sensor has no listener until the tracker has started.
      await tracker.caughtUp()
      tracker.startTracking()
      if command.seconds > 0 {
        let points = try points(command.track)
        let start = time.now
        var second = 0
        while second < command.seconds {
          let locations = (second..<min(second + command.together, command.seconds)).map { location(points, $0, start) }
          if second % 60 < command.together { tracker.update(context(second)) }
          second += locations.count
          time.advance(to: start.addingTimeInterval(Double(second)))
          // The method that Core Location calls.
          sensor.locationManager(manager, didUpdateLocations: locations)
          // Waits until the fix is in the journal, so that each report has its own transaction.
          await tracker.caughtUp()
        }
      }
      await tracker.caughtUp()
      if command.isSending {
        tracker.sendNow()
        await tracker.untilSent()
      }
      var report = DeviceReport()
      report.processor = DeviceReport.processorTime - begin.0
      report.seconds = Double((ContinuousClock.now - begin.1) / .nanoseconds(1)) / 1e9
      report.resident = DeviceReport.memory("VmRSS") / 1024
      report.waiting = tracker.journal.waiting(endpoint: "home")
      running.cancel()
      _ = await running.result
      report.peak = DeviceReport.memory("VmHWM") / 1024
      for suffix in ["", "-wal"] {
        let file = try? FileManager.default.attributesOfItem(atPath: command.journal + suffix)
        report.journalSize += file?[.size] as? Int ?? 0
      }
      return report
    }

    /// A source without positions: the benchmark calls the delegate itself, because on a phone Core Location is another process.
    private struct EmptySource: PositionSource {
      let isSimulated = true
      func run(_ report: @escaping @Sendable (PositionEvent) async -> Void) async throws {}
    }

    private static func points(_ path: String) throws -> [Fix] {
      let file = try TrackFile(path: path)
      var points: [Fix] = []
      while let some = try file.next() { points += some.compactMap(\.fix) }
      // Forwards and backwards, so that no step is a jump.
      return points + points.reversed()
    }

    private static func location(_ points: [Fix], _ second: Int, _ start: Date) -> CLLocation {
      let point = points[second % points.count]
      return CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: point.coordinate.latitude, longitude: point.coordinate.longitude),
        altitude: point.altitude ?? 0, horizontalAccuracy: 3.5 + Double(second % 70) / 10,
        verticalAccuracy: 4.5 + Double(second % 30) / 10, course: Double(second % 3600) / 10, courseAccuracy: 5.2,
        speed: 1.2 + Double(second % 9) / 10, speedAccuracy: 0.3, timestamp: start.addingTimeInterval(Double(second + 1)))
    }

    /// The device state that a phone reports once a minute: the battery discharges, and the motion changes.
    private static func context(_ second: Int) -> DeviceContext {
      var context = DeviceContext(
        batteryLevel: 1 - Double(second / 600 % 90) / 100, batteryState: .unplugged,
        motion: second / 1800 % 2 == 0 ? .walking : .cycling, wifi: second / 7200 % 3 == 0 ? "at home" : nil)
      context.deviceModel = "iPhone 15"
      context.systemVersion = "iOS 18.1"
      return context
    }
  }
#endif
