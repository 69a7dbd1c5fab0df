import Foundation
import GodwitEngine
import GodwitHTTPClient
import GodwitModel
import GodwitWire
import Synchronization
import Testing

@testable import Godwit
@testable import GodwitDelivery

@Suite("Tokens", .timeLimit(.minutes(20)))
struct TokenTests {
  /// A source that returns its tokens in order, and records whether each request was for a renewal.
  private final class Source: Sendable {
    private let state: Mutex<(tokens: [String], asked: [Bool])>
    init(_ tokens: String...) { state = Mutex((tokens, [])) }
    var asked: [Bool] { state.withLock { $0.asked } }
    var source: TokenSource {
      .refreshing { [self] isExpired in
        try state.withLock { state in
          state.asked.append(isExpired)
          guard !state.tokens.isEmpty else { throw HTTPError("The login server is away.") }
          return state.tokens.removeFirst()
        }
      }
    }
  }

  /// Returns a server that accepts one token; `nil`: none.
  private func server(taking right: String?) throws -> DeliveryUnderTest {
    let server = try DeliveryUnderTest { request, _ in
      request.headers["Authorization"] == "Bearer \(right ?? "nobody's")"
        ? .godwit : HTTPClient.Response(status: 401, body: Array(#"{"error":"unknown"}"#.utf8))
    }
    try server.journal.register(endpoint: "home")
    try server.journal.append([record(0)], recordedAt: start)
    return server
  }

  private func upload(_ server: DeliveryUnderTest, _ endpoint: Endpoint) async -> Delivery.Outcome {
    await server.delivery.upload(to: endpoint, UploadRequest(limit: 50), settings: Settings())
  }

  private func sent(_ server: DeliveryUnderTest) -> [String?] { server.requests.map { $0.headers["Authorization"] } }

  @Test("an expired token is renewed once, and the batch is sent again with the new one")
  func renewed() async throws {
    let server = try server(taking: "new1")
    let source = Source("old1", "new1")
    let outcome = await upload(server, try endpoint(token: source.source))
    guard case .acknowledged = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(sent(server) == ["Bearer old1", "Bearer new1"] && source.asked == [false, true])
    #expect(server.texts[0] == server.texts[1] && server.ranges == [1...1, 1...1])
    #expect(server.journal.waiting(endpoint: "home") == 0)
  }

  @Test("a valid token is requested once for many uploads")
  func kept() async throws {
    let server = try server(taking: "good")
    let source = Source("good")
    let endpoint = try endpoint(token: source.source)
    for second in 1...3 {
      _ = await upload(server, endpoint)
      try server.journal.append([record(Double(second))], recordedAt: start)
    }
    #expect(source.asked == [false] && server.requests.count == 3)
  }

  @Test("a server that also rejects the new token does not get a third request")
  func rejectedTwice() async throws {
    let server = try server(taking: nil)
    let source = Source("one1", "two2", "three")
    let outcome = await upload(server, try endpoint(token: source.source))
    guard case .unauthorized(let reason) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(server.requests.count == 2 && source.asked == [false, true])
    #expect(reason == "home (https://home.example/api): unknown")
    #expect(server.journal.waiting(endpoint: "home") == 1)
  }

  @Test("without a renewable token a request is sent once", arguments: [403, 401])
  func fixed(_ status: Int) async throws {
    let server = try DeliveryUnderTest { _, _ in HTTPClient.Response(status: status) }
    try server.journal.append([record(0)], recordedAt: start)
    let outcome = await upload(server, try endpoint(token: .fixed("secret")))
    guard case .unauthorized = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(sent(server) == ["Bearer secret"])
  }

  @Test("a token source without a token is reported, and is not a failure of the server")
  func failed() async throws {
    for (tokens, words, count) in [
      ([], "there is no token: The login server is away.", 0),
      (["old1"], "the server rejected the token, and there is no new one: The login server is away.", 1),
    ] as [([String], String, Int)] {
      let server = try server(taking: "new1")
      let source = Mutex(tokens)
      let refreshing = RefreshingSource(source)
      let outcome = await upload(server, try endpoint(token: refreshing.source))
      guard case .failed(let reason, nil) = outcome else {
        Issue.record("\(outcome)")
        return
      }
      #expect(reason == "home (https://home.example/api): \(words)")
      #expect(server.requests.count == count && server.journal.waiting(endpoint: "home") == 1)
    }
  }

  private final class RefreshingSource: Sendable {
    private let tokens: Mutex<[String]>
    init(_ tokens: consuming Mutex<[String]>) { self.tokens = tokens }
    var source: TokenSource {
      .refreshing { [self] _ in
        try tokens.withLock { tokens in
          guard !tokens.isEmpty else { throw HTTPError("The login server is away.") }
          return tokens.removeFirst()
        }
      }
    }
  }

  @Test("several rejected requests share one renewal")
  func together() async throws {
    let tokens = Tokens()
    let asked = Counter()
    let (gate, open) = AsyncStream<Void>.makeStream()
    let endpoint = try endpoint(
      token: .refreshing { isExpired in
        asked.count()
        guard isExpired else { return "old1" }
        for await _ in gate {}
        return "new1"
      })
    #expect(try await tokens.token(for: endpoint) == "old1")
    let waiting = (0..<20).map { _ in Task { try await tokens.token(for: endpoint, rejected: "old1") } }
    // A later request gets the new token.
    await asked.until(2)
    open.finish()
    for task in waiting { #expect(try await task.value == "new1") }
    #expect(try await tokens.token(for: endpoint, rejected: "old1") == "new1")
    #expect(asked.value == 2)
  }

  private final class Counter: Sendable {
    private let state = Mutex<(count: Int, waiting: (Int, CheckedContinuation<Void, Never>)?)>((0, nil))
    var value: Int { state.withLock { $0.count } }
    func count() {
      let ready: CheckedContinuation<Void, Never>? = state.withLock { state in
        state.count += 1
        guard let (maximum, continuation) = state.waiting, state.count >= maximum else { return nil }
        state.waiting = nil
        return continuation
      }
      ready?.resume()
    }
    func until(_ maximum: Int) async {
      await withCheckedContinuation { continuation in
        let isThere = state.withLock { state in
          if state.count >= maximum { return true }
          state.waiting = (maximum, continuation)
          return false
        }
        if isThere { continuation.resume() }
      }
    }
  }

  @Test("stopping the tracker does not wait for a token source that does not respond")
  func cancelled() async throws {
    let tokens = Tokens()
    let asked = Counter()
    let endpoint = try endpoint(
      token: .refreshing { _ in
        asked.count()
        let (never, _) = AsyncStream<Void>.makeStream()
        for await _ in never {}
        throw CancellationError()
      })
    let waiting = Task { try await tokens.token(for: endpoint) }
    await asked.until(1)
    waiting.cancel()
    await #expect(throws: TokenError.self) { try await waiting.value }
  }

  @Test(
    "a secret in a server's error message is not in the status",
    arguments: [
      (.fixed("s3cret-token"), [:], "token s3cret-token is unknown"),
      (.fixed("anna:passw0rd"), [:], "passw0rd of anna is wrong"),
      (.fixed("s3cret"), [:], "Basic \(Data("s3cret:".utf8).base64EncodedString()) is unknown"),
      (.none, ["X-Key": "s3cret-key"], "key s3cret-key is unknown"),
    ] as [(TokenSource, [String: String], String)])
  func hidden(_ token: TokenSource, _ headers: [String: String], _ problem: String) async throws {
    for status in [400, 401, 500] {
      let server = try DeliveryUnderTest { _, _ in
        HTTPClient.Response(status: status, body: Array(#"{"error":"\#(problem)"}"#.utf8))
      }
      try server.journal.append([record(0)], recordedAt: start)
      var endpoint = try endpoint(token: token)
      endpoint.headers = headers
      switch await upload(server, endpoint) {
      case .rejected(let reason, _), .unauthorized(let reason), .failed(let reason, _), .faulted(let reason, _, _):
        #expect(reason.contains("…") && !reason.contains("s3cret") && !reason.contains("passw0rd"), "\(reason)")
        #expect(!reason.contains(Data("s3cret:".utf8).base64EncodedString()))
      case let other: Issue.record("\(other)")
      }
    }
  }

  @Test("a secret is not in messages about single records or redirects")
  func hiddenElsewhere() async throws {
    let responses = [
      HTTPClient.Response(
        status: 200, body: Array(#"{"result":"ok","rejected":[{"index":0,"reason":"not with s3cret"}]}"#.utf8)),
      HTTPClient.Response(
        status: 302, headers: ["location": "https://anna:pass@other.example:8443/s3cret/api?token=s3cret&lat=45.1#lon=14"]),
    ]
    let server = try DeliveryUnderTest { _, number in responses[number] }
    try server.journal.register(endpoint: "home")
    try server.journal.append([record(0)], recordedAt: start)
    let endpoint = try endpoint(token: .fixed("s3cret"))
    _ = await upload(server, endpoint)
    #expect(try server.journal.quarantined(endpoint: "home").map(\.reason) == ["not with …"])
    try server.journal.append([record(1)], recordedAt: start)
    let outcome = await upload(server, endpoint)
    guard case .failed(let reason, _) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(
      reason
        == "home (https://home.example/api) redirects to https://other.example:8443/…/api. Name the address that it redirects to."
    )
  }

  @Test(
    "an endpoint's description hides secrets: query, user, and long parts of the path",
    arguments: [
      ("https://example.org/api?token=abc", "https://example.org/api"),
      ("https://anna:pass@example.org/api", "https://example.org/api"),
      ("https://ha.example:8123/api/webhook/0123456789abcdef0123456789abcdef", "https://ha.example:8123/api/webhook/…"),
      ("http://[::1]:8080/pub", "http://[::1]:8080/pub"), ("https://example.org", "https://example.org"),
    ])
  func described(_ address: String, _ shown: String) throws {
    #expect("\(try endpoint(OverlandFormat(), address, token: .fixed("secret")))" == "home (\(shown))")
  }
}
