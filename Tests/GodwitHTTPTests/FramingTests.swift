import Foundation
import TestClient
import Testing

@testable import GodwitHTTP

@Suite("The framing of requests", .timeLimit(.minutes(20)))
struct FramingTests {
  /// A configuration with long timeouts.
  private func longTimeouts() throws -> HTTPServer.Configuration {
    var options = HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0")))
    options.idleTimeout = 600
    options.headerTimeout = 600
    return options
  }

  /// Runs `body` with a server that responds with the number of query parameters and of body bytes it read.
  private func withServer(_ options: HTTPServer.Configuration, _ body: (UInt16) async throws -> Void) async throws {
    let server = HTTPServer(
      configuration: options,
      handler: HTTPServer.Handler(
        accept: { _ in nil },
        respond: { .now(.json(Array("\($0.queryItems.count) arguments, \($0.takeBody().count) bytes".utf8))) }))
    try await withServer(server, body)
  }

  /// Runs `body` while a server runs.
  private func withServer(_ server: HTTPServer, _ body: (UInt16) async throws -> Void) async throws {
    let port = try server.start()
    do { try await body(port) } catch {
      await server.stop(within: 1)
      throw error
    }
    await server.stop(within: 1)
  }

  @Test("a repeated query parameter is ambiguous in a DELETE request, but not in a GET request")
  func repeatedArgument() async throws {
    let server = HTTPServer(
      configuration: try longTimeouts(),
      handler: HTTPServer.Handler(
        accept: { _ in nil }, respond: { .now(.json(Array(($0.query.ambiguous?.name ?? "none").utf8))) }))
    try await withServer(server) { port in
      for (method, query, found) in [
        ("DELETE", "to=3&from=1&from=2", "from"), ("DELETE", "from=1", "none"), ("GET", "a=1&a=2", "none"),
      ] {
        let response = try await ask(method, "http://127.0.0.1:\(port)/?\(query)", token: nil)
        #expect(response.text == found, "\(method) \(query)")
      }
    }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var request: String
    var status: Int

    init(_ testDescription: String, _ status: Int, _ request: String) {
      (self.testDescription, self.status, self.request) = (testDescription, status, request)
    }

    init(_ testDescription: String, _ request: String) { self.init(testDescription, 400, request) }
  }

