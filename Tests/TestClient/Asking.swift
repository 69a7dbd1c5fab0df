import Foundation
import Godwit
import GodwitHTTPClient

/// Sends a request to a server with the tracker's own client. Foundation's session on Linux keeps a processor busy while it waits for
/// slow responses, at a higher priority than the tasks that respond.
/// - Throws: ``HTTPError`` if there is no response, or if it is too long for the client.
public func ask(
  _ method: String, _ address: String, bytes: [UInt8]?, token: String? = nil, headers: [String: String] = [:]
) async throws -> Response {
  var headers = headers
  if let token { headers["Authorization"] = "Bearer \(token)" }
  guard let url = URL(string: address) else { throw HTTPError("\(address) is not a valid address.") }
  let response = try await client.send(HTTPClient.Request(method: method, url: url, headers: headers, body: bytes ?? []))
  guard response.body.count < HTTPClient.maximumResponseSize else {
    throw HTTPError("\(address) answers with more than is read here.")
  }
  return Response(status: response.status, headers: response.headers, body: response.body)
}

/// Sends a request with a text body. The type is JSON, unless `headers` contain another one.
public func ask(
  _ method: String, _ address: String, _ body: String? = nil, token: String? = nil, headers: [String: String] = [:]
) async throws -> Response {
  var headers = headers
  if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
  return try await ask(method, address, bytes: body.map { Array($0.utf8) }, token: token, headers: headers)
}

private let client = HTTPClient.live()

/// The response of a server.
public struct Response: Sendable {
  public var status: Int
  /// The headers, with lowercase names.
  public var headers: [String: String]
  public var body: [UInt8]

  public init(status: Int, headers: [String: String], body: [UInt8]) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  public var text: String { String(decoding: body, as: UTF8.self) }
  /// The body as a JSON object; empty if the body is not one.
  public var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
}
