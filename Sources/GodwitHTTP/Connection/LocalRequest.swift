internal import Foundation
internal import Synchronization

/// A request of this process to a server in it.
public struct LocalRequest: Sendable {
  public var method: String
  /// Percent-decoded.
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

/// The answer to it.
public struct LocalResponse: Sendable {
  public var status: Int
  /// Names in small letters.
  public var headers: [String: String]
  /// Empty where the answer would be a stream of events.
  public var body: [UInt8]
}

extension HTTPServer {
  /// Answers a request of this process; the server need not listen. Blocks the thread until the answer is there.
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

  /// The same without blocking the thread.
  /// - Parameter completion: called once, on any thread.
  package func respond(_ request: LocalRequest, _ completion: @escaping @Sendable (LocalResponse) -> Void) {
    HTTPRequest.respond(request, by: self) { completion(Self.local($0)) }
  }

  private static func local(_ response: HTTPResponse) -> LocalResponse {
    var headers: [String: String] = [:]
    for header in response.headers {
      let name = header.name.lowercased()
      // Lines of one name are one list (RFC 9110, section 5.3), but for cookies.
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
