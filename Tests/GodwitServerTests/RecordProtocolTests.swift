import Foundation
import GodwitIntake
import GodwitStore
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitServer

@Suite("Table of record protocols", .timeLimit(.minutes(20)))
struct RecordProtocolTests {
  @Test(
    "valid records are stored, invalid ones as rejected, and the client always gets success",
    arguments: RegionServer.Depth.allCases)
  func colota(_ depth: RegionServer.Depth) async throws {
    try await RegionServer.with(depth) { server in
      func send(_ body: String) async throws -> Int {
        try await server.send("POST", "/api/colota", body: body, device: "phone").status
      }
      #expect(try await send(#"{"lat":46,"lon":14.5,"acc":5,"vel":2,"bear":90,"batt":50,"bs":1,"tst":1795163400}"#) == 200)
      // A repeated record is stored once.
      #expect(try await send(#"{"lat":46,"lon":14.5,"acc":5,"vel":2,"bear":90,"batt":50,"bs":1,"tst":1795163400}"#) == 200)
      #expect(try await send("no JSON") == 200)
      #expect(try await send(#"{"lat":91,"lon":14.5,"tst":1795163400}"#) == 200)
      let points = try await server.send("GET", "/api/v1/points").object["features"] as? [[String: Any]] ?? []
      #expect(points.count == 1)
      let properties = points.first?["properties"] as? [String: Any]
      #expect(properties?["speed"] as? Double == 2 && properties?["course"] as? Double == 90)
      let rejected = try await server.send("GET", "/api/v1/rejected").list("rejected")
      #expect(rejected.count == 2 && rejected.allSatisfy { $0["protocol"] as? String == "colota" })
      #expect(try await server.send("POST", "/api/colota", body: "{}", isAnonymous: true).status == 401)
    }
  }

  @Test("routes and the names in the API correspond to the table")
  func table() async throws {
    for sender in RecordProtocol.all {
      #expect(Routes.table.contains { $0.path == sender.path && $0.methods == ["POST"] })
      #expect(RecordProtocol.formats.filter { $0 == sender.format }.count == 1)
    }
    try await RegionServer.with(.inProcess) { server in
      let names = try await server.send("GET", "/api/v1/settings").object["protocols"] as? [String]
      #expect(names == RecordProtocol.formats.map(\.rawValue) && names?.contains("colota") == true)
    }
  }

  @Test(
    "each protocol is decoded by the fuzzer, and its rejected records are retried",
    arguments: RecordProtocol.formats.map(\.rawValue))
  func covered(_ name: String) throws {
    #expect(
      InvalidRequest.all.contains { $0.format == name },
      "add a record of \(name) to InvalidRequest.all in RejectedRecordTests.swift")
    // The fuzzer's decoder of OsmAnd reads GPSLogger's requests as well.
    guard name != "gpslogger" else { return }
    let fuzzer = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Benchmarks/FormatFuzz")
    let decoders = try String(contentsOf: fuzzer.appendingPathComponent("Decoders.swift"), encoding: .utf8)
    #expect(
      decoders.contains("Decoder(name: \"\(name)\""), "add a Decoder named \(name) to Benchmarks/FormatFuzz/Decoders.swift")
    let seeds = try FileManager.default.contentsOfDirectory(atPath: fuzzer.appendingPathComponent("Seeds").path)
    #expect(seeds.contains { $0.hasPrefix(name + "-") }, "add a body to Benchmarks/FormatFuzz/Seeds/\(name)-1.txt")
  }
}
