import Foundation
import GodwitModel
import GodwitText
import GodwitWire
import Testing

@Suite("Colota")
struct ColotaTests {
  private func read(_ text: String) throws -> RecordBatch { try Colota.read(Array(text.utf8), received: Date()) }

  private static let whole =
    #"{"lat":48.135124,"lon":11.581981,"acc":12,"alt":519,"vel":1.5,"batt":85,"bs":2,"tst":1795163400,"bear":180.5}"#

  @Test("a location has every member in the units of the reference")
  func location() throws {
    let record = try #require(try read(Self.whole).records.first)
    let fix = Fix(
      time: Date(timeIntervalSince1970: 1_795_163_400),
      coordinate: try #require(Coordinate(latitude: 48.135124, longitude: 11.581981)), horizontalAccuracy: 12, altitude: 519,
      speed: 1.5, course: 180.5)
    #expect(record.kind == .fix(fix))
    #expect(record.context == DeviceContext(batteryLevel: 0.85, batteryState: .charging))
    #expect(record.extras == nil)
  }

  @Test("an anchor point has no altitude, speed and course")
  func anchor() throws {
    let record = try #require(try read(#"{"lat":1,"lon":2,"acc":50,"batt":9,"bs":0,"tst":1795163400}"#).records.first)
    guard case .fix(let fix) = record.kind else { return #expect(Bool(false), "\(record)") }
    #expect(fix.altitude == nil && fix.speed == nil && fix.course == nil && fix.horizontalAccuracy == 50)
    #expect(record.context == DeviceContext(batteryLevel: 0.09, batteryState: .unknown))
  }

  @Test("custom fields and values without a column are kept")
  func extras() throws {
    let record = try #require(
      try read(#"{"tid":"ab","lat":1,"lon":2,"batt":101,"bs":9,"bear":361,"tst":1795163400}"#).records.first)
    let extras = try #require(record.extras)
    for kept in [#""tid":"ab""#, #""batt":101"#, #""bs":9"#, #""bear":361"#] { #expect(extras.contains(kept), "\(kept)") }
    #expect(record.context == DeviceContext())
  }

  @Test("an array has a location for each element, and an invalid one rejects itself alone")
  func several() throws {
    let batch = try read("[\(Self.whole),{\"lat\":91,\"lon\":2,\"tst\":1795163400},\(Self.whole)]")
    #expect(batch.records.count == 2 && batch.rejected.count == 1)
    #expect(batch.rejected.first?.place.path == "[1].lat")
  }

  @Test(
    "an invalid location is rejected with the reason",
    arguments: [
      (#"{"lat":1,"lon":2}"#, "a location needs a time"), (#"{"lon":2,"tst":1795163400}"#, "a location needs a latitude"),
      (#"{"lat":1,"tst":1795163400}"#, "a location needs a longitude"), (#"{"lat":1,"lon":181,"tst":1}"#, "181"),
    ])
  func rejected(_ text: String, _ reason: String) throws {
    let batch = try read(text)
    #expect(batch.records.isEmpty && batch.rejected.first?.reason.contains(reason) == true, "\(batch.rejected)")
  }

  @Test("a body that is not a JSON object throws", arguments: ["", "lat=1&lon=2", "17", "null"])
  func unreadable(_ text: String) {
    #expect(throws: FormatError.self) { try read(text) }
  }

  @Test("a location that is cut at any byte is never read as a record")
  func truncated() {
    for end in 0..<Self.whole.utf8.count {
      #expect(((try? read(String(Self.whole.prefix(end))))?.records ?? []).isEmpty, "\(end) bytes")
    }
  }
}
