import Foundation
import GodwitModel
import GodwitTracks
import Testing

@testable import CoreLocation

@Suite("Headings", .timeLimit(.minutes(20)))
@MainActor
struct HeadingTests {
  /// A compass app.
  @MainActor
  private final class Compass: NSObject, CLLocationManagerDelegate {
    private(set) var headings: [CLHeading] = []
    private(set) var errors: [Int] = []
    let manager = CLLocationManager()

    init(filter: CLLocationDegrees?) {
      super.init()
      manager.delegate = self
      if let filter { manager.headingFilter = filter }
      manager.startUpdatingHeading()
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
      MainActor.assumeIsolated { headings.append(newHeading) }
    }
    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      let code = (error as? CLError)?.code.rawValue ?? -1
      MainActor.assumeIsolated { errors.append(code) }
    }
  }

  private static func line(_ body: String) -> String {
    let sum = String(NMEASentence.checksum(body.utf8), radix: 16, uppercase: true)
    return "$\(body)*\(sum.count == 1 ? "0" : "")\(sum)\r\n"
  }

  /// Writes an NMEA file with a position each second, followed by the given sentences, and returns its path.
  static func nmea(_ seconds: [[String]]) throws -> String {
    var text = ""
    for (second, sentences) in seconds.enumerated() {
      text += line("GPRMC,1200\(second < 10 ? "0" : "")\(second).00,A,4500.0000,N,01400.0000,E,1.0,90.0,230626,,,A")
      for sentence in sentences { text += line(sentence) }
    }
    return try RecordedDay.write(text, "nmea")
  }

  private func headings(_ seconds: [[String]], filter: CLLocationDegrees?, _ status: CLAuthorizationStatus = .authorizedWhenInUse)
    async throws -> [CLHeading]
  {
    let source = ReplaySource(path: try Self.nmea(seconds), pace: .unpaced(most: 1, digested: {}))
    let daemon = LocationDaemon(source: source, authorization: status)
    return await daemon.serve {
      #expect(CLLocationManager.headingAvailable())
      let compass = Compass(filter: filter)
      await daemon.finished()
      #expect(compass.manager.heading?.timestamp == compass.headings.last?.timestamp && compass.errors.isEmpty)
      return compass.headings
    }
  }

  @Test("HDG has the magnetic heading with deviation, and the true heading if the variation is known; HDT has the true heading")
  func sentences() async throws {
    let all = try await headings(
      [
        ["HCHDG,101.1,,,7.1,W"], ["HCHDG,98.3,2.0,E,,"], ["HEHDT,274.07,T"], ["HCHDG,359.0,,,4.0,E", "HEHDT,3.5,T"], [],
        ["HCHDM,10.0,M"],
      ], filter: kCLHeadingFilterNone)
    func rounded(_ values: [Double]) -> [Double] { values.map { ($0 * 100).rounded() / 100 } }
    #expect(rounded(all.map(\.magneticHeading)) == [101.1, 100.3, 274.07, 359, 10])
    #expect(rounded(all.map(\.trueHeading)) == [94, -1, 274.07, 3.5, -1])
    #expect(all.allSatisfy { $0.headingAccuracy > 0 })
    let start = try #require(all.first).timestamp
    #expect(all.map { $0.timestamp.timeIntervalSince(start) } == [0, 1, 2, 3, 5])
  }

  @Test("the filter drops small turns, also across north", arguments: [(Double?.none, 4), (.some(5), 2), (.some(-1), 6)])
  func filter(_ filter: Double?, _ count: Int) async throws {
    let degrees = [358.0, 358.5, 1, 6, 6.4, 9]
    let reported = try await headings(degrees.map { ["HCHDG,\($0),,,,"] }, filter: filter).map(\.magneticHeading)
    #expect(reported.count == count, "\(reported)")
  }

  @Test("an app without location permission gets the magnetic heading only")
  func denied() async throws {
    let reported = try await headings([["HCHDG,20.0,,,4.0,E"], ["HCHDG,30.0,,,4.0,E"]], filter: nil, .denied)
    #expect(reported.map(\.magneticHeading) == [20, 30] && reported.allSatisfy { $0.trueHeading == -1 })
  }

  @Test("a file without headings is a device without a compass, which is reported to the delegate as an error")
  func absent() async throws {
    let daemon = LocationDaemon(source: ReplaySource(path: try Self.nmea([[], []]), pace: .unpaced(most: 1, digested: {})))
    await daemon.serve {
      #expect(!CLLocationManager.headingAvailable())
      let compass = Compass(filter: nil)
      await daemon.finished()
      #expect(compass.errors == [3] && compass.headings.isEmpty)
    }
  }

  @Test("no heading is reported after updates were stopped")
  func stop() async throws {
    let source = ReplaySource(
      path: try Self.nmea((0..<9).map { ["HCHDG,\($0 * 10).0,,,,"] }), pace: .unpaced(most: 1, digested: {}))
    let daemon = LocationDaemon(source: source)
    await daemon.serve {
      let compass = Compass(filter: nil)
      compass.manager.stopUpdatingHeading()
      await daemon.finished()
      #expect(compass.headings.count <= 1)
    }
  }
}
