public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Sends one request and brings its answer: the outside world of the delivery, as a value that a test replaces.
public struct HTTPClient: Sendable {
  public struct Request: Sendable {
    public var method: String
    public var url: URL
    public var headers: [String: String]
    public var body: [UInt8]
    /// Seconds without an answer.
    public var timeout: Double

    public init(
      method: String = "POST", url: URL, headers: [String: String] = [:], body: [UInt8] = [], timeout: Double = 60
    ) {
      self.method = method
      self.url = url
      self.headers = headers
      self.body = body
      self.timeout = timeout
    }
  }

  public struct Answer: Sendable {
    public var status: Int
    /// Names in small letters.
    public var headers: [String: String]
    public var body: [UInt8]
    public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
      self.status = status
      self.headers = headers
      self.body = body
    }
  }

  /// - Throws: when there was no answer at all.
  public var send: @Sendable (Request) async throws -> Answer

  public init(send: @escaping @Sendable (Request) async throws -> Answer) { self.send = send }

  /// Over the network: no cookies, no cache, no redirects (a redirected POST would arrive as a GET).
  public static func live() -> HTTPClient {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.httpMaximumConnectionsPerHost = 2
    let session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    return HTTPClient { request in
      var urlRequest = URLRequest(url: request.url, timeoutInterval: request.timeout)
      urlRequest.httpMethod = request.method
      for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
      if !request.body.isEmpty { urlRequest.httpBody = Data(request.body) }
      let (data, response) = try await session.data(for: urlRequest)
      guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      var headers: [String: String] = [:]
      for (name, value) in response.allHeaderFields {
        if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
      }
      return Answer(status: response.statusCode, headers: headers, body: Array(data.prefix(1 << 20)))
    }
  }
}

/// Answers every redirect with "no".
private final class NoRedirects: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
