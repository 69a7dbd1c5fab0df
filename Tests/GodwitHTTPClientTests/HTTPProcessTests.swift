// Tests of the environment and the threads of a process, which need a separate process. Exit tests require Swift 6.2.
#if os(Linux) && compiler(>=6.2)
  import Foundation
  import Glibc
  import GodwitHTTPClient
  import TestServer
  import Testing

  @Suite("The HTTP client in a separate process", .timeLimit(.minutes(20)))
  struct HTTPProcessTests {
    @Test("a proxy of the environment is used, and receives no credentials of an encrypted request")
    func proxy() async {
      await #expect(processExitsWith: .success) {
        let proxy = try LocalServer { request, connection in
          if request.method == "CONNECT" { connection.respond("403 Forbidden") } else { connection.respond() }
        }
        let direct = try LocalServer("ok")
        setenv("http_proxy", try proxy.url.absoluteString, 1)
        setenv("https_proxy", try proxy.url.absoluteString, 1)
        setenv("no_proxy", "127.0.0.1", 1)
        let client = HTTPClient.live()
        func send(_ text: String) async throws -> HTTPClient.Response {
          let url = try #require(URL(string: text))
          return try await client.send(
            HTTPClient.Request(url: url, headers: ["Authorization": "Bearer secret"], body: Array("{}".utf8), timeout: 10))
        }
        #expect(try await send("http://tracker.invalid/api").status == 200)
        await #expect(throws: HTTPError.self) { try await send("https://tracker.invalid/api") }
        #expect(try await send(try direct.url("/here").absoluteString).status == 200)
        #expect(
          proxy.requests.map { "\($0.method) \($0.target)" } == [
            "POST http://tracker.invalid/api", "CONNECT tracker.invalid:443",
          ])
        #expect(proxy.requests.map { $0.headers["authorization"] } == ["Bearer secret", nil])
        #expect(direct.requests.map(\.target) == ["/here"])
      }
    }

    @Test("hundreds of successful and failed requests leave no threads and no open files")
    func leaks() async {
      await #expect(processExitsWith: .success) {
        let server = try LocalServer { request, connection in
          if request.target == "/cut" { connection.hangUp() } else { connection.respond() }
        }
        let unreachable = try LocalServer("gone").url
        let client = HTTPClient.live()
        func count(_ what: String) throws -> Int {
          try FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(what)").count
        }
        func round() async throws {
          let urls = try (0..<5).flatMap { _ in [try server.url("/a"), try server.url("/cut"), unreachable] }
          await withTaskGroup(of: Void.self) { group in
            for url in urls {
              group.addTask { _ = try? await client.send(HTTPClient.Request(url: url, body: Array("{}".utf8), timeout: 10)) }
            }
          }
        }
        for _ in 0..<5 { try await round() }
        let (files, threads) = (try count("fd"), try count("task"))
        for _ in 0..<20 { try await round() }
        // The server may still close connections of the last round; a leak in twenty rounds of fifteen requests would exceed the limit.
        let (moreFiles, moreThreads) = (try count("fd") - files, try count("task") - threads)
        #expect(moreFiles < 40 && moreThreads < 40, "\(moreFiles) files, \(moreThreads) threads more")
      }
    }
  }
#endif
