import Foundation
import GodwitDigests
import GodwitModel
import GodwitServices
import TestClient
import Testing

@testable import GodwitGeofencing
@testable import GodwitHTTP
@testable import GodwitIntake
@testable import GodwitRegions
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// A server with devices. Requests are sent in this process or over a socket, with the same expected responses.
final class RegionServer {
  enum Depth: String, CaseIterable, CustomTestStringConvertible {
    case inProcess, overASocket, onPostgres, overASocketOnPostgres
    var testDescription: String { rawValue }

    /// The depths at which every route is tested.
    static let allCases: [Depth] = [.inProcess, .overASocket, .onPostgres].filter(\.isTested)
    /// Both stores, without a network.
    static let stores: [Depth] = [.inProcess, .onPostgres].filter(\.isTested)
    /// Both stores, over a socket.
    static let sockets: [Depth] = [.overASocket, .overASocketOnPostgres]
    /// The sockets with the stores of this run.
    static let testedSockets = sockets.filter(\.isTested)

    fileprivate var kind: StoreKind { self == .onPostgres || self == .overASocketOnPostgres ? .postgres : .sqlite }
    private var isTested: Bool { StoreKind.tested.contains(kind) }
    fileprivate var isInProcess: Bool { self == .inProcess || self == .onPostgres }
  }

  let folder: URL
  /// The tokens of the devices, by name.
  private(set) var tokens: [String: String] = [:]
  private let local: LocalServer?
  private let task: Task<Void, any Error>?
  private let port: UInt16
  /// The number of tasks that sleep while the server is idle.
  let services: Int
  private let place: ContractStore
  /// The stores that ``tracks()`` opened.
  private var others: [any StoreDatabase] = []

