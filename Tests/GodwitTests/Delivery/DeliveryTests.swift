import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitDelivery

@Suite("Contents of requests to an endpoint", .timeLimit(.minutes(20)))
struct EndpointDeliveryTests {
  private func upload(
    _ server: DeliveryUnderTest, _ endpoint: Endpoint, _ request: UploadRequest = UploadRequest(limit: 50),
    settings: Settings = Settings()
  ) async -> Delivery.Outcome { await server.delivery.upload(to: endpoint, request, settings: settings) }

  // MARK: Numbers

  @Test("requests have exactly the range of numbers that they cover")
  func ranges() async throws {
    let server = try DeliveryUnderTest()
    try server.journal.append((0..<120).map { record(Double($0)) }, recordedAt: start)
    try await server.sendAll(to: try endpoint())
    #expect(server.ranges == [1...50, 51...100, 101...120] && server.ranges.count == server.requests.count)
  }

  @Test(
    "the numbers of an endpoint count only its records, without a gap, also after a relaunch", arguments: [1, 7, 50, 1000])
  func passedOver(_ limit: Int) async throws {
    let server = try DeliveryUnderTest()
    var endpoint = try endpoint()
    endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    // Inside, outside, inside.
    for latitude in [45, 46, 45] {
      try server.journal.append(
        try (0..<60).map { try recordWithAllFields(Double($0), latitude: Double(latitude), longitude: 14) }, recordedAt: start)
      try await server.sendAll(to: endpoint, limit: limit)
    }
    let reopened = try Journal(path: server.journal.path)
    #expect(reopened.waiting(endpoint: "home") == 0)
    try server.journal.append([try recordWithAllFields(1, latitude: 46, longitude: 14)], recordedAt: start)
    try await server.sendAll(to: endpoint, limit: limit)
    try expectNoGaps(server.ranges, through: 61)
    #expect(server.sentText.contains("45.45") == false)
  }

  /// Expects that each range begins after the end of the previous one.
  private func expectNoGaps(_ ranges: [ClosedRange<Int64>], through last: Int64) throws {
    var next: Int64 = 1
    for range in ranges {
      #expect(range.lowerBound == next)
      next = range.upperBound + 1
    }
    #expect(next == last + 1)
  }

  @Test("for random mixtures of records, zones and rejections, every number is covered", arguments: 1...8)
  func noHoles(_ seed: Int) async throws {
    var state = UInt64(seed)
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    let bad = Set((0..<5).map { _ in random(200) })
    let server = try DeliveryUnderTest { request, _ in
      let records = try Overland.read(request.body).records
      let isBad = records.contains { bad.contains(Int($0.time.timeIntervalSince(start))) }
      return isBad ? HTTPClient.Response(status: 400) : .godwit
    }
    var endpoint = try endpoint()
    endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    var outside: Set<Int> = []
    for second in 0..<200 {
      let isInside = random(3) > 0
      if !isInside { outside.insert(second) }
      try server.journal.append(
        [try recordWithAllFields(Double(second), latitude: isInside ? 45 : 46, longitude: 14)], recordedAt: start)
      if random(20) == 0 { try await drain(server, endpoint) }
    }
    try server.journal.append([try recordWithAllFields(1000, latitude: 46, longitude: 14)], recordedAt: start)
    outside.insert(1000)
    try await drain(server, endpoint)
    // The accepted requests. The rejected ones are repeated in halves.
    let accepted = server.requests.filter { request in
      guard let records = try? Overland.read(request.body).records else { return false }
      return !records.contains { bad.contains(Int($0.time.timeIntervalSince(start))) }
    }
    var covered: Set<Int64> = []
    var got: Set<Int> = []
    for request in accepted {
      let records = try Overland.read(request.body).records
      for record in records { got.insert(Int(record.time.timeIntervalSince(start))) }
      // The first request has no range, because the server is not yet known to be a Godwit server.
      guard let header = request.headers[SequenceRange.header] else {
        #expect(covered.isEmpty)
        continue
      }
      let numbers = try #require(SequenceRange(header)).numbers
      covered.formUnion(numbers.lowerBound.value...numbers.upperBound.value)
      #expect(try records.allSatisfy { numbers.contains(try #require($0.id).sequence) })
    }
    #expect(covered == Set(1...Int64(outside.count)))
    #expect(got == outside.subtracting(bad))
    let quarantined = try server.journal.quarantined(endpoint: "home").map { Int($0.record.time.timeIntervalSince(start)) }
    #expect(Set(quarantined) == outside.intersection(bad))
  }

