internal import Foundation
internal import Godwit
import GodwitEngine
import GodwitHTTPClient
internal import GodwitModel
internal import GodwitPhone
internal import GodwitSecrets
internal import GodwitServer
internal import GodwitStore
internal import GodwitWire
internal import Synchronization

/// The real server, in this process and without a network, as what the network of a simulated phone leads to. It has the fences
/// of a town and one device, and notes what comes on the wire.
final class CityServer: SimulatedServer {
  /// A region event as it came.
  struct Arrival: Sendable, Hashable {
    /// In the phone's journal.
    var number: RecordID
    var event: RegionEvent
  }

  private struct State {
    var arrivals: [Arrival] = []
    var numbers: Set<RecordID> = []
    var repeated = 0
    var pages = 0
    var rejections: [String] = []
  }

  private let server: LocalServer
  private let folder: URL
  private let token = AccessToken()
  /// The administrator's headers.
  private let administrator: [String: String]
  private let state = Mutex(State())
  private static let device = "phone"

  /// - Parameter fences: of the town.
  /// - Throws: when the store cannot be made, or does not take the fences.
  init(_ fences: [Region]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-city-\(UUID().uuidString)")
    let store = try SQLiteTrackStore(folder: folder.path)
    _ = try store.addDevice(named: Self.device, tokenHash: token.hash, at: Date())
    store.close()
    // The port of a server that listens nowhere.
    guard let address = ListenAddress("127.0.0.1:0") else { throw CityError("127.0.0.1:0 is not a valid address.") }
    server = LocalServer(try Server(configuration: Server.Configuration(listen: address, dataFolder: folder.path)))
    let secret = try String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8)
    administrator = ["Authorization": "Bearer \(secret.trimmingCharacters(in: .newlines))"]
    var body: [UInt8] = [UInt8(ascii: "[")]
    for (number, fence) in fences.enumerated() {
      if number > 0 { body.append(UInt8(ascii: ",")) }
      RegionJSON.write(fence, into: &body)
    }
    body.append(UInt8(ascii: "]"))
    let said = server.respond(LocalRequest(path: "/api/v1/regions", headers: administrator, body: body))
    guard (200..<300).contains(said.status) else { throw CityError(String(decoding: said.body.prefix(500), as: UTF8.self)) }
  }

  /// Ends the server and removes what it kept.
  func close() throws {
    server.close()
    try FileManager.default.removeItem(at: folder)
  }

  /// Region events by their numbers in the journal, each once however often it came.
  var arrivals: [Arrival] { state.withLock { $0.arrivals }.sorted { $0.number.sequence < $1.number.sequence } }
  /// Records that came more than once.
  var repeated: Int { state.withLock { $0.repeated } }
  /// Pages of regions that the phone asked for.
  var pages: Int { state.withLock { $0.pages } }
  /// What it did not take, in words.
  var rejections: [String] { state.withLock { $0.rejections } }

  /// What the server's administrator sees of all events, the oldest first.
  func shown() throws -> [TrackerSoak.Shown] {
    struct Page: Decodable {
      struct Event: Decodable {
        struct Place: Decodable { var id: String }
        var type: String
        var region: Place
        var source: String
      }
      var events: [Event]
      var nextCursor: String?
    }
    var shown: [TrackerSoak.Shown] = []
    var query = ["limit": "1000"]
    while true {
      let response = server.respond(
        LocalRequest(method: "GET", path: "/api/v1/region-events", query: query, headers: administrator))
      guard response.status == 200 else { throw CityError(String(decoding: response.body, as: UTF8.self)) }
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      let page = try decoder.decode(Page.self, from: Data(response.body))
      shown += page.events.compactMap { event in
        let kind = event.type.split(separator: ".").last.flatMap { RegionEvent.Kind(rawValue: String($0)) }
        return kind.map { TrackerSoak.Shown(kind: $0, region: event.region.id, source: event.source) }
      }
      guard let cursor = page.nextCursor else { return shown.reversed() }
      query["cursor"] = cursor
    }
  }

  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response {
    log(request)
    var headers = request.headers
    // The phone does not know it: it is made for this life.
    headers["Authorization"] = "Bearer \(token.secret)"
    var query: [String: String] = [:]
    for item in URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? [] {
      query[item.name] = item.value
    }
    let response = server.respond(
      LocalRequest(method: request.method, path: request.url.path, query: query, headers: headers, body: request.body))
    if !(200..<400).contains(response.status) {
      state.withLock { $0.rejections.append("\(response.status) \(String(decoding: response.body, as: UTF8.self))") }
    }
    return HTTPClient.Response(status: response.status, headers: response.headers, body: response.body)
  }

  private func log(_ request: HTTPClient.Request) {
    guard request.method == "POST" else { return state.withLock { $0.pages += 1 } }
    // What cannot be read the server refuses, and that is noted.
    guard let batch = try? Overland.read(request.body) else { return }
    state.withLock { state in
      for rejection in batch.rejected { state.rejections.append("\(rejection.reason) (\(rejection.place))") }
      for record in batch.records {
        guard let number = record.id else {
          state.rejections.append("A record without a number.")
          continue
        }
        guard state.numbers.insert(number).inserted else {
          state.repeated += 1
          continue
        }
        if case .region(let event) = record.kind { state.arrivals.append(Arrival(number: number, event: event)) }
      }
    }
  }
}

/// Why there is no town.
private struct CityError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
