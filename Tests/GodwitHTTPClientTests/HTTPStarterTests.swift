#if os(Linux)
  import Foundation
  import GodwitHTTPClient
  import TestServer
  import Testing

  @Suite("Requests with callbacks", .timeLimit(.minutes(20)))
  struct HTTPStarterTests {
    @Test("the callback is called for a response and for a cancellation")
    func callsBack() async throws {
      let server = try LocalServer { request, connection in
        if request.target == "/never" { _ = connection.untilHungUp() } else { connection.respond(body: Array("ok".utf8)) }
      }
      let network = HTTPStarter.live()
      let answered = HTTPClient.Request(url: try server.url("/"), body: [1])
      let response = try await withCheckedContinuation { continuation in
        _ = network.start(answered) { continuation.resume(returning: $0) }
      }.get()
      #expect(response.status == 200 && response.body == Array("ok".utf8))

      let cancelled = HTTPClient.Request(url: try server.url("/never"), body: [1])
      let (ended, end) = AsyncStream<Result<HTTPClient.Response, HTTPError>>.makeStream()
      let cancel = network.start(cancelled) {
        end.yield($0)
        end.finish()
      }
      await server.until { $0.requests.count == 2 }
      cancel()
      var results: [Result<HTTPClient.Response, HTTPError>] = []
      for await result in ended { results.append(result) }
      #expect(results.count == 1)
      #expect(throws: HTTPError("The request was cancelled.")) { try results.first?.get() }
      // Cancelling again after the end has no effect.
      cancel()
    }

    @Test("each request has its own limits")
    func limits() async throws {
      let server = try LocalServer { request, connection in
        connection.respond(
          body: Array((request.headers["accept-encoding"] ?? "none").utf8) + [UInt8](repeating: 0x61, count: 1000))
      }
      var request = HTTPClient.Request(method: "GET", url: try server.url("/"))
      request.maximumResponseSize = 4
      request.acceptsCompression = false
      let response = try await HTTPClient.live().send(request)
      #expect(response.status == 200 && response.body == Array("none".utf8))
    }
  }
#endif