  /// Sends all records as the engine does: a rejected batch is halved until it has one record, which is quarantined.
  private func drain(_ server: DeliveryUnderTest, _ endpoint: Endpoint) async throws {
    var limit = 50
    while server.journal.waiting(endpoint: "home") > 0 {
      switch await upload(server, endpoint, UploadRequest(limit: limit)) {
      case .acknowledged, .nothingToSend: limit = min(50, limit * 2)
      case .rejected(let reason, let count) where count == 1: try server.delivery.quarantineNext(of: endpoint.id, reason: reason)
      case .rejected(_, let count): limit = max(1, count / 2)
      case let other: throw HTTPError("\(other)")
      }
    }
  }

  @Test("a newest-only upload also covers the numbers before it")
  func latest() async throws {
    let server = try DeliveryUnderTest()
    try server.journal.append((0..<30).map { record(Double($0)) }, recordedAt: start)
    try await server.sendAll(to: try endpoint(), mode: .latest)
    // The records before it have no numbers, so its own number is the next one.
    #expect(server.ranges == [1...1])
    #expect(try Overland.read(try #require(server.requests.first).body).records.map(\.time) == [record(29).time])
  }

  @Test("numbers of records that were dropped by age are not covered")
  func retention() async throws {
    let server = try DeliveryUnderTest()
    var endpoint = try endpoint()
    endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    try server.journal.append([try recordWithAllFields(0, latitude: 45, longitude: 14)], recordedAt: start)
    try await server.sendAll(to: endpoint)
    try server.journal.append([try recordWithAllFields(1, latitude: 46, longitude: 14)], recordedAt: start)
    server.uptime.advance(1000)
    try server.journal.append([try recordWithAllFields(2, latitude: 46, longitude: 14)], recordedAt: start)
    #expect(try server.journal.removeRecords(waitingFor: "home", olderThan: 500, at: start) == 1)
    try await server.sendAll(to: endpoint)
    #expect(server.ranges == [2...2])
  }

  @Test("the rejected record is quarantined, and not a skipped one before it")
  func rejectedExactly() async throws {
    let server = try DeliveryUnderTest { _, number in number == 0 ? HTTPClient.Response(status: 422) : .godwit }
    var endpoint = try endpoint()
    endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    for latitude in [45.0, 45, 46, 45] {
      try server.journal.append([try recordWithAllFields(0, latitude: latitude, longitude: 14)], recordedAt: start)
    }
    let outcome = await upload(server, endpoint)
    guard case .rejected(let reason, count: 1) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    try server.delivery.quarantineNext(of: endpoint.id, reason: reason)
    #expect(try server.journal.quarantined(endpoint: "home").map(\.sequence) == [3])
    try server.journal.append([try recordWithAllFields(0, latitude: 46, longitude: 14)], recordedAt: start)
    try await server.sendAll(to: endpoint)
    #expect(server.ranges == [1...1, 1...2])
  }

  @Test("a rejected newest-only record is quarantined, and those before it count as sent")
  func rejectedNewest() async throws {
    let server = try DeliveryUnderTest { _, number in number == 0 ? HTTPClient.Response(status: 422) : .godwit }
    try server.journal.append((0..<30).map { record(Double($0)) }, recordedAt: start)
    try await server.sendAll(to: try endpoint(), mode: .latest)
    #expect(try server.journal.quarantined(endpoint: "home").map(\.sequence) == [30])
    #expect(server.requests.count == 1 && server.journal.waiting(endpoint: "home") == 0)
  }

  // MARK: Contents of requests

  private static let formats = EndpointFormats.named.map(\.name)

