import Foundation
import Synchronization
import TestClient
import Testing

@testable import GodwitHTTP
@testable import GodwitServer

/// A server on a loopback address that is opened to the network. 127.0.0.2 represents the address in the network.
@Suite("Opening the server to the network", .timeLimit(.minutes(20)))
struct NetworkTests {
  /// The network addresses of the machine, which a test can replace.
  private final class Addresses: Sendable {
    private let list = Mutex(["127.0.0.2"])
    var all: [String] { list.withLock { $0 } }
    func replace(with new: [String]) { list.withLock { $0 = new } }
  }

  private final class Notices: Sendable {
    private let list = Mutex([String]())
    func add(_ text: String) { list.withLock { $0.append(text) } }
    func count(_ part: String) -> Int { list.withLock { $0.count { $0.contains(part) } } }
  }

  /// A running server with its folder and its addresses in the network.
  private final class Running: Sendable {
    let folder: URL
    let addresses = Addresses()
    let notices = Notices()
    let server: Server
    let port: UInt16
    let task: Task<Void, any Error>

    init(_ folder: URL, port: UInt16 = 0, listen: String = "127.0.0.1") async throws {
      self.folder = folder
      let address = try #require(ListenAddress("\(listen):\(port)"))
      var configuration = Server.Configuration(listen: address, dataFolder: folder.path)
      configuration.networkAddresses = { [addresses] in addresses.all }
      configuration.notices = { [notices] in notices.add($0) }
      let server = try Server(configuration: configuration)
      self.server = server
      let (ports, found) = AsyncStream<UInt16>.makeStream()
      // The stream also ends if the server fails, so that the test does not wait.
      let task = Task {
        defer { found.finish() }
        try await server.run { found.yield($0) }
      }
      self.task = task
      self.port = try #require(await ports.first { _ in true })
    }

    func stop() async {
      task.cancel()
      _ = await task.result
    }

    /// The status of a response at an address of the machine; `nil` if the server does not listen there.
    func status(_ host: String, _ path: String = "/healthz", headers: [String: String] = [:]) async throws -> Int? {
      do { return try await ask("GET", "http://\(host):\(port)\(path)", headers: headers).status } catch { return nil }
    }

