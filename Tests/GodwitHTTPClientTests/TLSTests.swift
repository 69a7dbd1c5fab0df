#if os(Linux)
  import Foundation
  import GodwitHTTPClient
  import TestParts
  import TestServer
  import Testing

  @Suite(
    "The HTTP client with TLS",
    .enabled(if: TestPart.openssl.isRun, "\(TestPart.openssl.reason)"),
    .enabled(if: TestPart.socat.isRun, "\(TestPart.socat.reason)"),
    .tlsServers, .timeLimit(.minutes(20)))
  struct TLSTests {
    /// The trust of a request, which `trust(_:)` completes with the certificates of the suite.
    enum Trust: Sendable, Hashable {
      case system, authority, itself
      case pins([TLSServers.Certificate])
      case prefixed(TLSServers.Certificate)

      func trust(_ servers: TLSServers) throws -> TLSTrust {
        switch self {
        case .system: .system
        case .authority: .authority(path: servers.authority)
        case .itself: .authority(path: servers.certificate(.selfSigned))
        case .pins(let certificates): .pinned(try certificates.map { try servers.pin($0) })
        case .prefixed(let certificate): .pinned(["sha256//" + (try servers.pin(certificate))])
        }
      }
    }

    private func send(
      _ trust: TLSTrust, _ url: URL, method: String = "POST", body: [UInt8] = Array("{}".utf8), headers: [String: String] = [:],
      client: HTTPClient = .live()
    ) async throws -> HTTPClient.Response {
      try await client.send(
        HTTPClient.Request(
          method: method, url: url, headers: headers.merging(["Authorization": "Bearer secret"]) { $1 }, body: body, timeout: 10,
          trust: trust))
    }

    @Test(
      "a server with the expected certificate receives the request",
      arguments: [
        (.good, .authority), (.selfSigned, .itself), (.good, .pins([.good])), (.selfSigned, .pins([.selfSigned])),
        (.selfSigned, .pins([.good, .selfSigned])), (.selfSigned, .prefixed(.selfSigned)),
        // With a pin, only the key is checked.
        (.otherName, .pins([.otherName])), (.expired, .pins([.expired])),
      ] as [(TLSServers.Certificate, Trust)])
    func trusted(_ certificate: TLSServers.Certificate, _ trust: Trust) async throws {
      let servers = try #require(TLSServers.current)
      let path = "/\(UUID().uuidString)"
      let response = try await send(try trust.trust(servers), try servers.url(certificate, path))
      #expect(response.status == 200 && String(decoding: response.body, as: UTF8.self) == #"{"result":"ok"}"#)
      #expect(servers.behind.requests.filter { $0.target == path }.count == 1)
    }

    @Test(
      "a server with another certificate receives no request, and the error describes it",
      arguments: [
        (.good, .system, "not trusted"), (.selfSigned, .system, "self-signed certificate"),
        (.selfSigned, .authority, "self-signed certificate"), (.good, .itself, "not trusted"),
        (.otherName, .authority, "not valid for 127.0.0.1"), (.expired, .authority, "expired"),
        (.good, .pins([.selfSigned]), "public key differs from the pinned one"),
        (.selfSigned, .pins([.good]), "public key differs from the pinned one"),
        (.selfSigned, .pins([.good, .expired]), "public key differs from the pinned one"),
      ] as [(TLSServers.Certificate, Trust, String)])
    func rejected(_ certificate: TLSServers.Certificate, _ trust: Trust, _ reason: String) async throws {
      let servers = try #require(TLSServers.current)
      let path = "/\(UUID().uuidString)"
      let trust = try trust.trust(servers)
      let url = try servers.url(certificate, path)
      let error = try #require(await #expect(throws: HTTPError.self) { try await send(trust, url) })
      #expect(error.description.contains(reason), "\(error)")
      #expect(!servers.behind.requests.contains { $0.target == path })
    }

    @Test("a connection is not reused for a request with another trust")
    func reuse() async throws {
      let servers = try #require(TLSServers.current)
      let client = HTTPClient.live()
      let path = "/\(UUID().uuidString)"
      let url = try servers.url(.selfSigned, path)
      let right = TLSTrust.pinned([try servers.pin(.selfSigned)])
      _ = try await send(right, url, client: client)
      for trust in [TLSTrust.system, .authority(path: servers.authority), .pinned([try servers.pin(.good)])] {
        await #expect(throws: HTTPError.self) { try await send(trust, url, client: client) }
      }
      _ = try await send(right, url, client: client)
      #expect(servers.behind.requests.filter { $0.target == path }.count == 2)
    }

    @Test("consecutive requests share a connection")
    func keepAlive() async throws {
      let servers = try #require(TLSServers.current)
      let client = HTTPClient.live()
      let path = "/\(UUID().uuidString)"
      for _ in 0..<10 { _ = try await send(.authority(path: servers.authority), try servers.url(.good, path), client: client) }
      let used = servers.behind.requests.filter { $0.target == path }
      #expect(used.count == 10 && Set(used.map(\.connection)).count == 1)
    }

    @Test("a request is sent over IPv6")
    func overIPv6() async throws {
      let servers = try #require(TLSServers.current)
      let response = try await send(.authority(path: servers.authority), try servers.url(.good, "/six", isIPv6: true))
      #expect(response.status == 200)
    }

    @Test(
      "a connection that the server closes during an upload or a download is an error",
      arguments: ["/cut", "/half"])
    func cut(_ path: String) async throws {
      let servers = try #require(TLSServers.current)
      let url = try servers.url(.good, path)
      for _ in 0..<3 {
        await #expect(throws: HTTPError.self) {
          try await send(
            .authority(path: servers.authority), url, body: [UInt8](repeating: 120, count: 4 << 20),
            headers: ["X-Read-Body": "no"])
        }
      }
    }

    @Test(
      "an invalid or different pin is an error, and no request is sent",
      arguments: [
        ([], "list of pins is empty"), ([""], "is not a pin"), (["AAAA"], "\"AAAA\" is not a pin"),
        (["sha256//"], "is not a pin"),
        (["*"], "\"*\" is not a pin"), ([String(repeating: "A", count: 43) + "="], nil),
        ([String(repeating: "A", count: 43) + "=", "a;b"], "\"a;b\" is not a pin"),
      ] as [([String], String?)])
    func pins(_ pins: [String], _ reason: String?) async throws {
      let servers = try #require(TLSServers.current)
      let url = try servers.url(.selfSigned, "/pins")
      let error = try #require(await #expect(throws: HTTPError.self) { try await send(.pinned(pins), url) })
      #expect(error.description.contains(reason ?? "public key differs"), "\(error)")
      #expect(!servers.behind.requests.contains { $0.target == "/pins" })
    }

    @Test("trust options with an unencrypted address are rejected")
    func plain() async throws {
      let servers = try #require(TLSServers.current)
      let url = try servers.behind.url("/plain")
      for trust in [TLSTrust.pinned([try servers.pin(.good)]), .authority(path: servers.authority)] {
        let error = try #require(await #expect(throws: HTTPError.self) { try await send(trust, url) })
        #expect(error.description.contains("https://"))
      }
      #expect(!servers.behind.requests.contains { $0.target == "/plain" })
    }

    @Test("the error for an invalid file of an authority contains its path", arguments: ["/nowhere.pem", "words"])
    func noAuthority(_ name: String) async throws {
      let servers = try #require(TLSServers.current)
      let path = name.hasPrefix("/") ? name : servers.folder.appendingPathComponent("good.pin").path
      let url = try servers.url(.good, "/noAuthority")
      let error = try #require(await #expect(throws: HTTPError.self) { try await send(.authority(path: path), url) })
      #expect(error.description.contains("file of the authority") && error.description.contains(path), "\(error)")
    }
  }
#endif
