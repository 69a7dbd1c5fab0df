// The bicycle tracker as a program. With a recorded file, it replays the file as fast as it can and prints the rides that it
// detects. Without a file, it records rides from the receiver of this machine until it is interrupted.
#if os(Linux)
  import CoreLocation
  import CoreMotion
  import Foundation
  import Godwit
  import Rides

  struct Failure: Error, CustomStringConvertible { let description: String }

  @main
  struct CycleTracker {
    static func main() async {
      let arguments = CommandLine.arguments.dropFirst()
      guard arguments.count <= 2, !arguments.contains(where: { $0.hasPrefix("-") }) else {
        FileHandle.standardError.write(Data("usage: CycleTracker [RIDE.gpx [FOLDER]]\n".utf8))
        exit(2)
      }
      let folder = URL(fileURLWithPath: arguments.count == 2 ? arguments.last ?? "Rides" : "Rides", isDirectory: true)
      do {
        if let file = arguments.first { try await replay(file, into: folder) } else { try await record(into: folder) }
      } catch {
        FileHandle.standardError.write(Data("CycleTracker: \(error)\n".utf8))
        exit(1)
      }
    }

    private static func replay(_ file: String, into folder: URL) async throws {
      let replay = try Replay(path: file)
      // A new journal for each run: earlier replays do not affect this one.
      let memory = FileManager.default.temporaryDirectory.appendingPathComponent("rides-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: memory, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: memory) }
      let rides = try RideTracker(
        folder: folder, journal: memory.appendingPathComponent("journal"), sensor: replay.sensor,
        environment: replay.environment())
      show(rides.store)
      try await replay.play(to: rides.tracker)
      if let problem = rides.store.problem { throw Failure(description: problem) }
      if try rides.store.rides().isEmpty { print("There was no ride in \(file).") }
    }

    private static func record(into folder: URL) async throws {
      let rides = try RideTracker(
        folder: folder, sensor: LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager()))
      show(rides.store)
      rides.tracker.startTracking()
      print("Waiting for a ride. Ctrl-C ends.")
      try await rides.tracker.run()
    }

    private static func show(_ store: RideStore) {
      store.onRide { ride in
        print("Ride of \(ride.start.formatted(.iso8601)): \(ride.summary)")
        print("  track: \(store.file(ride, "gpx").path)")
        print("  page:  \(store.file(ride, "html").path)")
      }
    }
  }
#elseif canImport(SwiftUI)
  import CoreLocation
  #if !os(macOS)
    import CoreMotion
  #endif
  import Foundation
  import Godwit
  import Rides
  import SwiftUI

  @main
  struct CycleTracker: App {
    private let model: Result<RidesModel, any Error>

    init() {
      model = Result {
        try RidesModel(
          RideTracker(
            folder: URL.applicationSupportDirectory.appending(path: "Rides"),
            sensor: Self.sensor))
      }
      // Not in a view: the system also launches the app in the background, without a view.
      if case .success(let model) = model { Task { await model.run() } }
    }

    /// The sensor of this system. A Mac has no motion chip: the user starts a ride manually.
    private static var sensor: LocationSensor {
      #if os(macOS)
        LocationSensor(manager: CLLocationManager())
      #else
        LocationSensor(manager: CLLocationManager(), motion: CMMotionActivityManager())
      #endif
    }

    var body: some Scene {
      WindowGroup {
        switch model {
        case .success(let model): RidesView(model)
        case .failure(let error): Text("\(error)")
        }
      }
    }
  }
#endif
