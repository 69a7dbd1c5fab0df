#if os(Linux)
  import Foundation
  import Synchronization
  import TestServer
  import Testing

  @testable import GodwitHTTPClient

  @Suite("The HTTP client after a suspension of the machine", .timeLimit(.minutes(20)))
  struct SuspensionTests {
    @Test(
      "a connection that was open before a long suspension is not reused",
      arguments: [(10, [1, 1, 1]), (8 * 3600, [1, 1, 2])] as [(Int, [Int])])
    func reuse(_ seconds: Int, _ connections: [Int]) async throws {
      let server = try LocalServer("ok")
      let suspended = Mutex(Duration.seconds(100_000))
      let session = CurlSession(suspended: { suspended.withLock { $0 } })
      let request = HTTPClient.Request(url: try server.url)
      for _ in 0..<2 { _ = try await session.send(request) }
      suspended.withLock { $0 += .seconds(seconds) }
      _ = try await session.send(request)
      #expect(server.requests.map(\.connection) == connections)
    }
  }
#endif
