import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitDelivery

@Suite("Sequence numbers in requests, and the meaning of failures", .timeLimit(.minutes(20)))
struct FaultDeliveryTests {
  private func upload(
    _ server: DeliveryUnderTest, _ endpoint: Endpoint, _ request: UploadRequest = UploadRequest(limit: 50),
    settings: Settings = Settings()
  ) async -> Delivery.Outcome { await server.delivery.upload(to: endpoint, request, settings: settings) }

  // MARK: Numbers

  // With one identifier, two servers could join their data and detect missing numbers.
  @Test("two endpoints have different journal identifiers, and each gets only its own records")
  func identifiers() async throws {
    let server = try DeliveryUnderTest { _, _ in .otherServer }
    var (one, two) = (try endpoint(), try endpoint())
    (one.id, two.id) = (EndpointID("one"), EndpointID("two"))
    two.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    for name in ["one", "two"] { try server.journal.register(endpoint: name) }
    for second in 0..<60 {
      // A third of the hour is spent at home.
      let latitude = (20..<40).contains(second) ? 45.0 : 46
      try server.journal.append([try recordWithAllFields(Double(second), latitude: latitude, longitude: 14)], recordedAt: start)
    }
    _ = await upload(server, one, UploadRequest(limit: 100))
    _ = await upload(server, two, UploadRequest(limit: 100))
    let ids = try server.requests.map { try Overland.read($0.body).records.compactMap(\.id) }
    #expect(ids[0].map(\.sequence.value) == Array(1...60) && ids[1].map(\.sequence.value) == Array(1...40))
    #expect(Set(ids[0].map(\.journal)).count == 1 && ids[0].first?.journal != ids[1].first?.journal)
    let reported = server.requests.map { String(decoding: $0.body, as: UTF8.self) }.joined()
    #expect(!reported.contains(RecordID.text(ofJournal: server.journal.id)))
  }

  @Test(
    "only a server that responded as Godwit does gets ranges of numbers, for all records")
  func recognition() async throws {
    let isGodwit = Mutex(false)
    let server = try DeliveryUnderTest(isKnown: false) { _, _ in isGodwit.withLock { $0 } ? .godwit : .otherServer }
    let endpoint = try endpoint()
    try server.journal.register(endpoint: "home")
    try server.journal.append((0..<30).map { record(Double($0)) }, recordedAt: start)
    for _ in 0..<2 { _ = await upload(server, endpoint, UploadRequest(limit: 10)) }
    #expect(server.requests.allSatisfy { $0.headers["Godwit-Range"] == nil })
    isGodwit.withLock { $0 = true }
    _ = await upload(server, endpoint, UploadRequest(limit: 5))
    #expect(server.requests.last?.headers["Godwit-Range"] == nil)
    _ = await upload(server, endpoint, UploadRequest(limit: 5))
    #expect(server.ranges == [1...30])
  }

  @Test(
    "lost records leave no gap in the numbers of a foreign server, and leave a gap in those of a Godwit server",
    arguments: [false, true])
  func lossesInNumbers(_ isGodwits: Bool) async throws {
    let server = try DeliveryUnderTest { _, _ in isGodwits ? .godwit : .otherServer }
    let endpoint = try endpoint()
    try server.journal.append([record(0)], recordedAt: start)
    _ = await upload(server, endpoint)
    try server.journal.append((1..<6).map { record(Double($0)) }, recordedAt: start)
    server.uptime.advance(100)
    try server.journal.append([record(9)], recordedAt: start)
    #expect(try server.journal.removeRecords(waitingFor: "home", olderThan: 50, at: start) == 5)
    _ = await upload(server, endpoint)
    let last = try #require(server.requests.last)
    #expect(try Overland.read(last.body).records.compactMap { $0.id?.sequence } == [isGodwits ? 7 : 2])
    if isGodwits { #expect(server.ranges.last == 7...7) }
  }

  // MARK: Pages

  private static let pages: [(String, HTTPClient.Response)] = [
    ("a page", HTTPClient.Response(status: 200, body: Array("<html>login</html>".utf8))),
    (
      "a page after a byte order mark and blanks",
      HTTPClient.Response(status: 200, body: [0xEF, 0xBB, 0xBF] + Array("\r\n <!DOCTYPE html><html></html>".utf8))
    ),
    (
      "a text with the content type of HTML",
      HTTPClient.Response(status: 200, headers: ["content-type": "Text/HTML; charset=utf-8"], body: Array("Welcome".utf8))
    ),
  ]

  @Test(
    "no format accepts a captive portal's page as success, with any settings",
    arguments: EndpointFormats.named.map(\.name))
  func captivePortal(_ name: String) async throws {
    for (what, page) in Self.pages {
      let server = try DeliveryUnderTest { _, _ in page }
      try server.journal.append([try recordWithAllFields(0)], recordedAt: start)
      var settings = Settings()
      settings.acceptsAny2xx = true
      let outcome = await upload(server, try endpoint(try EndpointFormats.format(named: name)), settings: settings)
      guard case .failed = outcome else {
        Issue.record("\(name) accepted \(what): \(outcome)")
        return
      }
      #expect(server.journal.waiting(endpoint: "home") == 1)
    }
  }

  @Test("an empty response and the responses of the protocol do not count as a page, with any content type")
  func noPage() async throws {
    let html = ["content-type": "text/html; charset=UTF-8"]
    for (name, body) in [("query", ""), ("query", "OK"), ("query", " ok\n"), ("overland", #"{"result":"ok"}"#)] {
      let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: 200, headers: html, body: Array(body.utf8)) }
      try server.journal.append([try recordWithAllFields(0)], recordedAt: start)
      guard case .acknowledged = await upload(server, try endpoint(try EndpointFormats.format(named: name))) else {
        Issue.record("\(name)")
        return
      }
    }
  }

