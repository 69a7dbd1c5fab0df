internal import Foundation
internal import Glibc
internal import Synchronization

/// A TCP connection to gpsd. A separate thread reads it, because reading blocks, and the pool of Swift's tasks must not be
/// blocked.
final class GpsdConnection: Sendable {
  struct Failure: Error { let reason: String }

  /// Maximum chunks that wait for a slow reader; beyond it the oldest are dropped. gpsd sends a few chunks each second.
  private static let waitingPieces = 1024

  /// Timeout of a connection attempt to an address, in seconds.
  private static let connectTimeout = 10

  /// The request that is sent first, and again when a receiver was plugged in again.
  private static let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)

  private let host: String
  private let port: UInt16
  private let isCancelled = Atomic<Bool>(false)
  private let mustWatch = Atomic<Bool>(true)

  init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Requests all reports from gpsd again, within half a second.
  func watch() { mustWatch.store(true, ordering: .releasing) }

  /// Connects and returns the received chunks until gpsd closes the connection. While gpsd sends nothing, an empty chunk is
  /// returned twice a second. Call it once.
  func bytes() -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(Self.waitingPieces)) { continuation in
      continuation.onTermination = { [self] _ in isCancelled.store(true, ordering: .releasing) }
      let thread = Thread { [self] in
        do {
          let socket = try Self.connect(host, port)
          defer { close(socket) }
          var buffer = [UInt8](repeating: 0, count: 16 << 10)
          while !isCancelled.load(ordering: .acquiring) {
            if mustWatch.exchange(false, ordering: .acquiringAndReleasing) {
              guard send(socket, Self.watch, Self.watch.count, Int32(MSG_NOSIGNAL)) == Self.watch.count else {
                throw Failure(reason: Self.lastError)
              }
            }
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            // Half a second: the delay with which a cancellation or a request is noticed.
            guard poll(&entry, 1, 500) > 0 else {
              // Reports that the connection still exists.
              continuation.yield([])
              continue
            }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count == 0 { break }
            if count < 0 {
              if errno == EINTR || errno == EAGAIN { continue }
              throw Failure(reason: Self.lastError)
            }
            continuation.yield(Array(buffer[..<count]))
          }
          continuation.finish()
        } catch {
          continuation.finish(throwing: error)
        }
      }
      thread.name = "godwit-gpsd"
      thread.start()
    }
  }

  private static func connect(_ host: String, _ port: UInt16) throws -> Int32 {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else { throw Failure(reason: String(cString: gai_strerror(code))) }
    defer { freeaddrinfo(list) }
    var reason = "it has no address"
    var next = list
    while let entry = next {
      let address = entry.pointee
      let socket = Glibc.socket(address.ai_family, address.ai_socktype, address.ai_protocol)
      if socket >= 0 {
        // On Linux, the timeout for sending also applies to connecting.
        var limit = timeval(tv_sec: connectTimeout, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 {
          enableKeepAlive(socket)
          return socket
        }
        reason = errno == EINPROGRESS ? "no answer within \(connectTimeout) seconds" : lastError
        close(socket)
      } else {
        reason = lastError
      }
      next = address.ai_next
    }
    throw Failure(reason: reason)
  }

  /// Detects within a minute that the other machine no longer responds: after 30 s without data, three probes at intervals of 10
  /// s.
  private static func enableKeepAlive(_ socket: Int32) {
    let options = [
      (SOL_SOCKET, SO_KEEPALIVE, 1), (Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30), (Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10),
      (Int32(IPPROTO_TCP), TCP_KEEPCNT, 3),
    ]
    for (level, name, value) in options {
      var value = Int32(value)
      setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  private static var lastError: String { String(cString: strerror(errno)) }
}