  @Test("fields that an endpoint may not get are in none of its requests, in any format", arguments: formats)
  func fields(_ name: String) async throws {
    let cases: [(CollectingFields, [String])] = [
      (.location, ["45.45", "14.018"]), (.altitude, ["753"]), (.network, ["HomeNetwork", "MobiCarrier", "aa:bb:cc"]),
      (.advertisingID, ["6d92078a", "idfa"]), (.deviceModel, ["ModelFifteen"]), (.systemVersion, ["SystemEighteen"]),
      (.permission, ["authorized"]), (.motion, ["walking"]), (.speed, ["6.78", "\"vel\"", "13.18"]), (.course, ["123"]),
      (.battery, ["charg", "\"batt\":", "batt=", "0.29"]),
      // 1,800,000,000 s is 2027-01-15T08:00:00Z; the records were recorded a day later.
      (.timestamp, ["2027-01-15", "180000"]),
    ]
    for (field, texts) in cases {
      let server = try DeliveryUnderTest()
      var endpoint = try endpoint(try EndpointFormats.format(named: name), token: .fixed("secret"))
      endpoint.fields = .all.subtracting(field)
      let fix = try recordWithAllFields(0)
      let visit = Record(
        kind: .visit(
          Visit(
            time: start, coordinate: try #require(Coordinate(latitude: 45.452595614, longitude: 14.018194094)),
            horizontalAccuracy: 4.567, arrival: start)), context: fix.context)
      try server.journal.append([fix, visit, fix, fix], recordedAt: start.addingTimeInterval(86400))
      for _ in 0..<4 { _ = await upload(server, endpoint, UploadRequest(limit: 2)) }
      for text in texts { #expect(!server.sentText.contains(text), "\(text) in \(server.sentText)") }
      #expect(field == .location || server.sentText.contains("45.45"))
    }
  }

  @Test("fields that an endpoint may not get are not in the newest position and the trip, which accompany the records")
  func beside() async throws {
    let trip = try runningTrip()
    for (field, texts) in [
      (CollectingFields.location, ["45.45", "14.018"]), (.altitude, ["753"]), (.speed, ["6.78"]),
      (.timestamp, ["2027-01-15T08:00:01Z"]),
    ] {
      let server = try DeliveryUnderTest()
      var endpoint = try endpoint()
      endpoint.fields = .all.subtracting(field)
      try server.journal.append(
        [try recordWithAllFields(0), try recordWithAllFields(0), try recordWithAllFields(1)],
        recordedAt: start.addingTimeInterval(86400))
      _ = await upload(server, endpoint, UploadRequest(limit: 1, trip: trip))
      let object = try #require(try JSONSerialization.jsonObject(with: Data(server.texts[0].utf8)) as? [String: Any])
      #expect((object["current"] == nil) == (field == .location))
      let reported = try #require(object["trip"] as? [String: Any])
      #expect((reported["start_location"] is NSNull) == (field == .location))
      for text in texts { #expect(!server.sentText.contains(text), "\(text) in \(server.sentText)") }
    }
  }

  private func runningTrip() throws -> RunningTrip {
    let engine = try JSONDecoder().decode(
      RunningTrip.self,
      from: Data(
        #"{"start":\#(start.timeIntervalSinceReferenceDate),"mode":"bicycle","distance":12.5,"startedTracking":false}"#.utf8))
    var trip = engine
    let kind = try recordWithAllFields(1).kind
    guard case .fix(let fix) = kind else {
      Issue.record("\(kind)")
      return trip
    }
    (trip.startFix, trip.lastFix) = (fix, fix)
    return trip
  }

  @Test("no format sends coordinates more precise than the endpoint's precision", arguments: formats)
  func precision(_ name: String) async throws {
    for precision in [Precision.rounded(decimals: 1), .grid(5000)] {
      let server = try DeliveryUnderTest()
      var endpoint = try endpoint(try EndpointFormats.format(named: name))
      endpoint.precision = precision
      try server.journal.append(try (0..<3).map { try recordWithAllFields(Double($0)) }, recordedAt: start)
      for _ in 0..<3 { _ = await upload(server, endpoint, UploadRequest(limit: 1, trip: try runningTrip())) }
      #expect(!server.sentText.contains("45.45") && !server.sentText.contains("14.01"), "\(server.sentText)")
      if case .grid = precision { #expect(!server.sentText.contains("753") && !server.sentText.contains("123")) }
      #expect(server.sentText.contains("45.") || server.sentText.contains("45,"))
    }
  }

  @Test("no format sends a position inside an excluded zone of the endpoint", arguments: formats)
  func zones(_ name: String) async throws {
    let server = try DeliveryUnderTest()
    var endpoint = try endpoint(try EndpointFormats.format(named: name), "https://home.example/api?at=%LAT")
    let home = try #require(Coordinate(latitude: 45.452595614, longitude: 14.018194094))
    endpoint.leftOut = [PrivateZone(center: home, radius: 500)]
    let visit = Record(kind: .visit(Visit(time: start, coordinate: home)))
    func away(_ seconds: Double) throws -> Record { try recordWithAllFields(seconds, latitude: 47.5, longitude: 15.5) }
    // The newest position is at home.
    try server.journal.append(
      [try away(0), visit, try away(1), try recordWithAllFields(2)], recordedAt: start)
    for _ in 0..<4 { _ = await upload(server, endpoint, UploadRequest(limit: 1, trip: try runningTrip())) }
    #expect(
      server.sentText.contains("47.5") && !server.sentText.contains("45.45") && !server.sentText.contains("14.0181940"),
      "\(server.sentText)")
    #expect(server.journal.waiting(endpoint: "home") == 0)
  }

  @Test("the newest position accompanies a batch only when more records wait after it")
  func current() async throws {
    let server = try DeliveryUnderTest()
    var endpoint = try endpoint()
    endpoint.leftOut = [PrivateZone(center: try #require(Coordinate(latitude: 45, longitude: 14)), radius: 1000)]
    for latitude in [46.0, 45, 46, 46] {
      try server.journal.append([try recordWithAllFields(0, latitude: latitude, longitude: 14)], recordedAt: start)
    }
    for _ in 0..<2 { _ = await upload(server, endpoint, UploadRequest(limit: 3)) }
    let currents = try server.requests.map { try Overland.read($0.body).current != nil }
    #expect(currents == [true, false])
  }

  // MARK: Headers

  @Test("the user's headers override defaults, in any case")
  func ownHeaders() async throws {
    let server = try DeliveryUnderTest()
    var endpoint = try endpoint(token: .fixed("secret"))
    endpoint.headers = ["authorization": "Key 1", "CONTENT-TYPE": "text/plain", "X-Proxy": "yes"]
    try server.journal.append([record(0)], recordedAt: start)
    _ = await upload(server, endpoint)
    let headers = try #require(server.requests.first?.headers)
    #expect(headers["authorization"] == "Key 1" && headers["CONTENT-TYPE"] == "text/plain" && headers["X-Proxy"] == "yes")
    #expect(Set(headers.keys) == ["authorization", "CONTENT-TYPE", "X-Proxy", "User-Agent", "Godwit-Range"])
  }

  @Test(
    "each format sends the token in its own header",
    arguments: [
      ("overland", "abc", "Bearer abc"), ("openlocate", "abc", "Bearer abc"), ("datadrop", "abc", "Bearer abc"),
      ("query", "abc", "Bearer abc"), ("owntracks", "abc", "Basic YWJjOg=="), ("owntracks", "anna:pass", "Basic YW5uYTpwYXNz"),
      ("overland", "", nil), ("owntracks", "", nil),
    ] as [(String, String, String?)])
  func authorization(_ name: String, _ token: String, _ header: String?) async throws {
    let server = try DeliveryUnderTest()
    try server.journal.append([record(0)], recordedAt: start)
    _ = await upload(server, try endpoint(try EndpointFormats.format(named: name), token: .fixed(token)))
    #expect(try #require(server.requests.first).headers["Authorization"] == header)
  }
}
