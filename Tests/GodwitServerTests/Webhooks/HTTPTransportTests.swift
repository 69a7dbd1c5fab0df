import Foundation
import GodwitHTTPClient
import Testing

@testable import GodwitGeofencing
@testable import GodwitHTTP
@testable import GodwitServer

@Suite("Webhooks: HTTP transport", .serialized, .timeLimit(.minutes(20)))
struct HTTPTransportTests {
  private func send(_ request: WebhookRequest, over transport: HTTPTransport) async -> Result<HTTPClient.Response, HTTPError> {
    await withCheckedContinuation { continuation in transport.send(request) { continuation.resume(returning: $0) } }
  }

  private func delivery(_ url: String, body: String = "{}") -> WebhookRequest {
    WebhookRequest(
      url: url, headers: ["Content-Type": "application/json", "Godwit-Event-ID": "evt_1"], body: Array(body.utf8))
  }

  @Test("a delivery is received unchanged, and its response is read")
  func arrives() async throws {
    let receiver = try Receiver { _, _ in HTTPResponse.json(Array("thanks".utf8), status: 202).with("Retry-After", "7") }
    let transport = HTTPTransport()
    let body = String(repeating: "ž", count: 100_000)
    let response = try await send(delivery(receiver.url("/a/b"), body: body), over: transport).get()
    #expect(response.status == 202 && response.headers["retry-after"] == "7" && response.body == Array("thanks".utf8))
    let came = try #require(receiver.deliveries.first)
    #expect(came.method == "POST" && came.path == "/a/b" && came.text == body && came.event == "evt_1")
    #expect(came.contentType == "application/json")
    transport.close()
    await receiver.stop()
  }

  @Test("redirects are not followed")
  func redirects() async throws {
    let other = try Receiver()
    let target = other.url("/elsewhere")
    let receiver = try Receiver { _, _ in HTTPResponse.json([], status: 307).with("Location", target) }
    let transport = HTTPTransport()
    #expect(try await send(delivery(receiver.url()), over: transport).get().status == 307)
    #expect(receiver.deliveries.count == 1 && other.deliveries.isEmpty)
    transport.close()
    await receiver.stop()
    await other.stop()
  }

  @Test("at most 64 KiB of a response are read")
  func longResponse() async throws {
    let receiver = try Receiver { _, _ in .json([UInt8](repeating: 0x61, count: 1 << 20)) }
    let transport = HTTPTransport()
    let response = try await send(delivery(receiver.url()), over: transport).get()
    #expect(response.status == 200 && response.body.count == 64 << 10)
    transport.close()
    await receiver.stop()
  }

  @Test("a missing response is a failure with a reason")
  func failures() async throws {
    let receiver = try Receiver()
    let port = receiver.port
    await receiver.stop()
    let transport = HTTPTransport()
    for (url, words) in [
      ("http://127.0.0.1:\(port)/", "The connection was refused"), ("file:///etc/passwd", "https://"),
      ("ftp://127.0.0.1/", "https://"),
    ] {
      guard case .failure(let failure) = await send(delivery(url), over: transport) else {
        Issue.record("\(url) was answered")
        continue
      }
      #expect(failure.description.contains(words), "\(url): \(failure)")
    }
    transport.close()
    let late = await send(delivery("http://127.0.0.1:\(port)/"), over: transport)
    guard case .failure(let failure) = late else {
      Issue.record("a delivery was sent after the close")
      return
    }
    #expect(failure.description == "The server is stopping.")
  }

  @Test("many concurrent deliveries all arrive")
  func many() async throws {
    let receiver = try Receiver()
    let transport = HTTPTransport()
    let statuses = await withTaskGroup(of: Int?.self) { group in
      for number in 0..<50 {
        group.addTask { try? await send(delivery(receiver.url("/\(number)")), over: transport).get().status }
      }
      return await group.reduce(into: [Int?]()) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 204, count: 50))
    #expect(Set(receiver.deliveries.map(\.path)).count == 50)
    transport.close()
    await receiver.stop()
  }
}
