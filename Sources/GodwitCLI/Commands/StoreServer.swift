internal import GodwitSecrets
internal import GodwitStore

#if os(Linux)
  internal import Foundation
  internal import Godwit
  internal import GodwitHTTPClient
  internal import GodwitModel
  internal import GodwitPhone
  internal import GodwitServer

  /// The real server, in this process and without a network, as the other end of simulated phones: one device for each policy.
  final class StoreServer: SimulatedServer {
    private let server: LocalServer
    private let token: AccessToken

    /// - Parameters:
    ///   - server: takes what the phones send.
    ///   - folder: of its store.
    ///   - device: named so.
    init(_ server: LocalServer, folder: String, device: String) throws {
      self.server = server
      token = AccessToken()
      let store = try SQLiteTrackStore(folder: folder)
      defer { store.close() }
      _ = try store.addDevice(named: device, tokenHash: token.hash, at: Date())
    }

    func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response {
      var headers = request.headers
      // The phone does not know it: it is made for this run.
      headers["Authorization"] = "Bearer \(token.secret)"
      let response = server.respond(
        LocalRequest(method: request.method, path: request.url.path, headers: headers, body: request.body))
      return HTTPClient.Response(status: response.status, headers: response.headers, body: response.body)
    }
  }
#endif
