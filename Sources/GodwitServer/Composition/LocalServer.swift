public import GodwitHTTP
internal import GodwitServices

/// The server without a network: the same routes, tokens, decoders and store, for a simulated phone in this process.
public final class LocalServer: Sendable {
  private let server: Server
  private let http: HTTPServer

  /// - Parameter server: a server of which ``Server/run(listening:)`` is not called.
  public init(_ server: Server) {
    self.server = server
    var configuration = HTTPServer.Configuration(address: server.configuration.listen)
    configuration.maximumBody = server.configuration.maximumBody
    configuration.trustedProxies = server.configuration.trustedProxies
    configuration.log = server.configuration.log
    if let executor = server.executor { configuration.executor = executor }
    http = HTTPServer(configuration: configuration, handler: server.pipeline.handler)
  }

  /// Answers a request; returns after its records are stored. Blocks the thread until then.
  public func respond(_ request: LocalRequest) -> LocalResponse { http.respond(request) }

  /// The same without blocking the thread.
  /// - Parameter completion: called once, on any thread.
  package func respond(_ request: LocalRequest, _ completion: @escaping @Sendable (LocalResponse) -> Void) {
    http.respond(request, completion)
  }

  /// Runs what a server does besides answering, until the task is cancelled. Then the store is closed.
  package func runServices() async throws { try await server.services(of: nil).run() }

  /// Closes the store.
  public func close() { server.closeStore() }
}
