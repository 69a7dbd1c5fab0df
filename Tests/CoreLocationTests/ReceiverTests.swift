import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

@Suite("The variable GODWIT_LOCATION_SOURCE")
struct ReceiverTests {
  private func events(_ environment: [String: String]) async throws -> [PositionEvent] {
    let events = Mutex<[PositionEvent]>([])
    try await Receivers.source(in: environment).run { event in events.withLock { $0.append(event) } }
    return events.withLock { $0 }
  }

  @Test("the variable accepts a recorded file, which is replayed at its own speed or faster")
  func file() async throws {
    let path = try RecordedDay.gpx(north: [0, 10, 20])
    let source = Receivers.source(in: ["GODWIT_LOCATION_SOURCE": path, "GODWIT_LOCATION_SPEED": "1e6"])
    #expect(source.isSimulated && source.timekeeping == .runsOn && source.beginning == RecordedDay.start)
    let reported = try await events(["GODWIT_LOCATION_SOURCE": path, "GODWIT_LOCATION_SPEED": "1e6"])
    #expect(
      reported.flatMap { if case .positions(let fixes) = $0 { fixes } else { [Fix]() } }.count == 3 && reported.last == .finished)
    #expect(Receivers.source(in: ["GODWIT_LOCATION_SOURCE": path]).timekeeping == .runsOn)
    #expect(Receivers.source(in: ["GODWIT_LOCATION_SOURCE": "geoclue:"]) is GeoClueSource)
    #expect(Receivers.source(in: [:]) is GpsdSource)
  }

  @Test(
    "a value that is neither a file nor an address is rejected with the expected form",
    arguments: [
      ("/nowhere.gpx", "1", "/nowhere.gpx: there is no such file."), ("http://example.org/a.gpx", "1", "or a recorded file"),
      ("gpsd://", "1", "expected gpsd://HOST"), ("TEXT", "1", "neither GPX nor NMEA 0183 nor GeoLife PLT"),
      ("FILE", "fast", "GODWIT_LOCATION_SPEED is fast; expected how many times faster"),
      ("FILE", "0", "GODWIT_LOCATION_SPEED is 0"),
      ("FILE", "-2", "GODWIT_LOCATION_SPEED"), ("FILE", "inf", "GODWIT_LOCATION_SPEED"),
    ])
  func errors(_ source: String, _ speed: String, _ expected: String) async throws {
    let source =
      switch source {
      case "FILE": try RecordedDay.gpx(north: [0, 10])
      case "TEXT": try RecordedDay.write("boat\n", "txt")
      default: source
      }
    let reported = try await events(["GODWIT_LOCATION_SOURCE": source, "GODWIT_LOCATION_SPEED": speed])
    guard case .unavailable(let reason) = reported.first else {
      Issue.record("\(reported)")
      return
    }
    #expect(reason.contains(expected) && reported.last == .finished, "\(reason)")
  }
}
