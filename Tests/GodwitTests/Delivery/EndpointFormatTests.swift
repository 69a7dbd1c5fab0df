import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Testing

@testable import Godwit
@testable import GodwitDelivery

@Suite("Endpoint formats", .timeLimit(.minutes(20)))
struct EndpointFormatTests {
  private func sent(
    _ format: any EndpointFormat, _ address: String = "https://home.example/api", token: TokenSource = .none,
    records: Int = 3, mode: LoggingMode = .all, deviceID: String = "", status: Int = 200, body: String = ""
  ) async throws -> DeliveryUnderTest {
    let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: status, body: Array(body.utf8)) }
    try server.journal.append((0..<records).map { record(Double($0)) }, recordedAt: start)
    var settings = Settings()
    settings.deviceID = deviceID
    settings.acceptsAny2xx = true
    try await server.sendAll(to: try endpoint(format, address, token: token), mode: mode, settings: settings)
    return server
  }

  // MARK: Names

  @Test("an unknown name is an error that lists the known ones")
  func unknown() {
    #expect(throws: UnknownEndpointFormat(name: "overlnd")) { try EndpointFormats.format(named: "overlnd") }
    #expect(
      UnknownEndpointFormat(name: "overlnd").description
        == "No endpoint format is called \"overlnd\"; there are overland, overland-app, openlocate, owntracks, datadrop, query.")
  }

  @Test("locations_in_payload is the number of locations of the request, not of the delivery to the tracker")
  func locationsInPayload() {
    var records = (0..<3).map { record(Double($0)) }
    for index in 0..<2 { records[index].extras = #"{"tracking_mode":1,"locations_in_payload":1}"# }
    let batch = OutgoingBatch(records: records, current: nil, trip: nil, deviceID: "", token: nil)
    let body = String(decoding: OverlandFormat().message(batch).body, as: UTF8.self)
    #expect(body.components(separatedBy: #""locations_in_payload":3}"#).count == 3 && !body.contains(#"payload":1"#), "\(body)")
  }

  @Test("each name is unique and has a format")
  func names() throws {
    let names = EndpointFormats.named.map(\.name)
    #expect(Set(names).count == names.count)
    for name in names { _ = try EndpointFormats.format(named: name) }
  }

  /// An additional format, which needs only this type and an endpoint with it.
  private struct LineFormat: EndpointFormat {
    var maximumPerRequest: Int { 2 }
    var authentication: EndpointAuthentication { .bearer }
    func carries(_ record: Record) -> Bool { if case .fix = record.kind { true } else { false } }
    func message(_ batch: OutgoingBatch) -> EndpointMessage {
      var message = EndpointMessage()
      message.method = "PUT"
      message.headers = ["X-Lines": "\(batch.records.count)"]
      message.body = Array(batch.records.map { "\($0.time.timeIntervalSince1970)\n" }.joined().utf8)
      return message
    }
    func response(status: Int, body: [UInt8]) -> UploadResponse { status == 202 ? .accepted() : .failed(reason: "\(status)") }
  }

  @Test("a format needs only one type, and has defaults for batching, unsupported records, headers and retries")
  func added() async throws {
    let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: 202) }
    try server.journal.append((0..<3).map { record(Double($0)) }, recordedAt: start)
    let place = try #require(Coordinate(latitude: 1, longitude: 2))
    try server.journal.append(
      [Record(kind: .visit(Visit(time: start, coordinate: place))), Record(kind: .action(Action(time: start, name: "x")))],
      recordedAt: start)
    try await server.sendAll(to: try endpoint(LineFormat(), token: .fixed("abc")))
    #expect(server.texts == ["1800000000.0\n1800000001.0\n", "1800000002.0\n"])
    #expect(server.requests.allSatisfy { $0.method == "PUT" && $0.headers["Authorization"] == "Bearer abc" })
    #expect(server.requests.map { $0.headers["X-Lines"] } == ["2", "1"])
    let quarantined = try server.journal.quarantined(endpoint: "home")
    #expect(quarantined.map(\.sequence) == [4] && quarantined.first?.reason.contains("cannot represent") == true)
  }

  // MARK: OwnTracks

  @Test(
    "OwnTracks: user and device are in headers and topic, also in Overland's mode of that name",
    arguments: [
      ("anna/phone", TokenSource.fixed("anna"), "anna", "phone"), ("phone", .fixed("anna:pass"), "anna", "phone"),
      ("a/b/c", .none, "a", "b/c"), ("", .none, "godwit", "device"),
      // A token without a user name is a secret, and is sent only in its header.
      ("phone", .fixed("s3cret/token"), "godwit", "phone"),
    ] as [(String, TokenSource, String, String)])
  func ownTracks(_ device: String, _ token: TokenSource, _ user: String, _ name: String) async throws {
    for (format, mode) in [(OwnTracksFormat(), LoggingMode.all), (OverlandFormat(), .owntracks)]
      as [(any EndpointFormat, LoggingMode)]
    {
      let server = try await sent(format, token: token, mode: mode, deviceID: device, body: "[]")
      // One request for each location; in the logging mode only the newest location.
      #expect(server.requests.count == (mode == .all ? 3 : 1))
      for request in server.requests {
        #expect(request.method == "POST" && request.headers["Content-Type"] == "application/json")
        #expect(request.headers["X-Limit-U"] == user && request.headers["X-Limit-D"] == name)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any])
        #expect(object["_type"] as? String == "location" && object["topic"] as? String == "owntracks/\(user)/\(name)")
      }
      #expect(!server.sentText.contains("s3cret"))
    }
  }

  @Test("OwnTracks: an entry or exit of a region is a transition in its own request")
  func ownTracksTransitions() async throws {
    let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: 200, body: Array("[]".utf8)) }
    let kinds: [RegionEvent.Kind] = [.entered, .dwelled, .exited]
    try server.journal.append(
      kinds.map { Record(kind: .region(RegionEvent(time: start, kind: $0, region: RegionMention(id: "home")))) },
      recordedAt: start)
    var settings = Settings()
    settings.deviceID = "anna/phone"
    try await server.sendAll(to: try endpoint(OwnTracksFormat()), settings: settings)
    let reported = try server.requests.map { try JSONSerialization.jsonObject(with: Data($0.body)) as? [String: Any] }
    #expect(reported.map { $0?["event"] as? String } == ["enter", "leave"])
    #expect(reported.allSatisfy { $0?["_type"] as? String == "transition" && $0?["rid"] as? String == "home" })
    #expect(reported.allSatisfy { $0?["topic"] as? String == "owntracks/anna/phone/event" })
    // The format has no transition for a dwell event, so its record is quarantined.
    #expect(try server.journal.quarantined(endpoint: "home").map(\.sequence) == [2])
  }

  @Test("a line break in a device's name is replaced in the topic")
  func lineBreak() async throws {
    let server = try await sent(OwnTracksFormat(), records: 1, deviceID: "anna\r\nX-Evil: 1/phone", body: "[]")
    let request = try #require(server.requests.first)
    #expect(request.headers["X-Limit-U"] == nil && request.headers["X-Limit-D"] == nil)
  }

  @Test(
    "OwnTracks: any response to a location is success, except a login page",
    arguments: [
      ("[]", 200, true), (#"[{"_type":"location","lat":1,"lon":2,"tst":3,"tid":"ab"}]"#, 200, true), ("", 200, true),
      (#"{"result":"ok"}"#, 200, true), (#"{"_type":"encrypted","data":"x"}"#, 200, true), ("", 204, true), ("OK", 200, true),
      ("<!DOCTYPE html><title>Login</title>", 200, false), ("\r\n  <html>", 200, false), ("[]", 500, false), ("[]", 302, false),
    ])
  func responses(_ body: String, _ status: Int, _ isAccepted: Bool) {
    let decision = OwnTracksFormat().response(status: status, body: Array(body.utf8))
    if case .accepted = decision { #expect(isAccepted) } else { #expect(!isAccepted) }
  }

  // MARK: One record per request

  @Test("Data Drop: a form for each record, to the bin in the address")
  func dataDrop() async throws {
    let server = try await sent(DataDropFormat(), "https://datadrop.example/api/v1.0/Add?bin=abc", records: 2)
    #expect(
      server.requests.map(\.url.absoluteString) == Array(repeating: "https://datadrop.example/api/v1.0/Add?bin=abc", count: 2))
    #expect(
      server.requests.allSatisfy { $0.method == "POST" && $0.headers["Content-Type"] == "application/x-www-form-urlencoded" })
    // The identifier of the journal for this endpoint, so that two servers cannot join their data.
    let journal = try server.journal.numbering(endpoint: "home").identifier
    #expect(journal != 0xABC)
    #expect(
      server.texts
        == ([(0, 1), (1, 2)] as [(Int, RecordNumber)]).map { second, number in
          "timestamp=2027-01-15T08%3A00%3A0\(second)Z&latitude=45.1&longitude=14.2&record="
            + RecordID(journal: journal, sequence: number).description
        })
  }

  @Test(
    "a query: a request for each record, appended to the address",
    arguments: [
      ("http://traccar.example:5055", "http://traccar.example:5055?"),
      ("http://traccar.example:5055/?id=van", "http://traccar.example:5055/?id=van&"),
      ("http://traccar.example:5055/?", "http://traccar.example:5055/?"),
      ("http://traccar.example:5055/x#part", "http://traccar.example:5055/x?"),
    ])
  func query(_ address: String, _ beginning: String) async throws {
    let server = try await sent(QueryStringFormat(), address)
    let end = address.hasSuffix("#part") ? "#part" : ""
    #expect(
      server.requests.map(\.url.absoluteString) == (0...2).map { "\(beginning)lat=45.1&lon=14.2&timestamp=180000000\($0)\(end)" })
    #expect(server.requests.allSatisfy { $0.method == "GET" && $0.body.isEmpty && $0.headers["Content-Type"] == nil })
  }

  @Test("an address with placeholders sends the acknowledged record, not the newest")
  func places() async throws {
    for format in [QueryStringFormat(), DataDropFormat(), OwnTracksFormat()] as [any EndpointFormat] {
      let server = try await sent(format, "https://home.example/?t=%TS&lat=%LAT")
      #expect(
        server.requests.map(\.url.absoluteString)
          == (0...2).map { "https://home.example/?t=2027-01-15T08%3A00%3A0\($0)Z&lat=45.1" })
    }
  }

  @Test("an address with placeholders beside batches sends the newest position")
  func placesOfBatches() async throws {
    let server = try await sent(OverlandFormat(), "https://home.example/?t=%TS", records: 60)
    #expect(
      server.requests.map(\.url.absoluteString) == Array(repeating: "https://home.example/?t=2027-01-15T08%3A00%3A59Z", count: 2))
  }

  // MARK: Responses

  @Test(
    "formats that use the status only: success, rejection and retry",
    arguments: [
      (200, "accepted"), (201, "accepted"), (204, "accepted"), (299, "accepted"), (400, "rejected"), (413, "rejected"),
      (422, "rejected"), (401, "unauthorized"), (403, "unauthorized"), (404, "failed"), (408, "failed"), (429, "failed"),
      (500, "failed"), (503, "failed"), (199, "failed"),
    ])
  func statuses(_ status: Int, _ meaning: String) {
    for format in [OpenLocateFormat(), DataDropFormat(), QueryStringFormat(), OwnTracksFormat(), OverlandFormat()]
      as [any EndpointFormat]
    {
      let decision = format.response(status: status, body: Array(#"{"result":"ok"}"#.utf8))
      #expect("\(decision)".hasPrefix(meaning), "\(type(of: format)) \(status): \(decision)")
    }
  }

  @Test("any 2xx is success for Overland only if the settings or the endpoint allow it")
  func any2xx() async throws {
    for (ofFormat, ofSettings, isSuccess) in [(false, false, false), (true, false, true), (false, true, true)] {
      let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: 200, body: Array("rubbish".utf8)) }
      try server.journal.append([record(0)], recordedAt: start)
      var settings = Settings()
      settings.acceptsAny2xx = ofSettings
      _ = await server.delivery.upload(
        to: try endpoint(OverlandFormat(acceptsAny2xx: ofFormat)), UploadRequest(limit: 5), settings: settings)
      #expect((server.journal.waiting(endpoint: "home") == 0) == isSuccess)
    }
  }
}
