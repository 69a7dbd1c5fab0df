import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// A small web server on a free port of this machine, a thread for each connection: it takes what comes and answers what
/// the test says.
final class LocalServer: Sendable {
  struct Request: Sendable {
    var method: String
    /// Path and query.
    var target: String
    /// Names in small letters.
    var headers: [String: String]
    var body: [UInt8]
  }

  enum Answer: Sendable {
    case status(Int, String = "")
    /// The connection is closed without an answer.
    case nothing
  }

  let port: UInt16
  private let listener: Int32
  private let connections = Mutex<Set<Int32>>([])
  private let answer: @Sendable (Request) -> Answer

  /// - Parameter answer: called on the connection's thread, which it may hold up.
  init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    self.answer = answer
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard bound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { return }
        connections.withLock { _ = $0.insert(connection) }
        Thread.detachNewThread { [self] in serve(connection) }
      }
    }
  }

  func url(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }

  /// Listens no more and closes what is open.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    for connection in connections.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  private func serve(_ connection: Int32) {
    defer {
      connections.withLock { _ = $0.remove(connection) }
      close(connection)
    }
    var buffer: [UInt8] = []
    while let request = read(connection, &buffer) {
      guard case .status(let status, let text) = answer(request) else { return }
      let answer = "HTTP/1.1 \(status) Test\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
      guard Array(answer.utf8).withUnsafeBytes({ send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0
      else { return }
    }
  }

  /// The next request; `nil` at the end.
  private func read(_ connection: Int32, _ buffer: inout [UInt8]) -> Request? {
    while true {
      if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
        let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        while buffer.count < end.upperBound + length { guard receive(connection, &buffer) else { return nil } }
        let body = Array(buffer[end.upperBound..<end.upperBound + length])
        buffer.removeFirst(end.upperBound + length)
        return Request(method: String(words[0]), target: String(words[1]), headers: headers, body: body)
      }
      guard receive(connection, &buffer) else { return nil }
    }
  }

  private func receive(_ connection: Int32, _ buffer: inout [UInt8]) -> Bool {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(connection, &piece, piece.count, 0)
    guard count > 0 else { return false }
    buffer += piece[..<count]
    return true
  }
}