  init(
    _ depth: Depth = .inProcess, devices: [String] = ["phone"], listen: String = "127.0.0.1:0", mqtt: MQTTConfiguration? = nil,
    clock: VirtualClock? = nil
  ) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-regions-\(UUID().uuidString)")
    place = try ContractStore(depth.kind)
    for name in devices {
      let token = AccessToken()
      _ = try place.store.addDevice(named: name, tokenHash: token.hash, at: Date())
      tokens[name] = token.secret
    }
    let address = try #require(ListenAddress(listen))
    var configuration = Server.Configuration(listen: address, dataFolder: folder.path)
    configuration.store = try place.location()
    configuration.mqtt = mqtt
    let server = try Server(configuration: configuration, clock: clock?.clock ?? .system)
    services = server.schedule.tasks.count + 1
    if depth.isInProcess {
      (local, task, port) = (LocalServer(server), nil, 0)
    } else {
      let (ports, found) = AsyncStream<UInt16>.makeStream()
      // The stream also ends if the server fails, so that the test does not wait.
      task = Task {
        defer { found.finish() }
        try await server.run { found.yield($0) }
      }
      port = try #require(await ports.first { _ in true })
      local = nil
    }
  }

  /// Runs `body` with a server, then stops the server and deletes its data.
  static func with(
    _ depth: Depth = .inProcess, devices: [String] = ["phone"], listen: String = "127.0.0.1:0", mqtt: MQTTConfiguration? = nil,
    clock: VirtualClock? = nil, _ body: (RegionServer) async throws -> Void
  ) async throws {
    let server = try await RegionServer(depth, devices: devices, listen: listen, mqtt: mqtt, clock: clock)
    do { try await body(server) } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  private func stop() async {
    local?.close()
    task?.cancel()
    _ = await task?.result
    for other in others { other.close() }
    place.end()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Opens the regions of the same store, as another process does.
  func store() throws -> DatabaseRegionStore { DatabaseRegionStore(try tracks()) }

  /// Opens the same store, as another process does.
  func tracks() throws -> any StoreDatabase {
    let other = try place.openAgain()
    others.append(other)
    return other
  }

  /// Sends a request as a device, or as the administrator if none is given.
  func send(
    _ method: String, _ path: String, _ query: [String: String] = [:], body: String? = nil, device: String? = nil,
    headers: [String: String] = [:], isAnonymous: Bool = false
  ) async throws -> Response {
    try await send(
      method, path, query, bytes: body.map { Array($0.utf8) }, device: device, headers: headers, isAnonymous: isAnonymous)
  }

  func send(
    _ method: String, _ path: String, _ query: [String: String] = [:], bytes: [UInt8]?, device: String? = nil,
    headers: [String: String] = [:], isAnonymous: Bool = false
  ) async throws -> Response {
    var headers = headers
    if let device {
      headers["Authorization"] = "Bearer \(try #require(tokens[device]))"
    } else if !isAnonymous {
      headers = AdministratorHeader.added(to: headers, method, path, folder: folder)
    }
    if let local {
      let response = local.respond(LocalRequest(method: method, path: path, query: query, headers: headers, body: bytes ?? []))
      return Response(status: response.status, headers: response.headers, body: response.body)
    }
    var address = URLComponents()
    (address.scheme, address.host, address.port, address.path) = ("http", "127.0.0.1", Int(port), path)
    if !query.isEmpty {
      let plain = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
      address.percentEncodedQueryItems = query.map {
        URLQueryItem(name: $0.key, value: $0.value.addingPercentEncoding(withAllowedCharacters: plain))
      }
    }
    return try await ask(method, try #require(address.string), bytes: bytes, headers: headers)
  }

  /// Opens an event stream.
  func events() throws -> LiveEvents { try LiveEvents(port: port, folder: folder) }

  /// Requests a page of regions as a device.
  func sync(
    _ device: String = "phone", after: String? = nil, first: Int = 500, _ query: [String: String] = [:]
  ) async throws -> Response {
    var query = query
    query["first"] = String(first)
    query["after"] = after
    let response = try await send("GET", "/api/regions", query, device: device)
    #expect(response.status == 200, "\(response.text)")
    return response
  }

  /// Saves regions as the administrator.
  @discardableResult
  func save(_ regions: String...) async throws -> Response {
    let response = try await send("POST", "/api/v1/regions", body: "[\(regions.joined(separator: ","))]")
    #expect(response.status == 200 || response.status == 201, "\(response.text)")
    return response
  }
}

/// An event stream of a server.
struct LiveEvents {
  private let connection: Connection

  /// Opens an event stream as the administrator.
  /// - Parameter folder: the server's data folder.
  init(port: UInt16, folder: URL) throws {
    connection = try Connection(port: port)
    let headers = AdministratorHeader.added(to: ["Host": "127.0.0.1:\(port)"], "GET", "/api/v1/events", folder: folder)
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    connection.send("GET /api/v1/events HTTP/1.1\r\n\(lines)\r\n".utf8)
  }

  /// Waits for a complete event that contains a text, after the previous one. Returns the received text.
  @discardableResult
  func first(with text: String) async -> String {
    await connection.receive { $0.contains(text) && $0.hasSuffix("\n\n\r\n") }
  }
}

extension Response {
  var nodes: [[String: Any]] { object["nodes"] as? [[String: Any]] ?? [] }
  var endCursor: String { (object["pageInfo"] as? [String: Any])?["endCursor"] as? String ?? "" }
  var hasNextPage: Bool { (object["pageInfo"] as? [String: Any])?["hasNextPage"] as? Bool ?? false }
  var ids: [String] { nodes.compactMap { $0["id"] as? String } }
}

/// The JSON of a circular region.
func circle(
  _ id: String, latitude: Double = 46, longitude: Double = 14.5, radius: Double = 100, tags: [String] = []
) -> String {
  let tags = tags.isEmpty ? "" : #","tags":[\#(tags.map { "\"\($0)\"" }.joined(separator: ","))]"#
  return #"{"id":"\#(id)","center":{"latitude":\#(latitude),"longitude":\#(longitude)},"radius":\#(radius)\#(tags)}"#
}

/// A device's copy of the regions, updated with pages.
struct RegionCopy {
  /// The received JSON of each region by id, without the revision.
  var regions: [String: String] = [:]
  var cursor: String?

  /// Applies a page. The server writes one node per line.
  mutating func apply(_ response: Response) throws {
    if response.object["reset"] as? Bool == true || cursor == nil { regions = [:] }
    for line in response.text.split(separator: "\n") where line.hasPrefix("{\"id\"") {
      var text = String(line.hasSuffix(",") ? line.dropLast() : line)
      let node = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let id = try #require(node["id"] as? String)
      if node["deleted"] as? Bool == true {
        regions[id] = nil
      } else {
        let range = try #require(text.range(of: ",\"revision\":", options: .backwards))
        text.replaceSubrange(range.lowerBound..., with: "}")
        regions[id] = text
      }
    }
    cursor = response.endCursor
  }

  /// The digest of the sync protocol: XOR of the first 16 bytes of SHA-256 over id, zero byte and JSON.
  var digest: String {
    var all = [UInt8](repeating: 0, count: 16)
    for (id, json) in regions {
      for (index, byte) in SHA256Digest.of(Array(id.utf8) + [0] + Array(json.utf8)).prefix(16).enumerated() { all[index] ^= byte }
    }
    return all.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
