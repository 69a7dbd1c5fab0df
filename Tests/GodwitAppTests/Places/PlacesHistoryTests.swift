import Foundation
import GodwitHTTPClient
import GodwitModel
import Synchronization
import Testing

@testable import GodwitApp

/// A server with the history of a device, whose responses a test can replace.
final class HistoryServer: Sendable {
  private struct State {
    var requests: [HTTPClient.Request] = []
    var points: [DayPoint] = []
    var instead: (@Sendable (HTTPClient.Request) throws -> HTTPClient.Response?)?
  }
  private let state = Mutex(State())

  init(_ points: [DayPoint] = []) { state.withLock { $0.points = points } }

  var requests: [HTTPClient.Request] { state.withLock { $0.requests } }
  var pointRequests: [[String: String]] { requests.filter { $0.url.path == "/godwit/api/v1/points" }.map(Self.query) }
  func reply(_ instead: (@Sendable (HTTPClient.Request) throws -> HTTPClient.Response?)?) {
    state.withLock { $0.instead = instead }
  }

  var client: HTTPClient { HTTPClient { [self] in try respond($0) } }

  /// Responds as the API is documented: positions of a time range, in pages. The token for reading is "read-1", the device's
  /// own token is "send-1".
  func respond(_ request: HTTPClient.Request) throws -> HTTPClient.Response {
    let (instead, points) = state.withLock { state in
      state.requests.append(request)
      return (state.instead, state.points)
    }
    if let response = try instead?(request) { return response }
    let token = request.headers["Authorization"]
    if request.url.path == "/godwit/api/overland", token == "Bearer send-1" {
      return HTTPClient.Response(status: 200, body: Array(#"{"name":"phone +1"}"#.utf8))
    }
    guard request.url.path == "/godwit/api/v1/points", request.method == "GET" else { return HTTPClient.Response(status: 404) }
    guard token == "Bearer read-1" else { return HTTPClient.Response(status: 403) }
    let query = Self.query(request)
    let from = query["from"].flatMap(RFC3339.date) ?? .distantPast
    let to = query["to"].flatMap(RFC3339.date) ?? .distantFuture
    let wanted = points.filter { $0.time >= from && $0.time < to }
    let start = query["cursor"].flatMap { Int($0) } ?? 0
    let page = wanted.dropFirst(start).prefix(query["limit"].flatMap { Int($0) } ?? 1000)
    let end = start + page.count
    return HTTPClient.Response(
      status: 200, body: Self.page(page.map(Self.feature), next: end < wanted.count ? "\"\(end)\"" : "null"))
  }

  static func page(_ features: [String], next: String = "null") -> [UInt8] {
    Array(#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))],"next_cursor":\#(next)}"#.utf8)
  }

  static func feature(_ point: DayPoint) -> String {
    #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(point.coordinate.longitude),\#(point.coordinate.latitude),300]},"#
      + #""properties":{"timestamp":"\#(RFC3339.string(point.time))","horizontal_accuracy":8}}"#
  }

  static func query(_ request: HTTPClient.Request) -> [String: String] {
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    return Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 }
  }
}

/// Returns positions on a route to the north, with a constant interval and speed.
func path(from start: Date, count: Int, every seconds: Double = 10, speed: Double = 10, north: Double = 0) -> [DayPoint] {
  let home = Coordinate(latitude: 45.5, longitude: 14)!  // in range
  return (0..<count).map { number in
    let passed = Double(number) * seconds
    return DayPoint(
      time: start.addingTimeInterval(passed),
      coordinate: GreatCircle.destination(from: home, course: 0, distance: north + passed * speed))
  }
}

@Suite("The history of a server")
struct PlacesHistoryTests {
  private func reader(
    _ server: HistoryServer, token: String = "read-1", address: String = "https://home.example/godwit/api/overland"
  )
    throws -> PointHistory
  {
    PointHistory(client: server.client, address: try #require(URL(string: address)), token: token)
  }

  @Test("a day is read page by page with the token in a header, and its end belongs to the next day")
  func pages() async throws {
    let points = path(from: noon, count: 4_500)
    let server = HistoryServer(points + [DayPoint(time: noon.addingTimeInterval(45_000), coordinate: points[0].coordinate)])
    var reader = try reader(server)
    reader.device = "phone +1"
    let read = try await reader.points(from: noon, to: noon.addingTimeInterval(45_000))
    #expect(read.points.count == 4_500 && !read.isCut)
    #expect(
      zip(read.points, points).allSatisfy { abs($0.time.timeIntervalSince($1.time)) < 0.001 && $0.coordinate == $1.coordinate })
    let queries = server.pointRequests
    #expect(queries.map { $0["cursor"] } == [nil, "2000", "4000"])
    #expect(queries.allSatisfy { $0["from"] == "2026-11-20T12:00:00Z" && $0["to"] == "2026-11-21T00:30:00Z" })
    #expect(queries.allSatisfy { $0["device"] == "phone +1" }, "a plus sign is encoded")
    #expect(server.requests.allSatisfy { $0.url.query?.contains("read-1") == false })
    #expect(server.requests.allSatisfy { $0.headers["User-Agent"] == "Godwit/\(Version.current)" })
  }

  @Test(
    "a response that is not a page of positions is an error, and an invalid position in a page is skipped",
    arguments: [
      (200, "", PointHistory.Failure.notPoints),
      (200, "<html></html>", .notPoints),
      (200, "[]", .notPoints),
      (200, #"{"features":{}}"#, .notPoints),
      (200, #"{"features":[],"next_cursor":""}"#, .notPoints),
      (200, #"{"features":[],"next_cursor":7}"#, .notPoints),
      (401, "", .rejected), (403, #"{"detail":"A device cannot read."}"#, .rejected),
      (302, "", .status(302, nil)), (503, "busy", .status(503, nil)),
      (404, #"{"detail":"There is no device \"phone\".\nNone."}"#, .status(404, #"There is no device "phone".None."#)),
    ])
  func badResponses(status: Int, body: String, failure: PointHistory.Failure) async throws {
    let server = HistoryServer()
    server.reply { _ in HTTPClient.Response(status: status, body: Array(body.utf8)) }
    let reader = try reader(server)
    await #expect(throws: failure) { _ = try await reader.points(from: noon, to: noon.addingTimeInterval(60)) }
  }

  @Test("features without a time, a valid position or a time of the day are skipped")
  func badFeatures() async throws {
    let good = DayPoint(time: noon, coordinate: path(from: noon, count: 1)[0].coordinate, accuracy: 8)
    let server = HistoryServer()
    server.reply { _ in
      let bad = [
        "null", "7", "{}", #"{"geometry":null,"properties":null}"#,
        #"{"geometry":{"coordinates":[14]},"properties":{"timestamp":"2026-11-20T12:00:00Z"}}"#,
        #"{"geometry":{"coordinates":[14,95]},"properties":{"timestamp":"2026-11-20T12:00:00Z"}}"#,
        #"{"geometry":{"coordinates":[14,1e400]},"properties":{"timestamp":"2026-11-20T12:00:00Z"}}"#,
        #"{"geometry":{"coordinates":[14,45]},"properties":{"timestamp":"yesterday"}}"#,
        #"{"geometry":{"coordinates":[14,45]},"properties":{"timestamp":"2025-11-20T12:00:00Z"}}"#,
      ]
      return HTTPClient.Response(
        status: 200, body: HistoryServer.page(bad.filter { $0.hasPrefix("{") } + [HistoryServer.feature(good)]))
    }
    let read = try await reader(server).points(from: noon, to: noon.addingTimeInterval(60))
    #expect(read.points == [good])
  }

  @Test("the number of pages is bounded, and repeated cursors and pages that are too large are errors")
  func bounds() async throws {
    let server = HistoryServer()
    let count = Mutex(0)
    server.reply { _ in
      let number = count.withLock { count in
        count += 1
        return count
      }
      return HTTPClient.Response(status: 200, body: HistoryServer.page([], next: "\"\(number)\""))
    }
    let reader = try reader(server)
    let endless = try await reader.points(from: noon, to: noon.addingTimeInterval(60))
    #expect(endless.isCut && count.withLock { $0 } == PointHistory.maximumPages)
    server.reply { _ in HTTPClient.Response(status: 200, body: HistoryServer.page([], next: "\"same\"")) }
    await #expect(throws: PointHistory.Failure.notPoints) {
      _ = try await reader.points(from: noon, to: noon.addingTimeInterval(60))
    }
    server.reply { _ in HTTPClient.Response(status: 200, body: [UInt8](repeating: 32, count: PointHistory.maximumBytes)) }
    await #expect(throws: PointHistory.Failure.tooLarge) {
      _ = try await reader.points(from: noon, to: noon.addingTimeInterval(60))
    }
    #expect(server.pointRequests.suffix(6).map { $0["limit"] } == ["2000", "500", "125", "31", "7", "1"])
  }

  @Test(
    "the history is beside the endpoint, and a password in its address is not sent",
    arguments: [
      ("https://home.example/api/overland", "https://home.example/api/v1/points"),
      ("https://home.example:8443/a%20b/api/overland?x=1#y", "https://home.example:8443/a%20b/api/v1/points"),
      ("https://ann:secret@home.example/api/overland", "https://home.example/api/v1/points"),
    ])
  func address(endpoint: String, wanted: String) async throws {
    let server = HistoryServer()
    _ = try? await reader(server, address: endpoint).points(from: noon, to: noon.addingTimeInterval(60))
    #expect(server.requests.first?.url.absoluteString.hasPrefix(wanted + "?from=") == true)
    await #expect(throws: PointHistory.Failure.noAddress) {
      _ = try await reader(server, address: "https://home.example/batch").points(from: noon, to: noon.addingTimeInterval(60))
    }
  }
}
