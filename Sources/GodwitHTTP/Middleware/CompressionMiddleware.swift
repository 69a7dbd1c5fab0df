/// Compresses texts with gzip for clients that accept it.
package struct CompressionMiddleware: ResponseMiddleware {
  /// Minimum bytes. A smaller response fits into one or two packets without compression.
  private static let minimumSize = 1024

  package init() {}

  package func complete(_ response: inout HTTPResponse, for request: HTTPRequest) {
    guard case .bytes(let bytes) = response.body, Self.isCompressible(response) else { return }
    response.headers.append(("Vary", "Accept-Encoding"))
    // zlib processes at most 4 GiB per call.
    guard bytes.count >= Self.minimumSize, bytes.count < Int(UInt32.max), Gzip.isAccepted(request.header("Accept-Encoding")),
      let compressed = Gzip.compressed(bytes)
    else { return }
    response.body = .bytes(compressed)
    for index in response.headers.indices where response.headers[index].name == "ETag" {
      response.headers[index].value = EntityTag.compressed(response.headers[index].value)
    }
    response.headers.append(("Content-Encoding", "gzip"))
  }

  private static func isCompressible(_ response: HTTPResponse) -> Bool {
    guard response.header("Content-Encoding") == nil, let type = response.header("Content-Type") else { return false }
    // Most responses have the first type. The substring search is the slowest check.
    return type == "application/json" || type.hasPrefix("text/")
      || ["json", "xml", "javascript", "vector-tile"].contains { type.contains($0) }
  }
}