  @Test(
    "a rejected request for settings quarantines no record that is too young or stays on the device",
    arguments: [400, 413, 422, 500], [true, false])
  func rejectedCheckIn(_ status: Int, _ isDelayed: Bool) async throws {
    let server = try DeliveryUnderTest(now: start.addingTimeInterval(60)) { _, _ in HTTPClient.Response(status: status) }
    var endpoint = try endpoint()
    if isDelayed {
      endpoint.delay = 3600
    } else {
      endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    }
    try server.journal.append((0..<3).map { try recordWithAllFields(Double($0), latitude: 45, longitude: 14) }, recordedAt: start)
    let outcome = await upload(server, endpoint, UploadRequest(limit: 50, isAsking: true))
    guard case .failed(_, nil) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(server.requests.count == 1 && server.journal.waiting(endpoint: "home") == (isDelayed ? 3 : 0))
  }

  // A proxy may respond with 400 to every request.
  @Test("a page with 400 rejects no record", arguments: EndpointFormats.named.map(\.name), [400, 413, 422])
  func pageOfProxy(_ name: String, _ status: Int) async throws {
    let server = try DeliveryUnderTest { _, _ in
      HTTPClient.Response(status: status, headers: ["content-type": "text/html"], body: Array("<html>400</html>".utf8))
    }
    try server.journal.append([try recordWithAllFields(0)], recordedAt: start)
    let outcome = await upload(server, try endpoint(try EndpointFormats.format(named: name)))
    guard case .faulted(_, status, 1) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(try server.journal.quarantinedCount() == 0 && server.journal.waiting(endpoint: "home") == 1)
  }

  // MARK: A record on which the server fails

  private static func isPoison(_ request: HTTPClient.Request) throws -> Bool {
    try Overland.read(request.body).records.contains { $0.time == start.addingTimeInterval(1) }
  }

  @Test("a record at which the server fails is quarantined once the next one succeeds, and the cursor passes both")
  func poison() async throws {
    let server = try DeliveryUnderTest { request, _ in
      try Self.isPoison(request) ? HTTPClient.Response(status: 500, body: Array("oops".utf8)) : .godwit
    }
    let endpoint = try endpoint()
    try server.journal.append((1..<5).map { record(Double($0)) }, recordedAt: start)
    guard case .faulted(_, 500, 4) = await upload(server, endpoint) else {
      Issue.record("another outcome")
      return
    }
    guard case .acknowledged = await upload(server, endpoint, UploadRequest(limit: 1, isProbing: true)) else {
      Issue.record("another outcome")
      return
    }
    let quarantined = try server.journal.quarantined(endpoint: "home")
    #expect(quarantined.map(\.sequence) == [1] && quarantined[0].reason.contains("fails only on this record"))
    #expect(server.journal.waiting(endpoint: "home") == 2)
    try await server.sendAll(to: endpoint)
    let accepted = try server.requests.filter { try !Self.isPoison($0) }
    let ids = try accepted.flatMap { try Overland.read($0.body).records.compactMap { $0.id?.sequence } }
    #expect(ids == [2, 3, 4])
    // The number of a quarantined record is covered, like that of a rejected record.
    #expect(server.ranges.last?.upperBound == 4 && server.ranges.last?.lowerBound == 1)
  }

