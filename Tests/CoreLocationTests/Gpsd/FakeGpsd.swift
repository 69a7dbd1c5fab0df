import Foundation
import Glibc
import Testing

/// A minimal gpsd: on each connection it responds to each `?WATCH` with a text, and closes the connection after the last one.
final class FakeGpsd: Sendable {
  let port: UInt16
  private let socket: Int32

  /// - Parameter connections: The responses on the first connection, on the second, and so on. After the last connection the
  ///   server closes its socket.
  init(_ connections: [[String]]) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 4) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
    self.socket = socket
    Thread {
      for responses in connections {
        let connection = accept(socket, nil, nil)
        if connection < 0 { return }
        for response in responses {
          // The client sends first: ?WATCH=…
          var buffer = [UInt8](repeating: 0, count: 256)
          _ = recv(connection, &buffer, buffer.count, 0)
          _ = send(connection, response, response.utf8.count, Int32(MSG_NOSIGNAL))
        }
        close(connection)
      }
      close(socket)
    }.start()
  }
}
