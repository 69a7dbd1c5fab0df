import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A connection to a server on this machine, for one request at a time.
final class LocalConnection {
  private let connection: Int32
  private var held: [UInt8] = []

  init(port: Int) throws {
    connection = socket(AF_INET, LocalSocket.stream, 0)
    guard connection >= 0 else { throw POSIXError(.EMFILE) }
    var address = LocalSocket.address(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { throw POSIXError(.ECONNREFUSED) }
  }

  deinit { close(connection) }

  /// Sends a request and reads the response.
  /// - Returns: the status and the body.
  @discardableResult
  func send(_ method: String, _ path: String, token: String, _ body: [UInt8] = []) throws -> (status: Int, body: [UInt8]) {
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
    try LocalSocket.sendAll(Array(head.utf8) + body, to: connection)
    guard let message = LocalSocket.receive(from: connection, &held),
      let status = message.head.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw POSIXError(.ECONNRESET) }
    return (status, message.body)
  }
}

/// A minimal receiver of webhooks: counts the events by the header `Godwit-Event-Count`, and optionally stores requests.
final class WebhookReceiver: Sendable {
  struct Request {
    var arrived: ContinuousClock.Instant
    var body: [UInt8]
  }
  private struct State {
    var events = 0
    var requests = 0
    var isHeld = false
    var stores = false
    var stored: [Request] = []
  }
  private let state = Mutex(State())
  let port: Int
  private let listener: Int32

  init() throws {
    (listener, port) = try LocalSocket.makeListener()
    Thread.detachNewThread { [listener, self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        Thread.detachNewThread { self.receive(connection) }
      }
    }
  }

  var url: String { "http://127.0.0.1:\(port)/" }
  /// The events and requests so far.
  var count: (events: Int, requests: Int) { state.withLock { ($0.events, $0.requests) } }
  /// Sets whether responses are held back.
  func hold(_ isHeld: Bool) { state.withLock { $0.isHeld = isHeld } }
  /// Stores the requests from now on.
  func store() { state.withLock { $0.stores = true } }
  var stored: [Request] { state.withLock { $0.stored } }

  /// Waits until no event has arrived for a second. Returns the time of the last one.
  func drained(from start: ContinuousClock.Instant) -> ContinuousClock.Instant {
    var (last, count) = (start, count.events)
    while ContinuousClock.now - last < .seconds(1) {
      usleep(2_000)
      let now = self.count.events
      if now != count { (last, count) = (ContinuousClock.now, now) }
    }
    return last
  }

  private func receive(_ connection: Int32) {
    defer { close(connection) }
    var held: [UInt8] = []
    let response = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
    while let message = LocalSocket.receive(from: connection, &held) {
      let arrived = ContinuousClock.now
      while state.withLock({ $0.isHeld }) { usleep(1_000) }
      let events = message.header("godwit-event-count").flatMap { Int($0) } ?? 1
      state.withLock { state in
        state.events += events
        state.requests += 1
        if state.stores { state.stored.append(Request(arrived: arrived, body: message.body)) }
      }
      guard (try? LocalSocket.sendAll(response, to: connection)) != nil else { return }
    }
  }
}

/// Functions for sockets on this machine.
enum LocalSocket {
  #if canImport(Glibc)
    static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    static let stream = SOCK_STREAM
  #endif

  struct Message {
    /// In lower case.
    var head: String
    var body: [UInt8]

    func header(_ name: String) -> Substring? {
      head.split(separator: "\r\n").first { $0.hasPrefix(name + ": ") }?.dropFirst(name.count + 2)
    }
  }

  static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    return address
  }

  /// Listens on a free port of this machine.
  static func makeListener() throws -> (listener: Int32, port: Int) {
    let listener = socket(AF_INET, stream, 0)
    guard listener >= 0 else { throw POSIXError(.EMFILE) }
    var address = address(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }

  static func sendAll(_ bytes: [UInt8], to connection: Int32) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
      guard count > 0 else { throw POSIXError(.EPIPE) }
      sent += count
    }
  }

  /// Reads a message with `Content-Length`. Returns `nil` at the end of the connection.
  static func receive(from connection: Int32, _ held: inout [UInt8]) -> Message? {
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    var searched = 0
    var end: Int?
    while end == nil {
      while searched + 4 <= held.count {
        if held[searched] == 13, held[searched + 1] == 10, held[searched + 2] == 13, held[searched + 3] == 10 {
          end = searched + 4
          break
        }
        searched += 1
      }
      if end != nil { break }
      let got = recv(connection, &buffer, buffer.count, 0)
      guard got > 0 else { return nil }
      held += buffer[..<got]
    }
    guard let end else { return nil }
    var message = Message(head: String(decoding: held[..<(end - 2)], as: UTF8.self).lowercased(), body: [])
    let size = message.header("content-length").flatMap { Int($0) } ?? 0
    while held.count < end + size {
      let got = recv(connection, &buffer, buffer.count, 0)
      guard got > 0 else { return nil }
      held += buffer[..<got]
    }
    message.body = Array(held[end..<end + size])
    held = Array(held[(end + size)...])
    return message
  }
}
