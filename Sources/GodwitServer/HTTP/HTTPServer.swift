internal import CMicrohttpd
internal import Foundation
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// GNU libmicrohttpd as a Swift object: it listens, hands each request to `respond`, and lets a request wait
/// (suspended, holding no thread) until what it asked for is durable.
///
/// This file and `Exchange.swift` are the only ones in which C calls back into Swift.
final class HTTPServer: Sendable {
  struct Configuration: Sendable {
    var address: ListenAddress
    /// Threads that read requests and decode bodies.
    var threads = 2
    /// Largest body, after decompression, in bytes.
    var maximumBody = 64 << 20
    /// Most connections at once; the next ones wait in the kernel's queue.
    var maximumConnections = 4096
    /// Seconds without a byte after which a connection is closed.
    var idleTimeout: UInt32 = 30
    /// Seconds that a whole body may take, however it trickles.
    var bodyTimeout: Double = 120
  }

  /// What to do with a request whose headers are known (`.headers`) or that is complete (`.complete`).
  struct Handler: Sendable {
    /// Looks at the headers: a response refuses the request before its body is read.
    var accept: @Sendable (Exchange) -> HTTPResponse?
    /// Answers a complete request, at once or later.
    var respond: @Sendable (Exchange) -> HTTPReply
  }

  let configuration: Configuration
  let handler: Handler
  /// Requests that are suspended right now. libmicrohttpd must not be stopped before this is 0.
  let suspended = Atomic<Int>(0)
  let stopping = Atomic<Bool>(false)
  /// libmicrohttpd's daemon; only `start` and `stop` touch it.
  private let daemon = Mutex(State())

  private struct State {
    var daemon: UInt = 0
    /// The socket, once no new connections are taken.
    var listening: Int32 = -1
  }

  init(configuration: Configuration, handler: Handler) {
    self.configuration = configuration
    self.handler = handler
  }

  /// Listens. - Returns: the port, which the system chose if the configuration says 0.
  func start() throws(HTTPServerError) -> UInt16 {
    var storage = configuration.address.storage
    let daemon: OpaquePointer? = withUnsafePointer(to: &storage) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var options = godwit_http_options(
          address: address, ipv6: configuration.address.isIPv6 ? 1 : 0, threads: UInt32(max(1, configuration.threads)),
          // Room for the headers and for one read; larger reads mean fewer calls for large bodies.
          connection_memory: 64 << 10, connections: UInt32(configuration.maximumConnections),
          idle_seconds: configuration.idleTimeout, access: Exchange.access, completed: Exchange.completed,
          // The daemon is stopped before this object goes.
          context: Unmanaged.passUnretained(self).toOpaque())
        return godwit_start_daemon(&options)
      }
    }
    guard let daemon else { throw HTTPServerError(address: configuration.address, code: errno) }
    self.daemon.withLock { $0.daemon = UInt(bitPattern: daemon) }
    return godwit_bound_port(daemon)
  }

  /// Takes no new connections from now on; those that are there are answered.
  func quiesce() {
    stopping.store(true, ordering: .releasing)
    daemon.withLock { state in
      guard state.daemon != 0, state.listening < 0 else { return }
      // The socket stays open until the daemon has ended: its threads still take it out of their lists, and
      // libmicrohttpd aborts the program when it is gone by then.
      state.listening = MHD_quiesce_daemon(OpaquePointer(bitPattern: state.daemon))
    }
  }

  /// Ends. Every suspended request must have been resumed.
  func stop() {
    let ended = daemon.withLock { state in
      defer { state = State() }
      return state
    }
    if ended.daemon != 0 { MHD_stop_daemon(OpaquePointer(bitPattern: ended.daemon)) }
    if ended.listening >= 0 { close(ended.listening) }
  }
}

/// The server could not listen.
struct HTTPServerError: Error, CustomStringConvertible {
  let address: ListenAddress
  /// The system's error number, 0 where libmicrohttpd told none.
  let code: Int32

  var description: String {
    let why = code == 0 ? "the HTTP library gave no reason" : String(cString: strerror(code))
    var text = "Cannot listen on \(address): \(why)."
    if code == EADDRINUSE { text += " Another program uses that port; name another one with --listen." }
    if code == EACCES { text += " Ports below 1024 belong to root; name a higher one with --listen." }
    if code == EADDRNOTAVAIL { text += " This machine has no such address." }
    return text
  }
}
