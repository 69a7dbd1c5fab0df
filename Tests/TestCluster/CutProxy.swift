import Foundation

/// A proxy of connections to a port of this machine, which can hold and cut them.
///
/// `@unchecked Sendable`: `connections` and `isHeld` are accessed only while `condition` is locked.
public final class CutProxy: @unchecked Sendable {
  /// The port of the proxy on 127.0.0.1.
  public let port: UInt16
  private let target: UInt16
  private let listener: Int32
  private let condition = NSCondition()
  private var connections: [ObjectIdentifier: Pair] = [:]
  private var isHeld = false

  /// The two sockets of a connection.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    init(_ client: Int32, _ server: Int32) { (self.client, self.server) = (client, server) }
    deinit { for socket in [client, server] { close(socket) } }
    func cut() { for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) } }
  }

  /// Starts a proxy, which listens until ``stop()``.
  /// - Parameter target: the port to which connections are forwarded.
  public init(to target: UInt16) throws {
    self.target = target
    port = try TestCluster.freePort()
    listener = Self.socket()
    var yes: Int32 = 1
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let listener = listener
    guard TestCluster.withLoopback(port, { bind(listener, $0, $1) }) == 0, listen(listener, 128) == 0 else {
      close(listener)
      throw TestCluster.Failure(description: "the proxy cannot listen on port \(port)")
    }
    Thread.detachNewThread { [self] in accept() }
  }

  /// Forwards nothing until ``release()``. Connections are still accepted.
  public func hold() { condition.withLock { isHeld = true } }

  /// Forwards the data that has arrived meanwhile, and all further data.
  public func release() {
    condition.withLock {
      isHeld = false
      condition.broadcast()
    }
  }

  /// Ends all connections.
  public func cut() { for pair in condition.withLock({ Array(connections.values) }) { pair.cut() } }

  /// Ends all connections, and stops listening.
  public func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    release()
    cut()
  }

  /// Returns a socket that child processes do not inherit.
  private static func socket() -> Int32 {
    Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  }

  private func accept() {
    while true {
      let client = Foundation.accept(listener, nil, nil)
      guard client >= 0 else {
        if errno == EINTR || errno == ECONNABORTED { continue }
        close(listener)
        return
      }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let pair = Pair(client, Self.socket())
      guard TestCluster.withLoopback(target, { connect(pair.server, $0, $1) }) == 0 else { continue }
      condition.withLock { connections[ObjectIdentifier(pair)] = pair }
      Thread.detachNewThread { [self] in forward(from: pair.client, to: pair.server, of: pair) }
      Thread.detachNewThread { [self] in forward(from: pair.server, to: pair.client, of: pair) }
    }
  }

  private func forward(from source: Int32, to destination: Int32, of pair: Pair) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(source, &buffer, buffer.count, 0)
      condition.lock()
      while isHeld { condition.wait() }
      condition.unlock()
      guard count > 0, Self.send(buffer[..<count], to: destination) else { break }
    }
    // The protocols of the tests need both directions.
    pair.cut()
    condition.withLock { connections[ObjectIdentifier(pair)] = nil }
  }

  private static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Foundation.send(socket, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}
