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

/// The real server in this process, which a simulated phone reaches without a network. It has the geofences of a city and one
/// device, and logs the requests.
final class CityServer: SimulatedServer {
  /// A region event that the phone uploaded.
  struct Arrival: Sendable, Hashable {
    /// The number of the record in the journal of the phone.
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
  /// The headers of a request by the administrator.
  private let administrator: [String: String]
  private let state = Mutex(State())
  private static let device = "phone"

  /// Creates a server with a temporary data folder.
  /// - Parameter fences: the geofences of the city.
  /// - Throws: if the store cannot be created or the server rejects the geofences.
  init(_ fences: [Region]) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-city-\(UUID().uuidString)")
    do {
      let store = try SQLiteTrackStore(folder: folder.path)
      _ = try store.addDevice(named: Self.device, tokenHash: token.hash, at: Date())
      store.close()
      // The configuration requires an address, but the server is not started on it.
      guard let address = ListenAddress("127.0.0.1:0") else { throw CityError("127.0.0.1:0 is not a valid address.") }
      server = LocalServer(try Server(configuration: Server.Configuration(listen: address, dataFolder: folder.path)))
      let secret = try String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8)
      administrator = ["Authorization": "Bearer \(secret.trimmingCharacters(in: .newlines))"]
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    do { try add(fences) } catch {
      try? close()
      throw error
    }
  }

  private func add(_ fences: [Region]) throws {
    var body: [UInt8] = [UInt8(ascii: "[")]
    for (number, fence) in fences.enumerated() {
      if number > 0 { body.append(UInt8(ascii: ",")) }
      RegionJSON.write(fence, into: &body)
    }
    body.append(UInt8(ascii: "]"))
    let response = server.respond(LocalRequest(path: "/api/v1/regions", headers: administrator, body: body))
    guard (200..<300).contains(response.status) else {
      throw CityError(String(decoding: response.body.prefix(500), as: UTF8.self))
    }
  }

  /// Closes the server and removes its data folder.
  func close() throws {
    server.close()
    try FileManager.default.removeItem(at: folder)
  }

  /// The region events that arrived, each once, sorted by their numbers in the journal.
  var arrivals: [Arrival] { state.withLock { $0.arrivals }.sorted { $0.number.sequence < $1.number.sequence } }
  /// The number of records that arrived again.
  var repeated: Int { state.withLock { $0.repeated } }
  /// The number of pages of regions that the phone requested.
  var pages: Int { state.withLock { $0.pages } }
  /// Descriptions of the rejected requests and records.
  var rejections: [String] { state.withLock { $0.rejections } }

  /// All events that the server returns to its administrator, the oldest first.
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
    // The configuration of the phone does not contain the token, which is created with the server.
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
    // The server rejects a batch that cannot be decoded, and the rejection is logged.
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

/// The reason why the server cannot be created.
private struct CityError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
