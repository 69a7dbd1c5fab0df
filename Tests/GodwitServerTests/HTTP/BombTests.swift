import Foundation
import GodwitIntake
import GodwitText
import GodwitWire
import TestTexts
import Testing

@testable import GodwitHTTP
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

@Suite("Decompression bombs", .timeLimit(.minutes(20)))
struct BombTests {
  /// Runs `body` with a server without a network, the token of its device, and its data folder.
  private func withServer(_ body: (LocalServer, String, String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-bombs-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try SQLiteTrackStore(folder: folder)
    let token = AccessToken()
    _ = try store.addDevice(named: "walker", tokenHash: token.hash, at: Date())
    store.close()
    let address = try #require(ListenAddress("127.0.0.1:0"))
    let server = LocalServer(try Server(configuration: Server.Configuration(listen: address, dataFolder: folder)))
    defer { server.close() }
    try body(server, token.secret, folder)
  }

  private static func compressed(_ text: String) throws -> [UInt8] { try #require(Gzip.compressed(Array(text.utf8))) }

  @Test(
    "a compressed body is not decompressed before the credential is checked",
    arguments: ["/api/osmand", "/api/gpslogger"], ["[1,1,1]", "id=phone&lat=1&lon=2"])
  func anonymous(_ path: String, _ text: String) throws {
    try withServer { server, token, _ in
      let body = try Self.compressed(text)
      let response = server.respond(LocalRequest(path: path, headers: ["Content-Encoding": "gzip"], body: body))
      #expect(response.status == 415, "\(String(decoding: response.body, as: UTF8.self))")
      // With the token in the address the body is decompressed.
      let known = server.respond(LocalRequest(path: "\(path)/\(token)", headers: ["Content-Encoding": "gzip"], body: body))
      #expect(known.status == 200)
      // An uncompressed body without a token may have 64 KiB.
      let long = server.respond(LocalRequest(path: path, body: [UInt8](repeating: 0x20, count: 64 << 10 + 1)))
      #expect(long.status == 413)
    }
  }

  static let endless: [(path: String, body: String)] = [
    ("/api/overland", #"{"locations":[\#(String(repeating: "1,", count: 500_000))1]}"#),
    ("/api/openlocate", #"{"locations":[\#(String(repeating: "1,", count: 500_000))1]}"#),
    ("/api/owntracks", "[\(String(repeating: "{},", count: 500_000)){}]"),
    ("/api/osmand", "[\(String(repeating: "1,", count: 500_000))1]"),
    ("/api/gpslogger", "[\(String(repeating: #"{"a":1},"#, count: 200_000))1]"),
  ]

  // Without the limit, 8.4 million rejected records would be stored and deleted, and the data folder would remain at 980 MB.
  @Test("a request with more than 50,000 records or 1000 rejected ones stops at the limit", arguments: endless)
  func stopped(_ one: (path: String, body: String)) throws {
    try withServer { server, token, folder in
      let response = server.respond(
        LocalRequest(
          path: one.path, headers: ["Authorization": "Bearer \(token)", "Content-Encoding": "gzip"],
          body: try Self.compressed(one.body)))
      #expect(response.status == 413, "\(String(decoding: response.body.prefix(300), as: UTF8.self))")
      let sizes = try FileManager.default.contentsOfDirectory(atPath: folder).map { name in
        try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.size] as? Int ?? 0
      }
      #expect(sizes.reduce(0, +) < 8 << 20, "\(sizes)")
    }
  }

  @Test("a body of exactly 50,000 records is accepted")
  func maximum() throws {
    func read(_ count: Int) throws -> Int {
      let places = String(repeating: "{},", count: count - 1) + "{}"
      return try OpenLocate.read(Array(#"{"locations":[\#(places)]}"#.utf8), received: Date()).placeless
    }
    #expect(try read(RecordBatch.maximumRecords) == 50_000)
    let error = #expect(throws: FormatError.self) { try read(RecordBatch.maximumRecords + 1) }
    #expect(error?.isLimit == true)
  }

  @Test("a body of at most 64 KiB expands to 4 MiB, a larger one to 256 times its size")
  func ratio() throws {
    func unpacked(_ body: [UInt8], limit: Int = 32 << 20) throws -> Int {
      try RequestBody.decoded(body, encoding: "gzip", limit: limit).count
    }
    func blanks(_ count: Int) throws -> [UInt8] { try #require(Gzip.compressed([UInt8](repeating: 0x20, count: count))) }
    let maximum = RequestBody.smallUnpackedSize
    #expect(try unpacked(blanks(maximum)) == maximum)
    #expect(throws: Problem.self) { try unpacked(blanks(maximum + 1)) }
    // A body that is compressed to more than 64 KiB: random bytes among spaces.
    var generator = SeededNumbers(7)
    let sparse = (0..<15 << 20).map { $0 % 1_600 == 0 ? UInt8.random(in: 0...255, using: &generator) : 0x20 }
    let compressed = try #require(Gzip.compressed(sparse))
    #expect(
      compressed.count > RequestBody.smallSize && (129...256).contains(sparse.count / compressed.count), "\(compressed.count)")
    #expect(try RequestBody.decoded(compressed, encoding: "gzip", limit: 16 << 20) == sparse)
    let huge = RegionRoutesTests.deflated([UInt8](repeating: 0x20, count: 100 << 20))
    #expect(huge.count > RequestBody.smallSize && huge.count * 256 < 32 << 20, "\(huge.count)")
    let problem = #expect(throws: Problem.self) { try unpacked(huge) }
    #expect(problem?.status == 413 && problem?.detail.contains("\(huge.count * 256) bytes") == true)
  }

  // 40,000 records in one request, as OpenLocate's SDK sends them after weeks without a connection.
  @Test("the compression ratio of regular records, even with equal positions, is at most half of the limit")
  func honest() throws {
    func body(_ count: Int, isMoving: Bool) -> [UInt8] {
      var generator = SeededNumbers(3)
      let places = (0..<count).map { index in
        let place =
          isMoving
          ? "\(46 + Double.random(in: 0..<1e6, using: &generator).rounded() / 1e7)," : "46.0569123,"
        return
          #"{"latitude":\#(place)"longitude":14.5058456,"utc_timestamp":\#(1_700_000_000 + index * 20),"horizontal_accuracy":10.5,"altitude":298.5,"is_charging":false,"wifi_ssid":"Home","location_context":"regular","os_version":"17.4"}"#
      }
      return Array(#"{"locations":[\#(places.joined(separator: ","))]}"#.utf8)
    }
    for isMoving in [true, false] {
      let whole = body(40_000, isMoving: isMoving)
      let compressed = try #require(Gzip.compressed(whole))
      #expect(whole.count * 2 <= compressed.count * RequestBody.maximumRatio, "\(whole.count) of \(compressed.count)")
      #expect(try RequestBody.decoded(compressed, encoding: "gzip", limit: 16 << 20) == whole)
      // The records of a regular upload.
      let some = body(2_000, isMoving: isMoving)
      #expect(some.count * 2 <= RequestBody.smallUnpackedSize)
    }
  }

  @Test(
    "a compressed body of at most 64 KiB has at most 20,000 records, and those before the limit are stored",
    arguments: Self.repeated)
  func smallRecords(_ one: (path: String, start: String, record: String, end: String)) throws {
    try withServer { server, token, _ in
      let headers = ["Authorization": "Bearer \(token)", "Content-Encoding": "gzip"]
      for (count, status) in [(RequestBody.smallRecords, 200), (RequestBody.smallRecords + 1, 413)] {
        let records = Array(repeating: one.record, count: count).joined(separator: ",")
        let body = try Self.compressed(one.start + records + one.end)
        #expect(body.count <= RequestBody.smallSize)
        let response = server.respond(LocalRequest(path: one.path, headers: headers, body: body))
        #expect(response.status == status, "\(String(decoding: response.body.prefix(300), as: UTF8.self))")
      }
    }
  }

  static let repeated: [(path: String, start: String, record: String, end: String)] = [
    ("/api/overland", #"{"locations":["#, #"{"geometry":{"coordinates":[14,46]},"properties":{"timestamp":1700000000}}"#, "]}"),
    ("/api/openlocate", #"{"locations":["#, #"{"latitude":46,"longitude":14,"utc_timestamp":1700000000}"#, "]}"),
    ("/api/owntracks", "[", #"{"_type":"location","lat":46,"lon":14,"tst":1700000000}"#, "]"),
    ("/api/osmand", "[", #"{"location":{"timestamp":1700000000,"coords":{"latitude":46,"longitude":14}}}"#, "]"),
  ]

  // Without the limit, the members of one record or one text take 290 ms.
  @Test(
    "a record that is too large is rejected and stored in part, and the others are stored",
    arguments: [#""a":1,"#, #""b":"\#(String(repeating: "\\u0041", count: 100_000))","#])
  func oneRecord(_ piece: String) throws {
    try withServer { server, token, folder in
      let good =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{"timestamp":"2026-11-20T08:30:00Z"}}"#
      let pieces = String(repeating: piece, count: max(1, 700_000 / piece.utf8.count))
      let bad =
        #"{"type":"Feature","geometry":{"type":"Point","coordinates":[14,46]},"properties":{\#(pieces)"timestamp":"2026-11-20T08:30:01Z"}}"#
      let headers = ["Authorization": "Bearer \(token)", "Content-Encoding": "gzip"]
      let response = server.respond(
        LocalRequest(path: "/api/overland", headers: headers, body: try Self.compressed(#"{"locations":[\#(good),\#(bad)]}"#)))
      let text = String(decoding: response.body, as: UTF8.self)
      #expect(response.status == 200 && text.contains(#""saved":1"#) && text.contains("more than"), "\(text.prefix(300))")
      let store = try SQLiteTrackStore(folder: folder)
      defer { store.close() }
      let kept = try #require(try store.rejections(device: nil, limit: 10).first)
      #expect(kept.size == bad.utf8.count && kept.rejected.raw == Array(bad.utf8.prefix(RecordLimits.keptBytes)) && kept.isCut)
    }
  }

  @Test("a rejected record that is truncated inside a secret does not contain the beginning of the secret")
  func cutSecret() {
    let secret = AccessToken().secret
    let filler = [UInt8](repeating: 0x78, count: RecordLimits.keptBytes - 10)
    let raw = filler + Array("\(secret)".utf8) + filler
    let kept = RejectedRecord(place: "body", reason: "", raw: raw).without(secret)
    #expect(kept.raw == filler && kept.size == raw.count)
  }

  @Test(
    "a JSON body for the API has at most 64 KiB, even without Content-Length",
    arguments: ["/api/v1/tokens", "/api/v1/webhooks"])
  func small(_ path: String) throws {
    try withServer { server, _, folder in
      let body = Array("[\(String(repeating: "1,", count: 40_000))1]".utf8)
      let headers = AdministratorHeader.added(to: ["Host": "localhost"], "POST", path, folder: URL(fileURLWithPath: folder))
      #expect(server.respond(LocalRequest(path: path, headers: headers, body: body)).status == 413)
    }
  }

  @Test("the number of concurrent requests of a client is limited")
  func shares() {
    let shares = RequestShares()
    var held = (0..<3).compactMap { _ in shares.enter(.requests(.device(1)), limit: 3) }
    #expect(held.count == 3)
    #expect(shares.enter(.requests(.device(1)), limit: 3) == nil)
    #expect(shares.enter(.requests(.device(2)), limit: 3) != nil)
    held.removeLast()
    #expect(shares.enter(.requests(.device(1)), limit: 3) != nil)
    held.removeAll()
    #expect(shares.count == 0)
  }
}
