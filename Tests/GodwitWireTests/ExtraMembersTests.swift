import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitWire

@Suite("Extras among the properties of a feature")
struct ExtraMembersTests {
  private static func written(_ extras: String) throws -> [UInt8] {
    let coordinate = try #require(Coordinate(latitude: 46, longitude: 14))
    let fix = Fix(time: Date(timeIntervalSince1970: 1_795_000_000), coordinate: coordinate, altitude: 700)
    var bytes: [UInt8] = []
    Overland.writeFeature(Record(kind: .fix(fix), extras: extras), into: &bytes)
    return bytes
  }

  @Test(
    "a member with a reserved name is renamed, and the others are unchanged",
    arguments: [
      (#"{"altitude":"high","mine":[1,{"altitude":2}]}"#, #","sent_altitude":"high","mine":[1,{"altitude":2}]}}"#),
      (#"{ "timestamp" : 1, "sent_timestamp":2}"#, #","sent_timestamp" : 1,"sent_sent_timestamp":2}}"#),
      (#"{"a":1,"a":2}"#, #","a":1,"sent_a":2}}"#), (#"{"a":"x,\"}y","b":2}"#, #","a":"x,\"}y","b":2}}"#),
      (#"{"speed":"fast"}"#, #","speed":"fast"}}"#), ("{ }", "}}"),
    ])
  func names(_ extras: String, _ end: String) throws {
    let bytes = try Self.written(extras)
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(end), "\(String(decoding: bytes, as: UTF8.self))")
    let read = try Overland.read(bytes)
    #expect(read.records.count == 1 && read.rejected.isEmpty, "\(read.rejected)")
  }

  @Test(
    "a type that is not a string is kept unchanged, and the rest of the batch is read",
    arguments: ["5.5", "{}", "[1]", "true"])
  func typeOfAnotherKind(_ value: String) throws {
    let feature =
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"#
      + #""properties":{"timestamp":"2026-11-20T08:30:00Z","type":\#(value)}}"#
    let read = try Overland.read(Array(#"{"locations":[\#(feature),\#(feature)]}"#.utf8))
    #expect(read.broken == nil && read.rejected.isEmpty && read.records.count == 2)
    #expect(read.records.first?.extras == #"{"type":\#(value)}"#)
  }

  @Test(
    "a member that would make a point an event is renamed, and the point round-trips repeatedly",
    arguments: [
      #"{"action":"addpos"}"#, #"{"action":"visit","arrival_date":"2026-11-20T08:00:00Z"}"#, #"{"type":"trip","mode":"walk"}"#,
      #"{"start":"2026-11-20T08:00:00Z","end":1,"duration":5,"distance":2,"steps":9,"stopped_automatically":true}"#,
    ])
  func events(_ extras: String) throws {
    let bytes = try Self.written(extras)
    let read = try Overland.read(bytes)
    let record = try #require(read.records.first)
    guard case .fix = record.kind else {
      Issue.record("\(record.kind)")
      return
    }
    let kept = try #require(record.extras)
    #expect(kept.contains("sent_") && kept.split(separator: ":").count == extras.split(separator: ":").count, "\(kept)")
    // At the second round trip no member is renamed.
    #expect(try Overland.read(try Self.written(kept)).records.first?.extras == kept)
  }

  @Test("a thousand members with the same name are numbered within the limits of a record")
  func oneName() throws {
    let extras = "{" + (0..<1_000).map { #""a":\#($0)"# }.joined(separator: ",") + "}"
    let bytes = try Self.written(extras)
    #expect(bytes.count < extras.utf8.count + 1_000 * 10 + 1_000, "\(extras.utf8.count) bytes became \(bytes.count)")
    #expect(String(decoding: bytes, as: UTF8.self).hasSuffix(#","sent_998_a":998,"sent_999_a":999}}"#))
    let read = try Overland.read(bytes)
    let kept = try #require(read.records.first?.extras)
    #expect(read.rejected.isEmpty && read.broken == nil && kept.split(separator: ",").count == 1_000)
    #expect(try Overland.read(try Self.written(kept)).records.first?.extras == kept)
  }
}
