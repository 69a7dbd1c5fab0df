import Foundation
import Godwit
import Testing

/// Asks a server, over the tracker's own client: Foundation's session keeps a processor busy on Linux while it waits for answers that
/// take long, at a precedence before those who are to give them.
func ask(
  _ method: String, _ address: String, _ body: String? = nil, token: String? = nil, headers: [String: String] = [:]
) async throws -> Answer {
  var headers = headers
  if let token { headers["Authorization"] = "Bearer \(token)" }
  if body != nil, headers["Content-Type"] == nil { headers["Content-Type"] = "application/json" }
  let url = try #require(URL(string: address))
  let answer = try await client.send(
    HTTPClient.Request(method: method, url: url, headers: headers, body: Array((body ?? "").utf8)))
  return Answer(status: answer.status, headers: answer.headers, body: answer.body)
}

private let client = HTTPClient.live()

/// What a server answered.
struct Answer {
  var status: Int
  /// Names in small letters.
  var headers: [String: String]
  var body: [UInt8]

  var text: String { String(decoding: body, as: UTF8.self) }
  /// The JSON object that it is; an empty one where it is none.
  var object: [String: Any] { (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:] }
}
