import TestClient
import Testing

@testable import GodwitHTTP

@Suite("Requests that are rejected before their body", .timeLimit(.minutes(20)))
struct RejectedBodyTests {
  private static let maximumBody = 1 << 20
  /// More bytes than the buffers of both sockets can store.
  private static let large = [UInt8](repeating: 0x20, count: 32 << 20)

  /// Runs `body` with a server that rejects requests for `/closed` and responds to others with the number of body bytes.
  private func withServer(
    discardTimeout: Double = 600, _ body: (UInt16) async throws -> Void
  ) async throws {
    var options = HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0")))
    options.maximumBody = Self.maximumBody
    options.discardTimeout = discardTimeout
    // A test can be delayed by others that run at the same time.
    options.idleTimeout = 600
    let server = HTTPServer(
      configuration: options,
      handler: HTTPServer.Handler(
        accept: { $0.path == "/closed" ? Problem(401, "Closed", "Requests for this path are rejected.").response : nil },
        respond: { .now(.json(Array("\($0.takeBody().count) bytes read".utf8))) }))
    let port = try server.start()
    do { try await body(port) } catch {
      await server.stop(within: 1)
      throw error
    }
    await server.stop(within: 1)
  }

  private func head(_ path: String, _ lines: String...) -> [UInt8] {
    let all = ["POST \(path) HTTP/1.1", "Host: here"] + lines + ["", ""]
    return Array(all.joined(separator: "\r\n").utf8)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var path = "/open"
    var isAnnounced = true
    var status: String
  }
  static let cases = [
    Case(testDescription: "too large, announced", status: "413"),
    Case(testDescription: "too large, not announced", isAnnounced: false, status: "413"),
    Case(testDescription: "rejected", path: "/closed", status: "401"),
    Case(testDescription: "rejected, not announced", path: "/closed", isAnnounced: false, status: "401"),
  ]

  @Test("a client that sends its body before it reads receives the reason, and may reuse the connection", arguments: cases)
  func answered(_ example: Case) async throws {
    try await withServer { port in
      let connection = try Connection(port: port)
      let size = String(Self.large.count, radix: example.isAnnounced ? 10 : 16)
      let request =
        example.isAnnounced
        ? head(example.path, "Content-Length: \(size)") + Self.large
        : head(example.path, "Transfer-Encoding: chunked") + Array("\(size)\r\n".utf8) + Self.large
          + Array("\r\n0\r\n\r\n".utf8)
      let isSent = connection.send(request)
      // Not inside the expectation, which would print the request if it failed.
      #expect(isSent)
      let response = await connection.receive { $0.contains("\"detail\"") }
      #expect(response.hasPrefix("HTTP/1.1 \(example.status)"), "\(response)")
      #expect(connection.send(head("/open", "Content-Length: 3") + Array("abc".utf8)))
      #expect(await connection.receive { $0.contains("bytes read") }.contains("3 bytes read"))
    }
  }

  @Test("a client that sends Expect: 100-continue is rejected before its body", arguments: ["/open", "/closed"])
  func expectContinue(_ path: String) async throws {
    try await withServer { port in
      let connection = try Connection(port: port)
      #expect(connection.send(head(path, "Content-Length: \(Self.large.count)", "Expect: 100-Continue")))
      let response = await connection.receive { $0.contains("\"detail\"") }
      #expect(response.hasPrefix("HTTP/1.1 \(path == "/open" ? 413 : 401)"), "\(response)")
    }
  }

  @Test("an accepted request with Expect: 100-continue is answered with 100")
  func continued() async throws {
    try await withServer { port in
      let connection = try Connection(port: port)
      #expect(connection.send(head("/open", "Content-Length: 3", "Expect: 100-continue")))
      #expect(await connection.receive { $0.contains("\r\n\r\n") }.hasPrefix("HTTP/1.1 100"))
      #expect(connection.send("abc".utf8))
      #expect(await connection.receive { $0.contains("bytes read") }.contains("3 bytes read"))
    }
  }

  @Test("a rejected client that continues sending is disconnected", arguments: ["/open", "/closed"])
  func endless(_ path: String) async throws {
    try await withServer(discardTimeout: 0.2) { port in
      let connection = try Connection(port: port)
      #expect(connection.send(head(path, "Transfer-Encoding: chunked")))
      let chunk = Array("10000\r\n".utf8) + Self.large.prefix(65536) + Array("\r\n".utf8)
      while connection.send(chunk) { await Task.yield() }
      #expect(await connection.receive { _ in false } == "")
      #expect(try await ask("POST", "http://127.0.0.1:\(port)/open", "abc").text == "3 bytes read")
    }
  }
}
