import Foundation
import GodwitPlaces
import TestServer

/// A web server that sends recorded responses and stores the requests.
final class RecordedServer: Sendable {
  struct Request: Sendable {
    var method: String
    /// The target before the question mark, not decoded.
    var path: String
    /// The decoded query parameters.
    var query: [String: String]
    /// Headers with lowercase names.
    var headers: [String: String]
    var body: String

    /// The fields of the body as a form.
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

  struct Response: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body: String
  }

  let url: URL
  private let server: LocalServer

  /// A client that sends requests over the network. It retains the server.
  var client: HTTPClient {
    let live = HTTPClient.live()
    return HTTPClient { [self] request in
      defer { withExtendedLifetime(self) {} }
      return try await live.send(request)
    }
  }

  var requests: [Request] { server.requests.map { Request($0) } }

  convenience init(_ body: String) throws { try self.init { _ in Response(body: body) } }

  init(_ response: @escaping @Sendable (Request) -> Response) throws {
    server = try LocalServer { request, connection in
      let response = response(Request(request))
      let headers = ["Content-Type": "application/json", "Connection": "close"].merging(response.headers) { $1 }
      connection.respond("\(response.status) Recorded", headers: headers, body: Array(response.body.utf8))
      connection.hangUp()
    }
    url = try server.url("")
  }
}

extension RecordedServer.Request {
  fileprivate init(_ request: LocalServer.Request) {
    let target = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    self.init(
      method: request.method, path: target[0], query: Self.fields(target.count > 1 ? target[1] : ""),
      headers: request.headers, body: String(decoding: request.body, as: UTF8.self))
  }
}
