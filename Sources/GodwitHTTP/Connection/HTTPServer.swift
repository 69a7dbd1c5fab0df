internal import CMicrohttpd
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// GNU libmicrohttpd as a Swift object: it listens, hands each request to `respond`, and lets a request wait
/// (suspended, holding no thread) until its result is durable.
///
/// This file and `HTTPRequest.swift` are the only ones in which C calls back into Swift.
package final class HTTPServer: Sendable {
  package struct Configuration: Sendable {
    package var address: ListenAddress
    /// Threads that read requests and decode bodies.
    package var threads = 2
    /// Largest body, after decompression, in bytes.
    package var maximumBody = 16 << 20
    /// Connections at once; fewer where the process may not have so many files open. When nearly all are taken, the oldest idle one
    /// is closed for each new one.
    package var maximumConnections = 4096
    /// Connections of one client network at once; 0: no limit.
    package var connectionsPerClient = 256
    /// Seconds from the connection to the end of a request's headers, and from the first line of any later request.
    package var headerTimeout: UInt32 = 10
    /// Bytes of bodies in memory at once that are larger than ``smallBody``; beyond, requests are answered 503.
    package var bodyMemory = 64 << 20
    /// Bytes of a body that every request may have.
    package static let smallBody = 64 << 10
    /// Seconds without a byte after which a connection is closed.
    package var idleTimeout: UInt32 = 30
    /// Seconds that a whole body may take, however it trickles, beside those that it takes at ``slowestBody``.
    package var bodyTimeout: Double = 120
    /// Bytes in a second that a body has to bring at least.
    static let slowestBody = 16 << 10
    /// Seconds that the rest of a refused body is read and deleted, so that its sender comes to read why; then it is cut off.
    package var discardTimeout: Double = 30
    /// The option that names the address, for the sentence that says that it cannot be had.
    package var option = "--listen"

    /// Proxies whose headers about the client are accepted.
    package var trustedProxies = TrustedProxies.thisMachine
    /// What reports of the requests.
    package var log: RequestLog?
    /// Runs operations.
    package var executor: any TaskExecutor = OperationExecutor.shared
    /// Whether it speaks TLS.
    var isSecure: Bool { identity != nil }
    /// The certificate and key for TLS; `nil`: plain HTTP.
    package var identity: TLSIdentity?

    package init(address: ListenAddress) { self.address = address }
  }

  /// What to do with a request whose headers are known (`.headers`) or that is complete (`.complete`).
  package struct Handler: Sendable {
    /// Looks at the headers: a response refuses the request before its body is read.
    package var accept: @Sendable (HTTPRequest) -> HTTPResponse?
    /// Answers a complete request, at once or later.
    package var respond: @Sendable (HTTPRequest) -> HTTPReply
    /// Completes every answer before it is sent; on the thread that finishes the request.
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
  /// Requests between their headers and the end of their answers.
  let active = Atomic<Int>(0)
  /// libmicrohttpd aborts the program when it is stopped with suspended requests. Every suspension therefore passes this gate, which is
  /// closed once the server is stopping.
  private let gate = Mutex(Gate())
  /// libmicrohttpd's daemon; only `start` and `stop` touch it.
  private let daemon = Mutex<UInt>(0)
  /// Where it listens.
  private let bound = Atomic<UInt16>(0)
  /// The port where it listens; `nil` before that.
  package var port: UInt16? {
    let port = bound.load(ordering: .acquiring)
    return port == 0 ? nil : port
  }

  /// The connections that are open, by client network.
  private let connections: Mutex<ConnectionTable>
  /// What the next connection is called.
  private let connection = Atomic<UInt>(1)
  /// Bytes of large bodies in memory.
  let bodyBytes = Atomic<Int>(0)

  /// What the requests of this run are called.
  private let run = String(UInt32.random(in: .min ... .max), radix: 36)
  private let named = Atomic<UInt64>(0)

  package static let requestIDHeader = "X-Request-Id"

  /// What a request is called in its answer and in the log: the client's identifier, or else a unique one.
  /// - Parameter sent: the request's own header.
  func requestID(_ sent: String?) -> String {
    // A token that was put there by mistake does not get into the log.
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

  /// Listens. - Returns: the port, which the system chose if the configuration says 0.
  package func start() throws(HTTPServerError) -> UInt16 {
    var storage = configuration.address.storage
    configuration.identity?.serve(port: configuration.address.port)
    let daemon: OpaquePointer? = withUnsafePointer(to: &storage) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var options = godwit_http_options(
          address: address, ipv6: configuration.address.isIPv6 ? 1 : 0, threads: UInt32(max(1, configuration.threads)),
          // Room for the headers and for one read; larger reads mean fewer calls for large bodies.
          connection_memory: 64 << 10, connections: UInt32(connections.withLock { $0.limits.total }),
          idle_seconds: configuration.idleTimeout, access: HTTPRequest.access, completed: HTTPRequest.completed,
          accepts: Self.accepts, connected: Self.connected, target: HTTPRequest.target,
          // The daemon is stopped before this object goes.
          context: Unmanaged.passUnretained(self).toOpaque(),
          identity: configuration.identity == nil ? nil : TLSIdentity.retrieve)
        return godwit_start_daemon(&options)
      }
    }
    guard let daemon else { throw HTTPServerError(address: configuration.address, option: configuration.option, code: errno) }
    self.daemon.withLock { $0 = UInt(bitPattern: daemon) }
    let port = godwit_bound_port(daemon)
    // Where the system chose it, it is not known yet.
    configuration.identity?.serve(port: port)
    bound.store(port, ordering: .releasing)
    closeOverdue()
    return port
  }

  // MARK: Connections

  /// Called by libmicrohttpd for each new connection, before it takes it on.
  private static let accepts: MHD_AcceptPolicyCallback = { context, address, _ in
    guard let context, let address else { return MHD_Result.YES }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    let network = ClientNetwork(address)
    return server.connections.withLock { $0.admits(network) } ? MHD_Result.YES : MHD_Result.NO
  }

  /// Called by libmicrohttpd when a connection begins, and before the descriptor of one that ends is closed.
  private static let connected: MHD_NotifyConnectionCallback = { context, connection, note, what in
    guard let context, let connection, let note else { return }
    let server = Unmanaged<HTTPServer>.fromOpaque(context).takeUnretainedValue()
    if godwit_begins(what) != 0 {
      guard let address = godwit_client_address(connection) else { return }
      let (network, descriptor) = (ClientNetwork(address), godwit_descriptor(connection))
      let id = server.connection.wrappingAdd(1, ordering: .relaxed).oldValue
      note.pointee = UnsafeMutableRawPointer(bitPattern: id)
      // Under the lock, as the end of a connection: a descriptor in the table is always that of its connection.
      server.connections.withLock { table in
        if let idle = table.open(id, descriptor, of: network, at: now()) { shutdown(idle, Int32(SHUT_RDWR)) }
      }
    } else {
      let id = UInt(bitPattern: note.pointee)
      note.pointee = nil
      server.connections.withLock { $0.close(id) }
    }
  }

  /// Closes connections whose requests do not come, each second while the server listens.
  private func closeOverdue() {
    guard daemon.withLock({ $0 != 0 }) else { return }
    connections.withLock { table in
      for descriptor in table.overdue(at: Self.now()) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [weak self] in self?.closeOverdue() }
  }

  /// Notes what a connection does.
  func updateTable<Value>(_ connection: OpaquePointer, _ change: (inout ConnectionTable, ConnectionTable.ID, Int64) -> Value)
    -> Value
  {
    let id = UInt(bitPattern: godwit_connection_note(connection))
    return connections.withLock { change(&$0, id, Self.now()) }
  }

  /// Milliseconds on a clock that is never set.
  private static func now() -> Int64 { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }

  // MARK: Suspending

  /// Counts a request that is about to be suspended; `false`: the server is stopping, answer at once.
  func beginSuspension() -> Bool {
    gate.withLock { gate in
      if gate.isStopping { return false }
      gate.suspended += 1
      return true
    }
  }

  /// Counts a request that is about to be resumed.
  func endSuspension() { gate.withLock { $0.suspended -= 1 } }

  package var suspended: Int { gate.withLock { $0.suspended } }
  var isStopping: Bool { gate.withLock { $0.isStopping } }

  // MARK: Stopping

  /// From now on requests that would have to wait are refused; those that wait are answered.
  package func beginStopping() { gate.withLock { $0.isStopping = true } }

  /// Stops when nothing is suspended and every answer has been sent, or after `seconds`.
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

  /// Ten milliseconds, whether or not the task has been cancelled: it has.
  private static func pause() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { continuation.resume() }
    }
  }
}

/// The server could not listen.
package struct HTTPServerError: Error, CustomStringConvertible {
  let address: ListenAddress
  /// The option that named it.
  let option: String
  /// The system's error number, 0 where libmicrohttpd reported none.
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
