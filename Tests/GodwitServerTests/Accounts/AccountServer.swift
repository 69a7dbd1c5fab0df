import Foundation
import GodwitModel
import GodwitPostgres
import TestClient
import TestCluster
import Testing

@testable import GodwitAPI
@testable import GodwitAccess
@testable import GodwitAccounts
@testable import GodwitHTTP
@testable import GodwitSecrets
@testable import GodwitServer
@testable import GodwitStore

/// A server in this process with users, devices and every kind of token.
final class AccountServer {
  /// The headers of a principal.
  struct Caller: Sendable {
    var headers: [String: String] = [:]
    static let anonymous = Caller()
    /// The headers of a browser with an administrator session, in a request from one of the server's pages.
    static func administratorBrowser(_ session: String) -> Caller {
      Caller(headers: ["Cookie": "godwit_admin=\(session)", "Sec-Fetch-Site": "same-origin"])
    }
    static func bearing(_ token: String) -> Caller { Caller(headers: ["Authorization": "Bearer \(token)"]) }
    /// The headers of a signed-in browser, in a request from one of the server's pages.
    static func browser(_ session: String) -> Caller {
      Caller(headers: ["Cookie": "theme=dark; godwit_session=\(session)", "Sec-Fetch-Site": "same-origin"])
    }
  }

  let folder: URL
  private(set) var server: Server
  private var local: LocalServer
  private let listen: String
  private let limits: RateLimits
  private let configure: (inout Server.Configuration) -> Void
  private let kind: StoreKind
  private let database: TestDatabase?
  /// The caller of requests that name none.
  private var standard = Caller.anonymous
  static let password = "correct horse battery"

  /// - Parameters:
  ///   - kind: the store.
  ///   - listen: the listen address.
  ///   - limits: the rate limits.
  ///   - configure: changes the configuration before the server is created.
  init(
    on kind: StoreKind = .sqlite, listen: String = "0.0.0.0:0", limits: RateLimits = RateLimits(),
    configure: @escaping (inout Server.Configuration) -> Void = { _ in }
  ) throws {
    database = kind.isPostgres ? try EmptyStore.makeCopy() : nil
    self.kind = kind
    self.limits = limits
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-accounts-\(UUID().uuidString)")
    self.listen = listen
    self.configure = configure
    (server, local) = try Self.open(kind, folder, database, listen, limits, configure)
  }

  private static func open(
    _ kind: StoreKind, _ folder: URL, _ database: TestDatabase?, _ listen: String, _ limits: RateLimits,
    _ configure: (inout Server.Configuration) -> Void
  ) throws -> (Server, LocalServer) {
    let address = try #require(ListenAddress(listen))
    var configuration = Server.Configuration(listen: address, dataFolder: folder.path)
    configuration.rateLimits = limits
    configuration.store = try database.map { .postgres(try PostgresAddress($0.address)) }
    configure(&configuration)
    let server = try Server(configuration: configuration)
    if kind.isSealed { server.store.addParticipant(ImmediateSealing()) }
    return (server, LocalServer(server))
  }

  /// Runs `body` with a server, then closes the server and deletes its folder.
  static func with(
    on kind: StoreKind = .sqlite, listen: String = "0.0.0.0:0", limits: RateLimits = RateLimits(),
    asAdministrator: Bool = false, configure: @escaping (inout Server.Configuration) -> Void = { _ in },
    _ body: (AccountServer) async throws -> Void
  ) async throws {
    let server = try AccountServer(on: kind, listen: listen, limits: limits, configure: configure)
    if asAdministrator { server.standard = .bearing(try server.administratorToken) }
    defer {
      server.server.store.expectIntactRows()
      server.local.close()
      try? FileManager.default.removeItem(at: server.folder)
    }
    try await body(server)
  }

  /// Closes the server and opens another one on the same data.
  func restart() throws {
    local.close()
    (server, local) = try Self.open(kind, folder, database, listen, limits, configure)
  }

  // MARK: Test data