  /// Requests that a proxy and a server could delimit differently, so that a part of one becomes the request of another client.
  static let broken = [
    Case("two lengths that differ", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
    Case("two lengths that agree", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    Case("a list of lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3, 3\r\n\r\nabc"),
    Case("a length with a sign", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\nabc"),
    Case(
      "length and coding",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    Case(
      "two codings", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Case("a coding before chunked", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n"),
    Case("an unknown coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n"),
    Case("a coding in HTTP/1.0", "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    Case("a blank before the colon", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n"),
    Case("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
    Case("no host", "GET / HTTP/1.1\r\n\r\n"),
    Case("a folded line", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n 3\r\n\r\nabc"),
    Case("a folded line at the end", "POST / HTTP/1.1\r\nHost: a\r\nX-Note: one\r\n two\r\n\r\n"),
    Case("a bare LF between lines", "GET / HTTP/1.1\r\nHost: a\nX-Note: one\r\n\r\n"),
    Case("a bare LF after the first line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
    Case("a bare LF at the last line", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
    Case("a bare LF as the empty line", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
    Case("a CR inside a value", "GET / HTTP/1.1\r\nHost: a\r\nX-Note: one\rtwo\r\n\r\n"),
    Case("a zero inside a value", "GET / HTTP/1.1\r\nHost: a\r\nX-Note: one\0two\r\n\r\n"),
    Case("a zero byte in the path", "GET /a%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a zero byte in an argument", "GET /?a=%00b HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a blank in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("two blanks in the first line", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a header without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"),
    Case("257 arguments", 414, "GET /?\(String(repeating: "a&", count: 256))a HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("1000 arguments", 414, "GET /?\(String(repeating: "a=1&", count: 1000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("10,000 arguments", 414, "GET /?\(String(repeating: "a&", count: 10_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a long path", 414, "GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("a path of 200 KB", 414, "GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
    Case("129 headers", 431, "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 128))\r\n"),
    Case("2000 headers", 431, "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 2000))\r\n"),
    Case("40 KB of a header", 431, "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 40_000))\r\n\r\n"),
    Case("56 KB of a header", 431, "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 56_000))\r\n\r\n"),
    Case("63 KB of a header", 431, "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 63_000))\r\n\r\n"),
    Case("300 KB of a header", 431, "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 300_000))\r\n\r\n"),
  ]

  // RFC 9112, 2.2, 3.2, 5.1, 5.2, 6.1 and 6.3
  @Test("an ambiguous request is rejected, and nothing after it is answered", arguments: broken)
  func rejected(_ example: Case) async throws {
    try await withServer(longTimeouts()) { port in
      let connection = try Connection(port: port)
      connection.send(Array(example.request.utf8) + Array("GET /second HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      let response = await connection.receive { _ in false }
      #expect(response.hasPrefix("HTTP/1.1 \(example.status) "), "\(response.prefix(300))")
      // The library responds twice to some errors.
      let statuses = response.components(separatedBy: "HTTP/1.1 ").dropFirst().map { String($0.prefix(3)) }
      #expect(Set(statuses) == [String(example.status)], "\(response.prefix(2000))")
    }
  }

  static let whole = [
    Case("one length", 200, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"),
    Case("chunks", 200, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    Case("HTTP/1.0 without a host", 200, "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc"),
    Case(
      "tabs and blanks around values", 200,
      "POST / HTTP/1.1\r\nHost:a\r\nX-Note: \t one \t\r\nX-Empty:\r\nContent-Length:  3\r\n\r\nabc"),
    Case("empty lines before the request", 200, "\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"),
    Case("cookies", 200, "POST / HTTP/1.1\r\nCookie: a=b; c=\"d\"\r\nHost: a\r\nCookie: e=f\r\nContent-Length: 3\r\n\r\nabc"),
    Case("a name in UTF-8 in a value", 200, "POST / HTTP/1.1\r\nHost: a\r\nX-Note: Žiga\r\nContent-Length: 3\r\n\r\nabc"),
    Case(
      "30 KB of headers", 200,
      "POST / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "y", count: 30_000))\r\nContent-Length: 3\r\n\r\nabc"),
    Case(
      "256 arguments", 200,
      "POST /?\(String(repeating: "a=%20&", count: 255))a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"),
  ]

  @Test("an unambiguous request is answered, and so is the one after it", arguments: whole)
  func answered(_ example: Case) async throws {
    try await withServer(longTimeouts()) { port in
      let connection = try Connection(port: port)
      // Two pieces, as over a slow network: the header is then in a reallocated buffer.
      let bytes = Array(example.request.utf8)
      connection.send(bytes.prefix(20))
      connection.send(bytes.dropFirst(20))
      connection.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nde".utf8)
      let response = await connection.receive { $0.contains("2 bytes") }
      #expect(response.hasPrefix("HTTP/1.1 200 "), "\(response.prefix(300))")
      #expect(response.contains("3 bytes"), "\(response.prefix(2000))")
    }
  }

  @Test(
    "an incomplete header is ended by its timeout", arguments: ["", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX-"])
  func trickle(_ start: String) async throws {
    var options = try longTimeouts()
    options.headerTimeout = 1
    try await withServer(options) { port in
      let connection = try Connection(port: port)
      if !start.isEmpty { connection.send(start.utf8) }
      #expect(await connection.receive { _ in false } == "")
    }
  }

  @Test("a network at its limit of connections is refused another, and another network is served")
  func share() async throws {
    var options = try longTimeouts()
    options.connectionsPerClient = 4
    try await withServer(options) { port in
      let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8
      var connections: [Connection] = []
      for _ in 0..<4 {
        let connection = try Connection(port: port, from: 2)
        connection.send(request)
        #expect(await connection.receive { $0.contains("bytes") }.contains("3 bytes"))
        connections.append(connection)
      }
      let fifth = try Connection(port: port, from: 2)
      fifth.send(request)
      #expect(await fifth.receive { _ in false } == "")
      let other = try Connection(port: port, from: 3)
      other.send(request)
      #expect(await other.receive { $0.contains("bytes") }.contains("3 bytes"))
      #expect(connections.count == 4)
    }
  }

  @Test("at the maximum number of connections, the oldest idle one is closed")
  func eviction() async throws {
    var options = try longTimeouts()
    options.maximumConnections = 32
    options.connectionsPerClient = 0
    options.threads = 1
    try await withServer(options) { port in
      var idle: [Connection] = []
      for _ in 0..<64 { idle.append(try Connection(port: port, from: 2)) }
      let request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc".utf8
      let other = try Connection(port: port, from: 3)
      other.send(request)
      #expect(await other.receive { $0.contains("bytes") }.contains("3 bytes"))
      #expect(await idle[0].receive { _ in false } == "")
    }
  }

  @Test("a body that exceeds the memory for bodies is answered with 503 and Retry-After")
  func bodies() async throws {
    var options = try longTimeouts()
    options.bodyMemory = 100_000
    options.maximumBody = 1 << 20
    try await withServer(options) { port in
      let large = [UInt8](repeating: 0x20, count: 300_000)
      let response = try await ask("POST", "http://127.0.0.1:\(port)/", bytes: large)
      #expect(response.status == 503 && response.headers["retry-after"] == "5")
      // The memory of the rejected body is free again.
      #expect(
        try await ask("POST", "http://127.0.0.1:\(port)/", bytes: Array(large.prefix(160_000))).text
          == "0 arguments, 160000 bytes")
    }
  }
}
