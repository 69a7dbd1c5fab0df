#if os(Linux)
  import CZlib
  import Foundation
  import GodwitHTTPClient
  import Synchronization
  import TestServer
  import Testing

  @Suite("The HTTP client", .timeLimit(.minutes(20)))
  struct HTTPClientTests {
    private func request(
      _ url: URL, method: String = "POST", headers: [String: String] = [:], body: String = "{}", timeout: Double = 10
    ) -> HTTPClient.Request {
      HTTPClient.Request(method: method, url: url, headers: headers, body: Array(body.utf8), timeout: timeout)
    }

    @Test("a request is sent unchanged, without an extra round trip")
    func bytes() async throws {
      let server = try LocalServer("ok")
      let body = String(repeating: "é", count: 100_000)
      let response = try await HTTPClient.live().send(
        request(
          try server.url("/a%20b?q=%C3%A9&t=2026-11-20T08%3A30%3A00Z"),
          headers: ["Content-Type": "application/json", "X-Empty": "", "X-Tab": "a\tb"], body: body))
      #expect(response.status == 200 && response.body == Array("ok".utf8) && response.headers["content-length"] == "2")
      let sent = try #require(server.requests.first)
      #expect(sent.method == "POST" && sent.target == "/a%20b?q=%C3%A9&t=2026-11-20T08%3A30%3A00Z")
      #expect(sent.body == Array(body.utf8))
      #expect(sent.headers["content-type"] == "application/json" && sent.headers["x-empty"]?.isEmpty == true)
      #expect(sent.headers["x-tab"] == "a\tb" && sent.headers["expect"] == nil)
    }

    @Test("a request without a body has none", arguments: [("GET", nil), ("POST", "0")] as [(String, String?)])
    func empty(_ method: String, _ length: String?) async throws {
      let server = try LocalServer("ok")
      _ = try await HTTPClient.live().send(request(try server.url, method: method, body: ""))
      let sent = try #require(server.requests.first)
      #expect(sent.method == method && sent.headers["content-length"] == length)
    }

    @Test(
      "headers with line breaks and invalid headers are not sent",
      arguments: [
        ("X-A", "b\r\nX-Evil: c"), ("X-A", "b\nX-Evil: c"), ("X-A", "b\u{0}c"), ("X-A\r\nX-Evil", "b"), ("X-A: b\nX", "c"),
        ("", "b"), ("X A", "b"), ("X-É", "b"), ("X:", "b"),
      ])
    func headers(_ name: String, _ value: String) async throws {
      let server = try LocalServer("ok")
      let request = request(try server.url, headers: [name: value])
      let error = try #require(await #expect(throws: HTTPError.self) { try await HTTPClient.live().send(request) })
      #expect(error.description.contains("header") && server.connections == 0, "\(error)")
    }

    @Test(
      "only http and https addresses are accepted, with a valid timeout",
      arguments: ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/"])
    func schemes(_ text: String) async throws {
      let url = try #require(URL(string: text))
      let error = try #require(
        await #expect(throws: HTTPError.self) { try await HTTPClient.live().send(request(url, method: "GET", body: "")) })
      #expect(error.description.contains("https://"))
    }

    @Test("a timeout that is not positive is rejected; an infinite one is accepted", arguments: [0, -1, Double.nan])
    func timeouts(_ seconds: Double) async throws {
      let server = try LocalServer("ok")
      let url = try server.url
      let error = try #require(
        await #expect(throws: HTTPError.self) { try await HTTPClient.live().send(request(url, timeout: seconds)) })
      #expect(error.description.contains("timeout"))
      #expect(try await HTTPClient.live().send(request(url, timeout: .infinity)).status == 200)
    }

    @Test("a redirect is returned and not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
      let other = try LocalServer("stolen")
      let target = try other.url("/there").absoluteString
      let server = try LocalServer { _, connection in
        connection.respond("\(status) Elsewhere", headers: ["Location": target])
      }
      let response = try await HTTPClient.live().send(request(try server.url, headers: ["Authorization": "Bearer secret"]))
      #expect(response.status == status && response.headers["location"] == target)
      #expect(other.connections == 0 && server.requests.count == 1)
    }

    @Test(
      "a request ends with an error if the response is not complete in time",
      arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf"])
    func timeout(_ beginning: String) async throws {
      let server = try LocalServer { _, connection in
        connection.send(beginning)
        _ = connection.untilHungUp()
      }
      let url = try server.url
      let error = try #require(
        await #expect(throws: HTTPError.self) { try await HTTPClient.live().send(request(url, timeout: 0.15)) })
      #expect(error.description == "No response within 0.15 s.")
      await server.until { $0.openConnections == 0 }
    }

    @Test("cancelling ends a request at once, before it begins or while it waits", arguments: [true, false])
    func cancellation(_ isBefore: Bool) async throws {
      let observer = Observer()
      let server = try LocalServer { _, connection in observer.saw(connection.untilHungUp()) }
      let request = request(try server.url, timeout: 60)
      let client = HTTPClient.live()
      let (gate, open) = AsyncStream<Void>.makeStream()
      let sending = Task {
        if isBefore { for await _ in gate {} }
        return try await client.send(request)
      }
      if isBefore {
        sending.cancel()
        open.finish()
      } else {
        await server.until { $0.requests.count == 1 }
        sending.cancel()
      }
      await #expect(throws: HTTPError("The request was cancelled.")) { try await sending.value }
      await server.until { $0.openConnections == 0 }
      #expect(observer.hungUp == (isBefore ? nil : true))
    }

    private final class Observer: Sendable {
      private let seen = Mutex<Bool?>(nil)
      func saw(_ value: Bool) { seen.withLock { $0 = value } }
      var hungUp: Bool? { seen.withLock { $0 } }
    }

    @Test(
      "a truncated or invalid response is an error",
      arguments: [
        "", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhal", "SSH-2.0-OpenSSH_9.2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nplain",
      ])
    func cut(_ response: String) async throws {
      let server = try LocalServer { _, connection in
        connection.send(response)
        connection.hangUp()
      }
      let url = try server.url
      let error = try #require(await #expect(throws: HTTPError.self) { try await HTTPClient.live().send(request(url)) })
      #expect(error.description.hasSuffix(".") && error.description.count > 10, "\(error)")
    }

    @Test("an unreachable server is reported as such")
    func noListener() async throws {
      let url = try LocalServer("gone").url
      let error = try #require(await #expect(throws: HTTPError.self) { try await HTTPClient.live().send(request(url)) })
      #expect(error.description.hasPrefix("The connection was refused"), "\(error)")
    }

    @Test("at most a mebibyte of a large response is read, with any compression", arguments: ["plain", "chunked", "gzip"])
    func huge(_ encoding: String) async throws {
      let bomb = encoding == "gzip" ? try Self.gzipped(zeros: 8 << 20) : []
      let server = try LocalServer { _, connection in
        switch encoding {
        case "gzip": connection.respond(headers: ["Content-Encoding": "gzip"], body: bomb)
        case "chunked":
          connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
          let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0, count: 65536) + Array("\r\n".utf8)
          while connection.send(chunk) {}
        default: connection.respond(body: [UInt8](repeating: 0, count: 8 << 20))
        }
      }
      let client = HTTPClient.live()
      let response = try await client.send(request(try server.url))
      #expect(response.status == 200 && response.body.count == HTTPClient.maximumResponseSize && bomb.count < 100_000)
    }

    @Test("the number of response headers is bounded")
    func manyHeaders() async throws {
      let headers = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("X-\($0)", "value") })
      let server = try LocalServer("ok", headers: headers)
      let response = try await HTTPClient.live().send(request(try server.url))
      #expect(response.status == 200 && response.headers.count <= 100)
    }

    @Test("compressed responses are decompressed", arguments: ["gzip", "br"])
    func compressed(_ encoding: String) async throws {
      let text = #"{"result":"ok"}"#
      let body =
        encoding == "gzip"
        ? try Self.gzip(Data(text.utf8)) : [11, 7, 128] + Array(text.utf8) + [3]
      let server = try LocalServer { _, connection in connection.respond(headers: ["Content-Encoding": encoding], body: body) }
      let response = try await HTTPClient.live().send(request(try server.url))
      #expect(String(decoding: response.body, as: UTF8.self) == text)
      #expect(server.requests.first?.headers["accept-encoding"]?.contains(encoding) == true)
    }

    @Test("an interim response is not the response")
    func interim() async throws {
      let server = try LocalServer { _, connection in
        connection.send("HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n")
        connection.respond("201 Created", headers: ["X-Late": "yes"])
      }
      let response = try await HTTPClient.live().send(request(try server.url))
      #expect(response.status == 201 && response.headers["x-late"] == "yes" && response.headers["x-early"] == nil)
    }

    @Test("consecutive requests share a connection, with any status")
    func keepAlive() async throws {
      let server = try LocalServer { request, connection in
        connection.respond(request.connection == 1 && request.target == "/1" ? "500 Broken" : "200 OK")
      }
      let client = HTTPClient.live()
      for number in 0..<20 { _ = try await client.send(request(try server.url("/\(number)"))) }
      #expect(server.requests.map(\.connection) == Array(repeating: 1, count: 20))
    }

    @Test("after a server closes a connection, the next request uses a new one")
    func closed() async throws {
      let server = try LocalServer { _, connection in
        connection.respond()
        connection.hangUp()
      }
      let client = HTTPClient.live()
      for number in 1...5 {
        #expect(try await client.send(request(try server.url)).status == 200)
        await server.until { $0.openConnections == 0 }
        #expect(server.connections == number)
      }
    }

    @Test("a request is sent over IPv6")
    func overIPv6() async throws {
      let server = try LocalServer(isIPv6: true) { _, connection in connection.respond() }
      #expect(try await HTTPClient.live().send(request(try server.url)).status == 200)
      #expect(server.requests.first?.headers["host"] == "[::1]:\(server.port)")
    }

    @Test("many concurrent requests all complete over few connections, which are closed when idle")
    func many() async throws {
      let maximum = 48
      let gate = Gate()
      let server = try LocalServer { request, connection in
        // All requests but the last ones are answered when all have arrived.
        if request.target == "/last" { return connection.respond() }
        gate.enter(maximum)
        connection.respond()
      }
      do {
        let client = HTTPClient.live()
        let requests = try (0..<maximum).map { request(try server.url("/\($0)")) }
        try await withThrowingTaskGroup(of: Int.self) { group in
          for request in requests { group.addTask { try await client.send(request).status } }
          for try await status in group { #expect(status == 200) }
        }
        #expect(Set(server.requests.map(\.target)).count == maximum)
        await server.until { $0.openConnections <= 8 }
        for _ in 0..<20 { _ = try await client.send(request(try server.url("/last"))) }
        #expect(server.connections == maximum)
      }
      await server.until { $0.openConnections == 0 }
    }

    /// Blocks callers until a number of them have arrived.
    private final class Gate: Sendable {
      private let condition = NSCondition()
      private let count = Mutex(0)
      func enter(_ maximum: Int) {
        condition.lock()
        defer { condition.unlock() }
        let isLast = count.withLock { count in
          count += 1
          return count == maximum
        }
        if isLast { condition.broadcast() }
        while count.withLock({ $0 }) < maximum, condition.wait(until: Date().addingTimeInterval(20)) {}
      }
    }

    // MARK: Parts

    private static func gzipped(zeros: Int) throws -> [UInt8] { try gzip(Data(count: zeros)) }

    private static func gzip(_ data: Data) throws -> [UInt8] {
      var stream = z_stream()
      var input = [UInt8](data)
      var output = [UInt8](repeating: 0, count: data.count + 1000)
      let count = input.withUnsafeMutableBufferPointer { source in
        output.withUnsafeMutableBufferPointer { target in
          _ = deflateInit2_(
            &stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
          (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
          (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
          _ = deflate(&stream, Z_FINISH)
          deflateEnd(&stream)
          return target.count - Int(stream.avail_out)
        }
      }
      return Array(output[..<count])
    }
  }
#endif