  var administratorToken: String {
    get throws {
      try String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8).trimmingCharacters(in: .newlines)
    }
  }

  /// Adds a user with the password ``password``. The password is hashed only once for all users.
  @discardableResult
  func user(_ name: String, _ role: User.Role = .member) async throws -> User {
    let user = try await server.store.write { db in
      try UserTable.add(name, role, password: Self.hash, at: Date(), db)
    }
    server.pipeline.admission.access.invalidate()
    return try #require(user)
  }
  private static let hash = (try? Password.hash(password)) ?? ""

  /// Adds a session of a user without verifying a password.
  func session(of user: User) async throws -> Caller {
    let secret = AccessToken()
    try await server.store.write { db in
      try SessionTable.add(secret, of: user.id, address: "127.0.0.1", agent: "test", at: Date(), db)
    }
    return .browser(secret.secret)
  }

  /// Adds a device of a user; returns the device and a caller with its token.
  func device(_ name: String, of user: User?) async throws -> (device: Device, caller: Caller) {
    let token = AccessToken()
    let device = try server.store.addDevice(named: name, tokenHash: token.hash, at: Date())
    try await server.store.write { try DeviceOwners.set(user?.id, of: device.id, $0) }
    server.pipeline.admission.access.invalidate()
    return (device, .bearing(token.secret))
  }

  /// Assigns a device to a user, or to the administrator if `user` is `nil`.
  func give(_ device: Device, to user: User?) async throws {
    try await server.store.write { try DeviceOwners.set(user?.id, of: device.id, $0) }
  }

  /// Runs a statement on the server's database, for changes that no route makes.
  func run(_ sql: String, _ arguments: [SQLArgument]) async throws {
    _ = try await server.store.write { try $0.run(sql, with: arguments) }
  }

  func token(
    _ scope: ScopedToken.Scope, of user: User?, device: Device? = nil, expires: Date? = nil, isRevoked: Bool = false
  ) async throws -> Caller {
    let secret = AccessToken()
    let options = ScopedTokenTable.Options(
      account: user?.id, label: "test", scope: scope, device: device, expires: expires)
    try await server.store.write { db in
      let made = try ScopedTokenTable.add(options, hash: secret.hash, at: Date(), db)
      if isRevoked, let made { _ = try ScopedTokenTable.revoke(made.id, at: Date(), db) }
    }
    return .bearing(secret.secret)
  }

  /// Uploads points in an Overland batch, one minute apart, newest last.
  func upload(_ caller: Caller, _ places: [(latitude: Double, longitude: Double)], from start: Date, extra: String = "") throws {
    let features = places.enumerated().map { index, place in
      #"{"type":"Feature","geometry":{"type":"Point","coordinates":[\#(place.longitude),\#(place.latitude)]},"properties":{"timestamp":"\#(RFC3339.string(start.addingTimeInterval(Double(index) * 60)))","horizontal_accuracy":5\#(extra)}}"#
    }
    let response = send("POST", "/api/overland", as: caller, body: #"{"locations":[\#(features.joined(separator: ","))]}"#)
    #expect(response.status == 200, "\(response.text)")
  }

  // MARK: Requests

  /// Sends a request.
  /// - Parameter path: the path with its query.
  @discardableResult
  func send(
    _ method: String, _ path: String, as caller: Caller? = nil, body: String = "", headers: [String: String] = [:]
  ) -> Response {
    let parts = path.split(separator: "?", maxSplits: 1)
    var query: [String: String] = [:]
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1)
      query[String(sides[0])] = sides.count > 1 ? String(sides[1]).removingPercentEncoding ?? "" : ""
    }
    let response = local.respond(
      LocalRequest(
        method: method, path: String(parts[0]), query: query,
        headers: (caller ?? standard).headers.merging(headers) { $1 }, body: Array(body.utf8)))
    return Response(status: response.status, headers: response.headers, body: response.body)
  }

  func signIn(_ name: String, _ password: String = password, headers: [String: String] = [:]) -> Response {
    send("POST", "/api/v1/session", body: #"{"name":"\#(name)","password":"\#(password)"}"#, headers: headers)
  }

  /// The entries of the audit log, newest first.
  func log() throws -> [AuditEntry] {
    try server.store.read { try AuditTable.lines(AuditTable.Query(limit: 1000), $0) }.map(\.entry)
  }
}

extension Response {
  func list(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }
  var features: [[String: Any]] { list("features") }
  /// The secret of the session that the response begins; `nil` if it begins none.
  var session: String? {
    headers["set-cookie"].flatMap { $0.hasPrefix("godwit_session=") ? $0 : nil }?.dropFirst(15).split(separator: ";").first
      .map(String.init)
  }
}
