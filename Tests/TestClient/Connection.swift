import Foundation
import Godwit
import GodwitHTTPClient
import Synchronization

/// A connection to a server on this machine, for sending and receiving arbitrary bytes.
///
/// No bytes are read until the test calls `receive`, as with clients that send all data before they read.
public final class Connection: Sendable {
  /// The socket, shared by the reading thread and the test.
  private final class Socket: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
  }

  private let socket: Socket
  private let pieces: AsyncStream<[UInt8]>
  private let received: AsyncStream<[UInt8]>.Continuation
  private let isReading = Atomic<Bool>(false)

  /// Connects to a server.
  /// - Parameters:
  ///   - port: the port of the server.
  ///   - last: the last number of the client's address, 127.0.0.`last`; `nil` to let the system choose it.
  ///   - server: the last number of the server's address, 127.0.0.`server`.
  /// - Throws: ``HTTPError`` if no server listens there.
  public init(port: UInt16, from last: UInt8? = nil, to server: UInt8 = 1) throws {
    socket = Socket(Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
    (pieces, received) = AsyncStream.makeStream()
    if let last {
      guard Self.with(last, 0, { bind(socket.descriptor, $0, $1) }) == 0 else {
        throw HTTPError("127.0.0.\(last) is no address of this machine.")
      }
    }
    guard Self.with(server, port, { connect(socket.descriptor, $0, $1) }) == 0 else {
      throw HTTPError("No server listens on 127.0.0.\(server):\(port).")
    }
  }

  /// Calls a function with the socket address 127.0.0.`last`:`port`.
  private static func with(_ last: UInt8, _ port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(last)).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  deinit { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

  /// Sends bytes, and blocks while the server does not read them.
  /// - Returns: whether all bytes were sent.
  @discardableResult
  public func send(_ bytes: some Sequence<UInt8>) -> Bool {
    Array(bytes).withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = Foundation.send(
          socket.descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Receives the bytes after those of the last call, until the condition is true or the server closes the connection.
  /// - Returns: the received text.
  public func receive(until isEnough: (String) -> Bool) async -> String {
    if !isReading.exchange(true, ordering: .relaxed) { Thread { [socket, received] in Self.read(socket, received) }.start() }
    var all: [UInt8] = []
    for await piece in pieces {
      all += piece
      let text = String(decoding: all, as: UTF8.self)
      if isEnough(text) { return text }
    }
    return String(decoding: all, as: UTF8.self)
  }

  private static func read(_ socket: Socket, _ received: AsyncStream<[UInt8]>.Continuation) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = recv(socket.descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return received.finish() }
      received.yield(Array(buffer[..<count]))
    }
  }
}
