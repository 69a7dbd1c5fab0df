import Foundation
import Godwit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A web server on a free port of this machine. It keeps what it was asked, and answers what it was told to.
final class RecordedServer: Sendable {
  struct Request: Sendable {
    var method: String
    /// As it came: before the question mark, not decoded.
    var path: String
    /// Decoded.
    var query: [String: String]
    /// Names in small letters.
    var headers: [String: String]
    var body: String

    /// The body as the fields of a form.
    var form: [String: String] { Self.fields(body.replacingOccurrences(of: "+", with: " ")) }

    static func fields(_ text: String) -> [String: String] {
      var fields: [String: String] = [:]
      for pair in text.split(separator: "&") {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        fields[parts[0]] = parts.count > 1 ? parts[1].removingPercentEncoding ?? "?" : ""
      }
      return fields
    }
  }

  struct Answer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body: String
  }

  struct Failure: Error, CustomStringConvertible { var description: String }

  /// What the server's thread and its owner share.
  private final class Log: Sendable {
    let requests = Mutex<[Request]>([])
  }

  let url: URL
  private let listener: Int32
  private let log = Log()

  /// The network, which keeps the server alive for as long as somebody holds it.
  var client: HTTPClient {
    let live = HTTPClient.live()
    return HTTPClient { [self] request in
      defer { withExtendedLifetime(self) {} }
      return try await live.send(request)
    }
  }

  var requests: [Request] { log.requests.withLock { $0 } }

  convenience init(_ body: String) throws { try self.init { _ in Answer(body: body) } }

  init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let listener = socket(AF_INET, stream, 0)
    guard listener >= 0 else { throw Failure(description: "no socket: \(String(cString: strerror(errno)))") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(listener, pointer, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, pointer, &length) == 0
      }
    }
    guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
      close(listener)
      throw Failure(description: "no free port: \(String(cString: strerror(errno)))")
    }
    self.listener = listener
    self.url = url
    let log = log
    let thread = Thread {
      while true {
        let connection = accept(listener, nil, nil)
        guard connection >= 0 else { break }
        if let request = Self.read(connection) {
          log.requests.withLock { $0.append(request) }
          Self.write(answer(request), to: connection)
        }
        close(connection)
      }
      #if os(Linux)
        close(listener)
      #endif
    }
    thread.name = "recorded-server"
    thread.start()
  }

  // Wakes the thread: on Linux by a shutdown, after which the thread closes the socket; elsewhere by the closing itself.
  deinit {
    #if os(Linux)
      shutdown(listener, Int32(SHUT_RDWR))
    #else
      close(listener)
    #endif
  }

  private static func read(_ connection: Int32) -> Request? {
    // A client that says nothing more holds up nobody for longer than this.
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var bytes: [UInt8] = []
    func more() -> Bool {
      var buffer = [UInt8](repeating: 0, count: 16384)
      let count = recv(connection, &buffer, buffer.count, 0)
      if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
      return count > 0
    }
    let blank = Array("\r\n\r\n".utf8)
    var end: Int?
    while end == nil {
      guard more() else { return nil }
      end = bytes.indices.first { bytes[$0...].starts(with: blank) }
    }
    guard let end else { return nil }
    var lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let first = lines.removeFirst().components(separatedBy: " ")
    guard first.count == 3 else { return nil }
    var headers: [String: String] = [:]
    for line in lines {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    if headers["expect"]?.lowercased() == "100-continue" { write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), to: connection) }
    let begin = end + blank.count
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    while bytes.count < begin + length { guard more() else { return nil } }
    let target = first[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return Request(
      method: first[0], path: target[0], query: Request.fields(target.count > 1 ? target[1] : ""), headers: headers,
      body: String(decoding: bytes[begin..<(begin + length)], as: UTF8.self))
  }

  private static func write(_ answer: Answer, to connection: Int32) {
    var headers = answer.headers
    headers["Content-Type"] = headers["Content-Type"] ?? "application/json"
    headers["Content-Length"] = "\(answer.body.utf8.count)"
    headers["Connection"] = "close"
    let lines = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
    write(Array("HTTP/1.1 \(answer.status) Recorded\r\n\(lines)\r\n\(answer.body)".utf8), to: connection)
  }

  private static func write(_ bytes: [UInt8], to connection: Int32) {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
      var yes: Int32 = 1
      setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
