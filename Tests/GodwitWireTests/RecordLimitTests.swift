import Foundation
import GodwitModel
import Testing

@testable import GodwitText
@testable import GodwitWire

@Suite("Limits of one record")
struct RecordLimitTests {
  /// A request format with several records.
  enum Format: String, CaseIterable, Sendable {
    case overland, openlocate, traccar

    /// Returns a record of this format. - Parameter more: Additional members, with a comma before each.
    func record(_ more: String = "") -> String {
      switch self {
      case .overland:
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"2026-11-20T08:30:00Z"\#(more)}}"#
      case .openlocate: #"{"latitude":46,"longitude":14,"utc_timestamp":1795163400\#(more)}"#
      case .traccar:
        #"{"location":{"timestamp":"2026-11-20T08:30:00Z","coords":{"latitude":46,"longitude":14}\#(more)}}"#
      }
    }

    /// Decodes a request and returns its valid and its rejected records.
    func read(_ records: String...) throws -> (valid: [Record], rejected: [RejectedPart], broken: FormatError?) {
      let list = records.joined(separator: ",")
      switch self {
      case .overland:
        let request = try Overland.read(Array(#"{"locations":[\#(list)]}"#.utf8))
        let parts = request.rejected.map {
          RejectedPart(index: $0.index, place: $0.place, reason: $0.reason, raw: $0.raw, size: $0.size)
        }
        return (request.records, parts, request.broken)
      case .openlocate:
        let batch = try OpenLocate.read(Array(#"{"locations":[\#(list)]}"#.utf8), received: Date(timeIntervalSince1970: 0))
        return (batch.records, batch.rejected, batch.broken)
      case .traccar:
        let received = Date(timeIntervalSince1970: 0)
        let batch = try OsmAnd.read(Array("[\(list)]".utf8), speed: .knots, received: received).batch
        return (batch.records, batch.rejected, batch.broken)
      }
    }
  }

  private static func members(_ count: Int) -> String { (0..<count).map { #","x\#($0)":1"# }.joined() }

  // Without the limit, 1.2 million members of one record take 290 ms and 59 MiB.
  @Test("a record has at most 1,000 extra members, and other records of the request are read", arguments: Format.allCases)
  func extraMembers(_ format: Format) throws {
    let maximum = RecordLimits.extraMembers
    let good = try format.read(format.record(Self.members(maximum)))
    #expect(good.valid.count == 1 && good.rejected.isEmpty, "\(good.rejected.first?.reason ?? "")")
    let extras = try #require(good.valid.first?.extras)
    #expect((try JSONSerialization.jsonObject(with: Data(extras.utf8)) as? [String: Any])?.count == maximum)
    let found = try format.read(format.record(), format.record(Self.members(maximum + 1)), format.record())
    #expect(found.valid.count == 2 && found.broken == nil)
    #expect(found.rejected.map(\.index) == [1] && found.rejected.first?.reason == RecordLimits.tooManyMembers)
  }

  static let long: [String] = [
    // A string value of a known and of an unknown member, with and without escapes; an array; a name.
    #","wifi":"\#(String(repeating: "\\u0041", count: 20_000))""#, #","wifi_ssid":"\#(String(repeating: "w", count: 70_000))""#,
    #","x":"\#(String(repeating: "ü", count: 40_000))""#, #","x":[\#(String(repeating: "1,", count: 40_000))1]"#,
    #","\#(String(repeating: "x", count: 70_000))":1"#,
  ]

  // Without the limit, 8 MiB of escapes in one string take 130 ms.
  @Test("a record that is too long is rejected with its first 64 KiB", arguments: Format.allCases, long)
  func tooLong(_ format: Format, _ more: String) throws {
    let bad = format.record(more)
    let found = try format.read(format.record(), bad, format.record())
    #expect(found.valid.count == 2 && found.broken == nil)
    let rejected = try #require(found.rejected.first)
    #expect(found.rejected.count == 1 && rejected.index == 1 && rejected.reason == RecordLimits.tooLong, "\(rejected.reason)")
    #expect(rejected.size == bad.utf8.count && rejected.raw == Array(bad.utf8.prefix(RecordLimits.keptBytes)))
  }

  @Test("a record has at most 64 KiB", arguments: Format.allCases)
  func exactly(_ format: Format) throws {
    let rest = RecordLimits.bytes - format.record(#","x":"""#).utf8.count
    func padded(_ count: Int) -> String { format.record(#","x":"\#(String(repeating: "x", count: count))""#) }
    let good = try format.read(padded(rest))
    #expect(good.valid.count == 1 && good.rejected.isEmpty)
    let bad = try format.read(padded(rest + 1))
    #expect(bad.valid.isEmpty && bad.rejected.first?.reason == RecordLimits.tooLong)
  }

  @Test("long members beside the records of a request are skipped", arguments: Format.allCases)
  func beside(_ format: Format) throws {
    let long = String(repeating: "x", count: 100_000)
    switch format {
    case .overland:
      let request = try Overland.read(Array(#"{"note":"\#(long)","locations":[\#(format.record())],"more":"\#(long)"}"#.utf8))
      #expect(request.records.count == 1 && request.broken == nil && request.rejected.isEmpty)
    case .openlocate:
      let body = #"{"note":"\#(long)","locations":[\#(format.record())],"more":"\#(long)"}"#
      #expect(try OpenLocate.read(Array(body.utf8), received: Date(timeIntervalSince1970: 0)).records.count == 1)
    case .traccar:
      let body = #"{"note":"\#(long)","location":[{"timestamp":1795163400,"coords":{"latitude":46,"longitude":14}}],"more":1}"#
      let batch = try OsmAnd.read(Array(body.utf8), speed: .knots, received: Date(timeIntervalSince1970: 0)).batch
      #expect(batch.records.count == 1 && batch.broken == nil)
    }
  }

  @Test("a request of OsmAnd that is one object with too many members is rejected as a whole")
  func oneObject() {
    let body = Array(#"{"lat":46,"lon":14\#(Self.members(RecordLimits.extraMembers))}"#.utf8)
    let error = #expect(throws: FormatError.self) {
      try OsmAnd.read(body, speed: .knots, received: Date(timeIntervalSince1970: 0))
    }
    #expect(error?.reason == RecordLimits.tooManyMembers && error?.isLimit == false)
  }

  @Test("the number of extra members of an OwnTracks message is limited")
  func ownTracks() throws {
    func message(_ more: String) -> [UInt8] { Array(#"{"_type":"location","lat":46,"lon":14,"tst":1795163400\#(more)}"#.utf8) }
    #expect(try OwnTracks.readLocation(message(Self.members(RecordLimits.extraMembers))).extras != nil)
    let error = #expect(throws: FormatError.self) {
      try OwnTracks.readLocation(message(Self.members(RecordLimits.extraMembers + 1)))
    }
    #expect(error?.reason == RecordLimits.tooManyMembers)
  }
}
