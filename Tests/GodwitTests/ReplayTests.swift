import CoreLocation
import CoreMotion
import Foundation
import GodwitHTTPClient
import GodwitModel
import Synchronization
import Testing

@testable import Godwit

#if os(Linux)
  @Suite("A replay", .timeLimit(.minutes(20)))
  struct ReplayTests {
    /// Writes a track to the north with one point every five seconds: half an hour of cycling, whose end is not in the file.
    private func file(in folder: TemporaryFolder) throws -> String {
      var text = "<gpx version=\"1.1\"><trk><trkseg>\n"
      for step in 0..<360 {
        let time = RFC3339.string(start.addingTimeInterval(Double(step) * 5))
        text += "<trkpt lat=\"\(45 + Double(step) * 25 / 111_195)\" lon=\"14\"><time>\(time)</time></trkpt>\n"
      }
      let path = folder.journal + ".gpx"
      try (text + "</trkseg></trk></gpx>").write(toFile: path, atomically: true, encoding: .utf8)
      return path
    }

    @Test("an app's tracker runs in the time of the file, and its last trip is finished", .timeLimit(.minutes(20)))
    func plays() async throws {
      let folder = try TemporaryFolder()
      let replay = try Replay(path: file(in: folder))
      let kept = Mutex<[Record]>([])
      var configuration = Tracker.Configuration(journalPath: folder.journal, endpoints: [])
      configuration.environment = replay.environment(client: HTTPClient { _ in throw HTTPError("no network here") })
      configuration.settings.startsTripsByMotion = true
      configuration.settings.recordsOnlyTrips = true
      configuration.recorded = { records in kept.withLock { $0 += records } }
      try await replay.play(to: Tracker(configuration: configuration, sensor: replay.sensor))
      let records = kept.withLock { $0 }
      guard case .trip(let trip)? = records.last?.kind else {
        Issue.record("the last record is not a trip: \(String(describing: records.last))")
        return
      }
      #expect(trip.mode == "bicycle" && !trip.stoppedAutomatically)
      #expect(trip.end == start.addingTimeInterval(359 * 5))
      // Cycling is reported within a minute.
      #expect(trip.start.timeIntervalSince(start) < 60)
      #expect(abs(trip.distance / trip.duration - 5) < 0.1)
      let fixes = records.filter { if case .fix = $0.kind { true } else { false } }
      #expect(fixes.count > 340 && fixes.allSatisfy { $0.context.motion == .cycling && $0.context.tripID != nil })
    }

    @Test("a file without times cannot be replayed, and the error has the reason")
    func timeless() throws {
      let folder = try TemporaryFolder()
      let path = folder.journal + ".gpx"
      try "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"1\" lon=\"2\"/></trkseg></trk></gpx>"
        .write(toFile: path, atomically: true, encoding: .utf8)
      let error = #expect(throws: GodwitError.self) { try Replay(path: path) }
      #expect(error?.description.contains("none of its points has a time") == true)
    }
  }

  @Suite("The location sensor and motion")
  struct SensorMotionTests {
    @Test("each activity is mapped to a motion, and several reported activities to several motions")
    func mapping() {
      func activity(_ change: (stationary: Bool, walking: Bool, running: Bool, driving: Bool, cycling: Bool)) -> CMMotionActivity
      {
        CMMotionActivity(
          startDate: start, confidence: .high, stationary: change.stationary, walking: change.walking,
          running: change.running, automotive: change.driving, cycling: change.cycling)
      }
      #expect(CoreMotionChip.motion(activity((false, false, false, false, true))) == .cycling)
      #expect(CoreMotionChip.motion(activity((true, false, false, true, false))) == [.stationary, .driving])
      #expect(CoreMotionChip.motion(activity((false, true, false, false, false))) == .walking)
      #expect(CoreMotionChip.motion(activity((false, false, true, false, false))) == .running)
      #expect(CoreMotionChip.motion(activity((false, false, false, false, false))) == [])
    }
  }
#endif