  @Test("if a server fails on every record, the probe quarantines none")
  func allFail() async throws {
    let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: 500) }
    try server.journal.append((1..<5).map { record(Double($0)) }, recordedAt: start)
    guard case .faulted = await upload(server, try endpoint(), UploadRequest(limit: 1, isProbing: true)) else {
      Issue.record("another outcome")
      return
    }
    #expect(try server.journal.quarantinedCount() == 0 && server.journal.waiting(endpoint: "home") == 4)
  }

  @Test("a recovered server gets both records of a probe, each once")
  func wellAgain() async throws {
    let server = try DeliveryUnderTest()
    try server.journal.append((1..<4).map { record(Double($0)) }, recordedAt: start)
    guard case .acknowledged = await upload(server, try endpoint(), UploadRequest(limit: 1, isProbing: true)) else {
      Issue.record("another outcome")
      return
    }
    #expect(try server.journal.quarantinedCount() == 0 && server.journal.waiting(endpoint: "home") == 1)
    #expect(try server.requests.flatMap { try Overland.read($0.body).records.compactMap { $0.id?.sequence } } == [2, 1])
  }

  @Test("a single failing record waits for the next one")
  func alone() async throws {
    let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: 500) }
    try server.journal.append([record(1)], recordedAt: start)
    guard case .faulted(_, 500, 1) = await upload(server, try endpoint(), UploadRequest(limit: 1, isProbing: true)) else {
      Issue.record("another outcome")
      return
    }
    #expect(try server.journal.quarantinedCount() == 0 && server.journal.waiting(endpoint: "home") == 1)
  }

  @Test("a batch whose acknowledgement cannot be written is not sent again", arguments: [false, true])
  func unwrittenAcknowledgement(_ isProbing: Bool) async throws {
    let server = try DeliveryUnderTest()
    try server.journal.append((1..<4).map { record(Double($0)) }, recordedAt: start)
    try server.journal.setReadOnly(true)
    let home = try endpoint()
    for _ in 0..<3 {
      guard case .failed(let reason, _) = await upload(server, home, UploadRequest(limit: 2, isProbing: isProbing)) else {
        Issue.record("another outcome")
        return
      }
      #expect(reason.contains("The journal cannot be written"))
    }
    #expect(server.requests.count == (isProbing ? 2 : 1) && server.journal.waiting(endpoint: "home") == 3)
    try server.journal.setReadOnly(false)
    try await server.sendAll(to: home)
    #expect(server.journal.waiting(endpoint: "home") == 0)
    let sent = try server.requests.flatMap { try Overland.read($0.body).records.compactMap { $0.id?.sequence.value } }
    #expect(sent.count == 3 && Set(sent) == [1, 2, 3])
  }

  // MARK: Tokens

  @Test(
    "a token over http to another machine causes a warning",
    arguments: [
      ("http://192.168.1.5:8080/api/overland", true), ("http://example.org/api", true), ("http://127.evil.example/api", true),
      ("https://example.org/api", false), ("http://127.0.0.1:8080/api", false), ("http://127.8.9.1/api", false),
      ("http://localhost/api", false), ("http://[::1]:8080/api", false),
    ])
  func exposure(_ address: String, _ isExposed: Bool) throws {
    #expect((try endpoint(OverlandFormat(), address, token: .fixed("t")).exposureProblem != nil) == isExposed)
    #expect(try endpoint(OverlandFormat(), address).exposureProblem == nil)
    #expect((SetupLink(address: address, token: "t").exposureProblem != nil) == isExposed)
  }

  @Test("only the first endpoint's responses may change settings, unless configured otherwise")
  func remoteSettings() throws {
    var one = try endpoint()
    #expect(one.plan(isFirst: true).changesSettings && !one.plan(isFirst: false).changesSettings)
    one.changesSettings = true
    #expect(one.plan(isFirst: false).changesSettings)
    one.changesSettings = false
    #expect(!one.plan(isFirst: true).changesSettings)
  }
}
