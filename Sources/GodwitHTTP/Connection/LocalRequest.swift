internal import Foundation
internal import Synchronization

/// A request of this process to its own server.
public struct LocalRequest: Sendable {
  public var method: String
  /// The path, percent-decoded.
  public var path: String
  public var query: [String: String]
  public var headers: [String: String]
  public var body: [UInt8]

  public init(
    method: String = "POST", path: String, query: [String: String] = [:], headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }
}

/// The response to a ``LocalRequest``.
public struct LocalResponse: Sendable {
  public var status: Int
  /// The headers, with names in lowercase.
  public var headers: [String: String]
  /// The body; empty for a stream of events.
  public var body: [UInt8]
}

extension HTTPServer {
  /// Answers a request of this process. The server need not listen. Blocks the thread until the response is complete.
  package func respond(_ request: LocalRequest) -> LocalResponse {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex(LocalResponse(status: 500, headers: [:], body: []))
    respond(request) { response in
      result.withLock { $0 = response }
      done.signal()
    }
    done.wait()
    return result.withLock { $0 }
  }

  /// Answers a request of this process without blocking the thread.
  /// - Parameter completion: called once, on any thread.
  package func respond(_ request: LocalRequest, _ completion: @escaping @Sendable (LocalResponse) -> Void) {
    HTTPRequest.respond(request, by: self) { completion(Self.local($0)) }
  }

  private static func local(_ response: HTTPResponse) -> LocalResponse {
    var headers: [String: String] = [:]
    for header in response.headers {
      let name = header.name.lowercased()
      // Several lines with the same name form one list (RFC 9110, section 5.3), except cookies.
      if let former = headers[name], name != "set-cookie" {
        headers[name] = "\(former), \(header.value)"
      } else {
        headers[name] = header.value
      }
    }
    var body: [UInt8] = []
    switch response.body {
    case .bytes(let bytes): body = bytes
    case .events: break
    case .streaming(let pieces):
      do { while let piece = try pieces.next() { body += piece } } catch {
        return LocalResponse(status: 503, headers: headers, body: Array("\(error)".utf8))
      }
    }
    return LocalResponse(status: response.status, headers: headers, body: body)
  }
}
