internal import Foundation
internal import Godwit
internal import GodwitDelivery
internal import GodwitEngine

/// A server of the list in its stored form. Its token is only in the ``CredentialStore``.
struct StoredServer: Codable, Sendable, Hashable, Identifiable {
  /// The identifier of its cursor in the journal and of its token. Never changes.
  var id: String
  /// The user's name for the server.
  var name: String
  /// An address with `http` or `https`. It may have placeholders such as `%LAT`.
  var address: String
  /// A format of `EndpointFormats`.
  var format: String
  /// Seconds between uploads; `nil`: the interval of the settings.
  var interval: Double?
  /// Whether uploads are paused: records wait, and are sent only on request.
  var isPaused: Bool
  var onlyOnWifi: Bool

  init(
    id: String, name: String, address: String, format: String = "overland", interval: Double? = nil, isPaused: Bool = false,
    onlyOnWifi: Bool = false
  ) {
    self.id = id
    self.name = name
    self.address = address
    self.format = format
    self.interval = interval
    self.isPaused = isPaused
    self.onlyOnWifi = onlyOnWifi
  }

  /// Whether its address is that of a Godwit server.
  var hasRegions: Bool { address.hasSuffix("/api/overland") }

  /// The key in the ``CredentialStore`` of the token for reading from the server.
  var readingCredential: String { "\(id) reading" }

  /// Returns the server as an endpoint of a tracker.
  /// - Throws: ``GodwitError/Code/invalidEndpoint``.
  func endpoint(token: String?) throws(GodwitError) -> Endpoint {
    var endpoint = try Endpoint(name: id, address: address, format: format)
    endpoint.token = token.map { .fixed($0) } ?? .none
    endpoint.onlyOnWifi = onlyOnWifi
    endpoint.interval = isPaused ? .never : interval.map { .every($0) } ?? .settings
    return endpoint
  }
}

/// The servers to which records are sent, in the user's order. Only the first one may change settings.
struct ServerList: Codable, Sendable, Hashable {
  var servers: [StoredServer] = []

  init(_ servers: [StoredServer] = []) { self.servers = servers }

  static let file = "servers.json"

  /// Returns a new identifier, derived from the host of the address.
  func newID(for address: String) -> String {
    let host = URLComponents(string: address.replacing("%", with: "_"))?.host.flatMap { $0.isEmpty ? nil : $0 } ?? "server"
    let taken = Set(servers.map(\.id))
    guard taken.contains(host) else { return host }
    var number = 2
    while taken.contains("\(host)-\(number)") { number += 1 }
    return "\(host)-\(number)"
  }

  subscript(id: String) -> StoredServer? { servers.first { $0.id == id } }

  /// Replaces the server with the same identifier, or adds it at the end.
  mutating func put(_ server: StoredServer) {
    if let index = servers.firstIndex(where: { $0.id == server.id }) { servers[index] = server } else { servers.append(server) }
  }
}
