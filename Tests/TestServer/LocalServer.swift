package import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// An HTTP server on a free port of this machine. The test decides every byte of the responses. Each connection has a thread.
package final class LocalServer: Sendable {
  package struct Request: Sendable {
    package var method: String
    /// The request target of the first line.
    package var target: String
    /// The headers, with lowercase names.
    package var headers: [String: String]
    /// The unchanged header lines.
    package var lines: [String]
    package var body: [UInt8]
    /// The number of the connection, counted from 1.
    package var connection: Int
  }

  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
  }

  /// The requests and connections so far.
  package struct Seen: Sendable {
    package var requests: [Request] = []
    /// The number of accepted connections.
    package var connections = 0
    package var openConnections = 0
  }

  private struct State {
    var seen = Seen()
    var waiting: [(isMet: @Sendable (Seen) -> Bool, go: CheckedContinuation<Void, Never>)] = []
  }

  /// The state that the threads share with the server object, whose end closes the socket.
  private final class Shared: Sendable {
    let state = Mutex(State())

    func change<Value: Sendable>(_ body: (inout Seen) -> Value) -> Value {
      let (value, ready) = state.withLock { state in
        let value = body(&state.seen)
        let ready = state.waiting.filter { $0.isMet(state.seen) }.map(\.go)
        state.waiting.removeAll { $0.isMet(state.seen) }
        return (value, ready)
      }
      for one in ready { one.resume() }
      return value
    }
  }

  package let port: UInt16
  package let isIPv6: Bool
  private let listener: Int32
  private let shared = Shared()

  package var url: URL { get throws { try url("/") } }

  package func url(_ path: String, scheme: String = "http") throws -> URL {
    guard let url = URL(string: "\(scheme)://\(isIPv6 ? "[::1]" : "127.0.0.1"):\(port)\(path)") else {
      throw Failure(description: "no address: \(path)")
    }
    return url
  }

  package var requests: [Request] { shared.state.withLock { $0.seen.requests } }
  /// The number of accepted connections.
  package var connections: Int { shared.state.withLock { $0.seen.connections } }

  /// Waits until a condition on the requests and connections is true.
  package func until(_ isMet: @escaping @Sendable (Seen) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isMetNow = shared.state.withLock { state in
        if isMet(state.seen) { return true }
        state.waiting.append((isMet, continuation))
        return false
      }
      if isMetNow { continuation.resume() }
    }
  }

  package convenience init(_ body: String, headers: [String: String] = [:]) throws {
    try self.init { _, connection in connection.respond(headers: headers, body: Array(body.utf8)) }
  }

  /// Starts a server.
  /// - Parameters:
  ///   - isIPv6: whether the server listens on ::1.
  ///   - keepsRequests: whether requests are stored in `requests`; tests of memory disable this.
  ///   - serve: is called for each request on the thread of its connection. The next request is read when it returns.
  package init(isIPv6: Bool = false, keepsRequests: Bool = true, _ serve: @escaping @Sendable (Request, Connection) -> Void)
    throws
  {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(isIPv6 ? AF_INET6 : AF_INET, stream, 0)
    guard listener >= 0, let port = Self.listen(listener, isIPv6) else {
      throw Failure(description: "no free port: \(String(cString: strerror(errno)))")
    }
    self.listener = listener
    self.isIPv6 = isIPv6
    self.port = port
    let thread = Thread { [shared] in
      while true {
        let socket = accept(listener, nil, nil)
        guard socket >= 0 else { break }
        let number = shared.change { seen in
          seen.connections += 1
          seen.openConnections += 1
          return seen.connections
        }
        let connection = Connection(socket: socket, number: number)
        let thread = Thread {
          while let request = connection.read() {
            if keepsRequests { shared.change { $0.requests.append(request) } }
            serve(request, connection)
          }
          connection.close()
          shared.change { $0.openConnections -= 1 }
        }
        thread.start()
      }
      #if os(Linux)
        close(listener)
      #endif
    }
    thread.start()
  }

  // Wakes the accepting thread: on Linux by `shutdown`, after which the thread closes the socket; elsewhere by `close`.
  deinit {
    #if os(Linux)
      shutdown(listener, Int32(SHUT_RDWR))
    #else
      close(listener)
    #endif
  }

  private static func listen(_ listener: Int32, _ isIPv6: Bool) -> UInt16? {
    func bound<Address>(_ address: inout Address) -> Bool {
      var length = socklen_t(MemoryLayout<Address>.size)
      return withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(listener, pointer, length) == 0 && Self.listens(listener) && getsockname(listener, pointer, &length) == 0
        }
      }
    }
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_addr = in6addr_loopback
      return bound(&address) ? UInt16(bigEndian: address.sin6_port) : nil
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return bound(&address) ? UInt16(bigEndian: address.sin_port) : nil
  }

  private static func listens(_ listener: Int32) -> Bool {
    #if canImport(Glibc)
      Glibc.listen(listener, 128) == 0
    #elseif canImport(Musl)
      Musl.listen(listener, 128) == 0
    #else
      Darwin.listen(listener, 128) == 0
    #endif
  }

  /// The connection of a client. Only its thread reads; all threads may write.
  package final class Connection: Sendable {
    private let socket: Int32
    private let number: Int
    /// The received bytes that were not read yet.
    private let rest = Mutex<[UInt8]>([])
    private let isClosed = Mutex(false)

    package init(socket: Int32, number: Int) {
      self.socket = socket
      self.number = number
      // No wait is longer than the duration of a test.
      var timeout = timeval(tv_sec: 120, tv_usec: 0)
      setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    fileprivate func close() {
      isClosed.withLock { isClosed in
        guard !isClosed else { return }
        isClosed = true
        #if canImport(Glibc)
          Glibc.close(socket)
        #elseif canImport(Musl)
          Musl.close(socket)
        #else
          Darwin.close(socket)
        #endif
      }
    }

    /// Closes the connection in both directions. Bytes that were sent before are delivered.
    package func hangUp() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Reads until the client closes the connection.
    /// - Returns: `false` if the client did not close the connection in time.
    package func untilHungUp() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16384)
      while true {
        let count = recv(socket, &buffer, buffer.count, 0)
        if count <= 0 { return count == 0 || errno == ECONNRESET }
      }
    }

    package func respond(_ status: String = "200 OK", headers: [String: String] = [:], body: [UInt8] = []) {
      let lines = headers.merging(["Content-Length": "\(body.count)"]) { given, _ in given }
        .map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
      // Sends one segment, because a second small one would wait for an acknowledgement (RFC 896).
      send(Array("HTTP/1.1 \(status)\r\n\(lines)\r\n".utf8) + body)
    }

    package func send(_ text: String) { send(Array(text.utf8)) }

    /// Sends bytes.
    /// - Returns: whether all bytes were sent.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
      #if os(Linux)
        let flags = Int32(MSG_NOSIGNAL)
      #else
        let flags: Int32 = 0
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
      #endif
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes { buffer in
          buffer.baseAddress.map {
            #if canImport(Glibc)
              Glibc.send(socket, $0 + sent, bytes.count - sent, flags)
            #elseif canImport(Musl)
              Musl.send(socket, $0 + sent, bytes.count - sent, flags)
            #else
              Darwin.send(socket, $0 + sent, bytes.count - sent, flags)
            #endif
          } ?? -1
        }
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }

    /// The next request; `nil` at the end of the connection.
    fileprivate func read() -> Request? {
      var bytes = rest.withLock { rest in
        defer { rest = [] }
        return rest
      }
      func more() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = recv(socket, &buffer, buffer.count, 0)
        if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
        return count > 0
      }
      let blank = Array("\r\n\r\n".utf8)
      var head = bytes.firstRange(of: blank)
      while head == nil {
        guard more() else { return nil }
        head = bytes.firstRange(of: blank)
      }
      guard let head else { return nil }
      var lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let first = lines.removeFirst().components(separatedBy: " ")
      guard first.count == 3 else { return nil }
      var headers: [String: String] = [:]
      for line in lines {
        guard let colon = line.firstIndex(of: ":") else { continue }
        headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      }
      let end = head.upperBound + (headers["content-length"].flatMap { Int($0) } ?? 0)
      // With this header only the headers are read, so that a test can interrupt an upload.
      if headers["x-read-body"] != "no" {
        while bytes.count < end { guard more() else { return nil } }
        let left = Array(bytes[end...])
        rest.withLock { $0 = left }
      }
      return Request(
        method: first[0], target: first[1], headers: headers, lines: lines,
        body: headers["x-read-body"] == "no" ? [] : Array(bytes[head.upperBound..<end]), connection: number)
    }
  }
}
