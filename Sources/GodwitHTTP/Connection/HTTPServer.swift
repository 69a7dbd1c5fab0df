internal import CMicrohttpd
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// An HTTP server based on GNU libmicrohttpd. It passes each request to the handler. A request can be suspended, without
/// occupying a thread, until its result is durable.
///
/// C callbacks into Swift are only in this file, in `HTTPRequest.swift`, and in the files of streamed responses and TLS.
package final class HTTPServer: Sendable {
  package struct Configuration: Sendable {
    package var address: ListenAddress
    /// Threads that read requests and decode bodies.
    package var threads = 2
    /// Maximum bytes of a body, after decompression.
    package var maximumBody = 16 << 20
    /// Maximum concurrent connections; fewer if the process may not open that many files. If nearly all are in use, each
    /// new connection closes the oldest idle one.
    package var maximumConnections = 4096
    /// Maximum concurrent connections of one client network; 0: no limit.
    package var connectionsPerClient = 256
    /// Seconds from the connection to the end of a request's headers, and from the first line of any later request.
    package var headerTimeout: UInt32 = 10
    /// Maximum bytes of all bodies in memory, not counting the first ``smallBody`` bytes of each. Beyond that, requests are
    /// rejected with 503.
    package var bodyMemory = 64 << 20
    /// Bytes of a body that do not count towards ``bodyMemory``.
    package static let smallBody = 64 << 10
    /// Seconds without data after which a connection is closed.
    package var idleTimeout: UInt32 = 30
    /// Maximum seconds for a whole body, in addition to its length divided by ``slowestBody``.
    package var bodyTimeout: Double = 120
    /// Minimum bytes per second of a body.
    static let slowestBody = 16 << 10
    /// Maximum seconds for which the rest of a rejected body is read and discarded, so that the client can read the
    /// response. After that, the connection is closed.
    package var discardTimeout: Double = 30
    /// The command-line option of the address, for error messages.
    package var option = "--listen"

    /// Proxies whose headers about the client are accepted.
    package var trustedProxies = TrustedProxies.thisMachine
    /// The log of requests; `nil`: none.
    package var log: RequestLog?
    /// Runs operations.
    package var executor: any TaskExecutor = OperationExecutor.shared
    /// Whether the server uses TLS.
    var isSecure: Bool { identity != nil }
    /// The certificate and key for TLS; `nil`: plain HTTP.
    package var identity: TLSIdentity?

    package init(address: ListenAddress) { self.address = address }
  }

  /// The functions that process requests.
  package struct Handler: Sendable {
    /// Checks a request after its headers. A response rejects the request before its body is read.
    package var accept: @Sendable (HTTPRequest) -> HTTPResponse?
    /// Answers a complete request, immediately or later.
    package var respond: @Sendable (HTTPRequest) -> HTTPReply
    /// Completes every response before it is sent. Called on the thread that finishes the request.
    package var complete: @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse

    package init(
      accept: @escaping @Sendable (HTTPRequest) -> HTTPResponse?, respond: @escaping @Sendable (HTTPRequest) -> HTTPReply,
      complete: @escaping @Sendable (HTTPResponse, HTTPRequest) -> HTTPResponse = { response, _ in response }
    ) {
      self.accept = accept
      self.respond = respond
      self.complete = complete
    }
  }

  let configuration: Configuration
  let handler: Handler
  /// Number of requests whose response has not been sent completely.
  let active = Atomic<Int>(0)
  /// libmicrohttpd aborts the process if it is stopped while requests are suspended. Therefore every suspension checks this
  /// gate, which is closed when the server is stopping.
  private let gate = Mutex(Gate())
  /// libmicrohttpd's daemon; used only by `start` and `stop`.
  private let daemon = Mutex<UInt>(0)
  /// The port on which the server listens; 0 before that.
  private let bound = Atomic<UInt16>(0)
  /// The port on which the server listens; `nil` before that.
  package var port: UInt16? {
    let port = bound.load(ordering: .acquiring)
    return port == 0 ? nil : port
  }

  /// The open connections.
  private let connections: Mutex<ConnectionTable>
  /// The identifier of the next connection.
  private let connection = Atomic<UInt>(1)
  /// Bytes of large bodies in memory, see ``Configuration/bodyMemory``.
  let bodyBytes = Atomic<Int>(0)

  /// The prefix of the identifiers of requests of this process.
  private let run = String(UInt32.random(in: .min ... .max), radix: 36)
  private let named = Atomic<UInt64>(0)

  package static let requestIDHeader = "X-Request-Id"

  /// Returns the identifier of a request in its response and in the log: the client's identifier if it is valid, otherwise
  /// a unique one.
  /// - Parameter sent: the value of the request's header.
  func requestID(_ sent: String?) -> String {
    // A token that a client sends in this header by mistake must not be logged.
    if let sent, (1...64).contains(sent.utf8.count), !sent.hasPrefix("gw_"),
      sent.utf8.allSatisfy({ byte in
        let isLetter = (0x61...0x7A).contains(byte | 0x20)
        return isLetter || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x5F
      })
    {
      return sent
    }
    return "\(run)-\(String(named.add(1, ordering: .relaxed).newValue, radix: 36))"
  }

  private struct Gate {
    var isStopping = false
    var suspended = 0
  }

  package init(configuration: Configuration, handler: Handler) {
    self.configuration = configuration
    self.handler = handler
    let total = DescriptorLimit.connections(wanted: configuration.maximumConnections)
    connections = Mutex(
      ConnectionTable(
        limits: ConnectionTable.Limits(
          total: total, perNetwork: min(configuration.connectionsPerClient, max(8, total / 2)),
          headerTime: Int64(configuration.headerTimeout) * 1000,
          idleTime: Int64(configuration.idleTimeout) * 1000)))
  }

  /// Starts listening.
  ///
  /// - Returns: the port, which the system chooses if the configured port is 0.
  package func start() throws(HTTPServerError) -> UInt16 {
    var storage = configuration.address.storage
    configuration.identity?.serve(port: configuration.address.port)
    let daemon: OpaquePointer? = withUnsafePointer(to: &storage) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var options = godwit_http_options(
          address: address, ipv6: configuration.address.isIPv6 ? 1 : 0, threads: UInt32(max(1, configuration.threads)),
          // Memory for the headers and for one read. Larger reads need fewer calls for large bodies.
          connection_memory: 64 << 10, connections: UInt32(connections.withLock { $0.limits.total }),
          idle_seconds: configuration.idleTimeout, access: HTTPRequest.access, completed: HTTPRequest.completed,
          accepts: Self.accepts, connected: Self.connected, target: HTTPRequest.target,
          // The daemon is stopped before this object is released.
          context: Unmanaged.passUnretained(self).toOpaque(),
          identity: configuration.identity == nil ? nil : TLSIdentity.retrieve)
        return godwit_start_daemon(&options)
      }
    }
    guard let daemon else { throw HTTPServerError(address: configuration.address, option: configuration.option, code: errno) }
    self.daemon.withLock { $0 = UInt(bitPattern: daemon) }
    let port = godwit_bound_port(daemon)
    // If the system chose the port, it was not known before.
    configuration.identity?.serve(port: port)
    bound.store(port, ordering: .releasing)
    closeOverdue()
    return port
  }

  // MARK: Connections

  /// Called by libmicrohttpd for each new connection, before it is accepted.
  private static let accepts: MHD_AcceptPolicyCallback = { context, address, _ in
    guard let context, let address else { return MHD_Result.YES }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    let network = ClientNetwork(address)
    return server.connections.withLock { $0.admits(network) } ? MHD_Result.YES : MHD_Result.NO
  }

  /// Called by libmicrohttpd when a connection starts, and when it ends, before its descriptor is closed.
  private static let connected: MHD_NotifyConnectionCallback = { context, connection, note, what in
    guard let context, let connection, let note else { return }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    if godwit_begins(what) != 0 {
      guard let address = godwit_client_address(connection) else { return }
      let (network, descriptor) = (ClientNetwork(address), godwit_descriptor(connection))
      let id = server.connection.wrappingAdd(1, ordering: .relaxed).oldValue
      note.pointee = UnsafeMutableRawPointer(bitPattern: id)
      // `shutdown` is called under the lock, as is the removal of a connection, so that a descriptor in the table always
      // belongs to its connection.
      server.connections.withLock { table in
        if let idle = table.open(id, descriptor, of: network, at: now()) { shutdown(idle, Int32(SHUT_RDWR)) }
      }
    } else {
      let id = UInt(bitPattern: note.pointee)
      note.pointee = nil
      server.connections.withLock { $0.close(id) }
    }
  }

  /// Closes connections whose requests did not arrive in time. Runs every second while the server listens.
  private func closeOverdue() {
    guard daemon.withLock({ $0 != 0 }) else { return }
    connections.withLock { table in
      for descriptor in table.overdue(at: Self.now()) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in self?.closeOverdue() }
  }

  /// Updates the table of connections.
  func updateTable<Value>(_ connection: OpaquePointer, _ change: (inout ConnectionTable, ConnectionTable.ID, Int64) -> Value)
    -> Value
  {
    let id = UInt(bitPattern: godwit_connection_note(connection))
    return connections.withLock { change(&$0, id, Self.now()) }
  }

  /// Milliseconds of a monotonic clock.
  private static func now() -> Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }

  // MARK: Suspending

  /// Counts a request that is about to be suspended. Returns `false` if the server is stopping; the request must then be
  /// answered at once.
  func beginSuspension() -> Bool {
    gate.withLock { gate in
      if gate.isStopping { return false }
      gate.suspended += 1
      return true
    }
  }

  /// Counts a request that is being resumed.
  func endSuspension() { gate.withLock { $0.suspended -= 1 } }

  package var suspended: Int { gate.withLock { $0.suspended } }
  var isStopping: Bool { gate.withLock { $0.isStopping } }

  // MARK: Stopping

  /// Rejects requests that would have to be suspended from now on. Suspended requests are still answered.
  package func beginStopping() { gate.withLock { $0.isStopping = true } }

  /// Stops when no request is suspended and every response has been sent. Waits at most `seconds` for responses, but
  /// without a limit for suspended requests.
  ///
  /// `MHD_quiesce_daemon` is not used: in version 0.9.75 it races with the pool's threads for the listening
  /// socket, and the loser aborts the program ("Failed to remove listen FD from epoll set").
  package func stop(within seconds: Double) async {
    while suspended > 0 { await Self.pause() }
    for _ in 0..<Int(seconds * 100) where active.load(ordering: .acquiring) > 0 { await Self.pause() }
    let ended = daemon.withLock { daemon in
      defer { daemon = 0 }
      return daemon
    }
    if ended != 0 { MHD_stop_daemon(OpaquePointer(bitPattern: ended)) }
    if configuration.identity != nil { TLSIdentity.end(port: bound.load(ordering: .acquiring)) }
  }

  /// Waits ten milliseconds, even though the task has been cancelled.
  private static func pause() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
    }
  }
}

/// The error if the server cannot listen.
package struct HTTPServerError: Error, CustomStringConvertible {
  let address: ListenAddress
  /// The command-line option of the address.
  let option: String
  /// The system's error number; 0 if libmicrohttpd reported none.
  let code: Int32

  package var description: String {
    let why = code == 0 ? "the HTTP library gave no reason" : String(cString: strerror(code))
    var text = "Cannot listen on \(address): \(why)."
    if code == EADDRINUSE { text += " Another program uses that port; name another one with \(option)." }
    if code == EACCES { text += " Ports below 1024 belong to root; name a higher one with \(option)." }
    if code == EADDRNOTAVAIL { text += " This machine does not have this address." }
    return text
  }
}
