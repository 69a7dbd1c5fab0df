import Foundation
import GodwitServer
import Synchronization
import Testing

/// A server on this machine that receives deliveries. The test decides the responses.
final class Receiver: Sendable {
  struct Delivery: Sendable {
    var path: String
    var method: String
    var event: String?
    var signature: String?
    var contentType: String?
    var body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
    var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
  }

  private struct State {
    var deliveries: [Delivery] = []
    var waiting: [(count: Int, go: CheckedContinuation<Void, Never>)] = []
  }

  private let server: HTTPServer
  let port: UInt16
  private let shared: Shared

  private final class Shared: Sendable {
    let state = Mutex(State())

    func add(_ delivery: Delivery) -> Int {
      let (number, ready) = state.withLock { state in
        state.deliveries.append(delivery)
        let ready = state.waiting.filter { $0.count <= state.deliveries.count }.map(\.go)
        state.waiting.removeAll { $0.count <= state.deliveries.count }
        return (state.deliveries.count, ready)
      }
      for one in ready { one.resume() }
      return number
    }
  }

  /// Starts a receiver.
  /// - Parameter response: the response to a delivery and its number, counted from 1.
  init(_ response: @escaping @Sendable (Delivery, Int) -> HTTPResponse = { _, _ in .json([], status: 204) }) throws {
    let shared = Shared()
    self.shared = shared
    server = HTTPServer(
      configuration: HTTPServer.Configuration(address: try #require(ListenAddress("127.0.0.1:0"))),
      handler: HTTPServer.Handler(
        accept: { _ in nil },
        respond: { request in
          let delivery = Delivery(
            path: request.path, method: request.method, event: request.header("Godwit-Event-ID"),
            signature: request.header("Godwit-Signature"), contentType: request.header("Content-Type"),
            body: request.takeBody())
          return .now(response(delivery, shared.add(delivery)))
        }))
    port = try server.start()
  }

  // A test that throws does not call `stop`. Stopping twice has no effect.
  deinit {
    Task { [server] in
      server.beginStopping()
      await server.stop(within: 1)
    }
  }

  func url(_ path: String = "/hook") -> String { "http://127.0.0.1:\(port)\(path)" }

  var deliveries: [Delivery] { shared.state.withLock { $0.deliveries } }

  /// Waits until `count` deliveries were received.
  func until(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = shared.state.withLock { state in
        if state.deliveries.count >= count { return true }
        state.waiting.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func stop() async {
    server.beginStopping()
    await server.stop(within: 1)
  }
}
