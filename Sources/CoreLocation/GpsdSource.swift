internal import Dispatch
internal import Foundation
internal import Glibc
internal import Synchronization

/// Positions from gpsd, the daemon for receivers, over TCP (`?WATCH`, JSON). Connects again when the daemon or the
/// receiver goes away, after 1 s, then 2 s, … 30 s.
///
/// gpsd may tell the same moment several times; the first one counts.
public final class GpsdSource: PositionSource {
  public let host: String
  public let port: UInt16

  public init(host: String, port: UInt16 = 2947) {
    self.host = host
    self.port = port
  }

  /// Reads `gpsd://HOST`, or `gpsd://HOST:PORT`; `nil` for anything else.
  public convenience init?(address: String) {
    guard let parts = URLComponents(string: address), parts.scheme == "gpsd", let host = parts.host, !host.isEmpty,
      parts.path.isEmpty || parts.path == "/"
    else { return nil }
    guard let port = UInt16(exactly: parts.port ?? 2947) else { return nil }
    self.init(host: host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: port)
  }

  public var isSimulated: Bool { false }

  public func run(_ tell: @escaping @Sendable (PositionEvent) async -> Void) async throws {
    var delay = 1.0
    var reader = GpsdReader()
    while true {
      try Task.checkCancellation()
      do {
        for try await chunk in GpsdConnection.bytes(host: host, port: port) {
          for event in reader.feed(chunk) {
            if case .positions = event { delay = 1 }
            await tell(event)
          }
        }
        try Task.checkCancellation()
        await tell(.unavailable("gpsd at \(host):\(port) closed the connection. Trying again."))
      } catch let error as GpsdConnection.Failure {
        await tell(
          .unavailable(
            "gpsd at \(host):\(port): \(error.reason). Is it running? `systemctl status gpsd` tells. Trying again."))
      }
      reader.disconnected()
      try await Task.sleep(for: .seconds(delay))
      delay = min(30, delay * 2)
    }
  }
}

/// A TCP connection to gpsd, read by a thread of its own: reading waits, and the pool of Swift's tasks must not.
enum GpsdConnection {
  struct Failure: Error { let reason: String }

  /// Pieces that may wait for a slow listener; then the oldest are dropped. gpsd sends a few a second.
  private static let waitingPieces = 1024

  static func bytes(host: String, port: UInt16) -> AsyncThrowingStream<[UInt8], any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(waitingPieces)) { continuation in
      let isCancelled = SharedFlag()
      continuation.onTermination = { _ in isCancelled.raise() }
      let thread = Thread {
        do {
          let socket = try connect(host, port)
          defer { close(socket) }
          let watch = Array("?WATCH={\"enable\":true,\"json\":true};\n".utf8)
          guard send(socket, watch, watch.count, Int32(MSG_NOSIGNAL)) == watch.count else {
            throw Failure(reason: lastError)
          }
          var buffer = [UInt8](repeating: 0, count: 16 << 10)
          while !isCancelled.isRaised {
            var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            // Half a second: how soon a cancellation is noticed.
            guard poll(&entry, 1, 500) > 0 else { continue }
            let count = recv(socket, &buffer, buffer.count, 0)
            if count == 0 { break }
            if count < 0 {
              if errno == EINTR || errno == EAGAIN { continue }
              throw Failure(reason: lastError)
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
        if Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 { return socket }
        reason = lastError
        close(socket)
      } else {
        reason = lastError
      }
      next = address.ai_next
    }
    throw Failure(reason: reason)
  }

  private static var lastError: String { String(cString: strerror(errno)) }
}

/// A flag that one thread raises and another looks at.
private final class SharedFlag: Sendable {
  private let value = Atomic<Bool>(false)
  func raise() { value.store(true, ordering: .releasing) }
  var isRaised: Bool { value.load(ordering: .acquiring) }
}
