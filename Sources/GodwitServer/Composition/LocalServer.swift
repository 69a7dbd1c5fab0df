public import GodwitHTTP
internal import GodwitServices

/// The server without a network: the same routes, tokens, decoders and store, for a simulated phone in this process.
public final class LocalServer: Sendable {
  private let server: Server
  private let http: HTTPServer

  /// - Parameter server: a server on which ``Server/run(listening:)`` is not called.
  public init(_ server: Server) {
    self.server = server
    var configuration = HTTPServer.Configuration(address: server.configuration.listen)
    configuration.maximumBody = server.configuration.maximumBody
    configuration.trustedProxies = server.configuration.trustedProxies
    configuration.log = server.configuration.log
    if let executor = server.executor { configuration.executor = executor }
    http = HTTPServer(configuration: configuration, handler: server.pipeline.handler)
  }

  /// Answers a request. Blocks the thread until its records are stored.
  public func respond(_ request: LocalRequest) -> LocalResponse { http.respond(request) }

  /// Answers a request after its records are stored, without blocking the thread.
  /// - Parameter completion: called once, on any thread.
  package func respond(_ request: LocalRequest, _ completion: @escaping @Sendable (LocalResponse) -> Void) {
    http.respond(request, completion)
  }

  /// Runs the background services of the server until the task is cancelled, and then closes the store.
  package func runServices() async throws { try await server.services(of: nil).run() }

  /// Closes the store.
  public func close() { server.closeStore() }
}