    func set(_ isOpen: Bool, from host: String = "127.0.0.1") async throws -> Response {
      try await ask(
        "PUT", "http://\(host):\(port)/api/v1/network", bytes: Array(#"{"open":\#(isOpen)}"#.utf8), headers: try administrator)
    }

    var administrator: [String: String] {
      get throws {
        let token = try String(contentsOf: folder.appendingPathComponent("admin-token"), encoding: .utf8)
        return ["Authorization": "Bearer \(token.trimmingCharacters(in: .newlines))", "Content-Type": "application/json"]
      }
    }

    /// The network state of the API.
    var state: [String: Any] {
      get async throws { try await ask("GET", "http://127.0.0.1:\(port)/api/v1/network", headers: try administrator).object }
    }
  }

  private static func with(listen: String = "127.0.0.1", _ body: (Running) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-network-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await with(folder: folder, listen: listen, body)
  }

  /// Runs `body` with a server on a folder, then stops the server.
  private static func with(
    folder: URL, listen: String = "127.0.0.1", _ body: (Running) async throws -> Void
  ) async throws {
    let running = try await Running(folder, listen: listen)
    do { try await body(running) } catch {
      await running.stop()
      throw error
    }
    await running.stop()
  }

  @Test("an opened server is reachable from the network, requires credentials, and can be closed")
  func opening() async throws {
    try await Self.with { running in
      #expect(try await running.status("127.0.0.2") == nil)
      var state = try await running.state
      let address = "http://127.0.0.2:\(running.port)"
      #expect(state["open"] as? Bool == false && state["can_open"] as? Bool == true && state["origin"] is NSNull)
      #expect(state["address"] as? String == address)
      let opened = try await running.set(true)
      #expect(opened.status == 200 && opened.object["origin"] as? String == address, "\(opened.text)")
      #expect(try await running.status("127.0.0.2") == 200)
      #expect(try await running.status("127.0.0.2", "/api/v1/devices") == 401)
      // A host name that resolves to this address gives no access (DNS rebinding).
      #expect(try await running.status("127.0.0.2", "/api/v1/devices", headers: ["Host": "evil.example"]) == 401)
      #expect(try await running.set(true).status == 200)
      // The request to close arrives through the listener that is closed.
      state = try await running.set(false, from: "127.0.0.2").object
      #expect(state["open"] as? Bool == false && state["origin"] is NSNull)
      await running.server.network.finishEnding()
      #expect(try await running.status("127.0.0.2") == nil)
      #expect(try await running.status("127.0.0.1") == 200)
    }
  }

  @Test("the open and the closed state are kept over a restart")
  func restart() async throws {
    try await Self.with { first in
      #expect(try await first.set(true).status == 200)
      let file = first.folder.appendingPathComponent("open-to-network")
      let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      await first.stop()
      try await Self.with(folder: first.folder) { second in
        let status = try await second.status("127.0.0.2")
        #expect(status == 200)
        #expect(try await second.set(false).status == 200)
      }
      try await Self.with(folder: first.folder) { third in
        let status = try await third.status("127.0.0.2")
        #expect(status == nil)
      }
    }
  }

  @Test("an event stream ends with the listener of its connection, and others continue")
  func streams() async throws {
    try await Self.with { running in
      #expect(try await running.set(true).status == 200)
      let token = try #require(try running.administrator["Authorization"])
      // Sends the request immediately, because a connection without a request is closed after a timeout.
      func opened(at last: UInt8) throws -> Connection {
        let connection = try Connection(port: running.port, to: last)
        connection.send("GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: \(token)\r\n\r\n".utf8)
        return connection
      }
      let (through, other) = (try opened(at: 2), try opened(at: 1))
      for connection in [through, other] { #expect(await connection.receive { $0.contains("godwit") }.contains("200 OK")) }
      #expect(try await running.set(false).status == 200)
      await running.server.network.finishEnding()
      // Returns only when the connection is closed.
      _ = await through.receive { _ in false }
      running.server.live.feed.keepAlive()
      #expect(await other.receive { $0.hasSuffix("\r\n: \n\n\r\n") || $0.contains(": \n\n") }.isEmpty == false)
    }
  }

  @Test("the listener follows the machine's address")
  func following() async throws {
    try await Self.with { running in
      #expect(try await running.set(true).status == 200)
      running.addresses.replace(with: ["127.0.0.3"])
      await running.server.network.follow()
      await running.server.network.finishEnding()
      #expect(try await running.status("127.0.0.2") == nil)
      #expect(try await running.status("127.0.0.3") == 200)
      // Without a network address the server is closed to the network; with an address it listens again.
      running.addresses.replace(with: [])
      await running.server.network.follow()
      await running.server.network.finishEnding()
      let state = try await running.state
      #expect(state["open"] as? Bool == false && state["origin"] is NSNull)
      running.addresses.replace(with: ["127.0.0.2"])
      await running.server.network.follow()
      #expect(try await running.status("127.0.0.2") == 200)
    }
  }

  @Test("an unusable address is reported once, until it changes or the server listened again")
  func unusable() async throws {
    try await Self.with { running in
      func follow(_ address: String) async {
        running.addresses.replace(with: [address])
        for _ in 0..<3 { await running.server.network.follow() }
        await running.server.network.finishEnding()
      }
      #expect(try await running.set(true).status == 200)
      for (index, address) in ["192.0.2.1", "router.example", "127.0.0.3", "router.example"].enumerated() {
        await follow(address)
        #expect(running.notices.count("Not open to the network") == [1, 2, 2, 3][index], "\(address)")
      }
      running.addresses.replace(with: ["router.example"])
      #expect(try await running.set(false).status == 200)
      let response = try await running.set(true)
      #expect(response.status == 409 && response.text.contains("router.example"), "\(response.text)")
    }
  }

  @Test("a server without a network address, or whose port is in use, is not opened, and the response has the reason")
  func impossible() async throws {
    try await Self.with { running in
      running.addresses.replace(with: [])
      let without = try await running.set(true)
      #expect(without.status == 409 && without.text.contains("no address in a private network"), "\(without.text)")
      running.addresses.replace(with: ["127.0.0.2"])
      let other = HTTPServer(
        configuration: .init(address: try #require(ListenAddress("127.0.0.2:\(running.port)"))),
        handler: .init(accept: { _ in nil }, respond: { _ in .now(.text("")) }))
      _ = try other.start()
      let taken: Response
      do { taken = try await running.set(true) } catch {
        await other.stop(within: 1)
        throw error
      }
      await other.stop(within: 1)
      #expect(taken.status == 409 && taken.text.contains("Another program uses that port"), "\(taken.text)")
      // A rejected request is not stored.
      await running.server.network.follow()
      #expect(try await running.status("127.0.0.2") == nil)
    }
  }

  @Test("a server that already listens on the network shows its address and cannot be opened")
  func openAlready() async throws {
    try await Self.with(listen: "0.0.0.0") { running in
      let state = try await running.state
      #expect(state["origin"] as? String == "http://127.0.0.2:\(running.port)" && state["can_open"] as? Bool == false)
      #expect(try await running.set(true).status == 409)
    }
  }

  @Test(
    "addresses of private networks are recognized",
    arguments: [
      ("192.168.1.5", true), ("10.0.0.1", true), ("172.16.0.1", true), ("172.31.255.1", true), ("172.32.0.1", false),
      ("100.64.0.1", true), ("100.128.0.1", false), ("8.8.8.8", false), ("169.254.1.1", false), ("127.0.0.1", false),
      ("fd00::1", false), ("", false),
    ])
  func privateAddresses(_ address: String, _ isPrivate: Bool) {
    #expect(LocalNetwork.isPrivate(address) == isPrivate)
  }

  @Test(
    "interfaces of containers are internal",
    arguments: [("docker0", true), ("eth0", false), ("wlan0", false), ("br-1f", true)])
  func interfaces(_ name: String, _ isInternal: Bool) { #expect(LocalNetwork.isInternal(name) == isInternal) }
}
