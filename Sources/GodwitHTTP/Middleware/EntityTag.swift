internal import Foundation
internal import GodwitDigests
internal import GodwitText

/// Entity tags (RFC 9110, 8.8.3), by which a client avoids downloading a response that it already has.
///
/// A tag is a hash of the response body. It is the same on every server of a database and after restarts.
package enum EntityTag {
  /// The end of the tag of a compressed response, whose bytes differ.
  private static let compressedSuffix = "-gz\""

  /// Returns the tag of a body: the first 16 bytes of its SHA-256.
  package static func of(_ bytes: [UInt8]) -> String {
    "\"\(Hexadecimal.text(SHA256Digest.of(bytes, prefix: 16)))\""
  }

  /// Returns the tag of the same response in compressed form.
  static func compressed(_ tag: String) -> String { tag.hasSuffix("\"") ? tag.dropLast() + compressedSuffix : tag }

  /// Whether `If-None-Match` contains a tag, weak or strong, of the compressed or the uncompressed response (RFC 9110,
  /// 13.1.2).
  package static func matches(_ header: String?, _ tag: String) -> Bool {
    guard let header else { return false }
    return header.split(separator: ",").contains { part in
      let word = part.trimmingCharacters(in: .whitespaces)
      return word == "*" || plain(word.hasPrefix("W/") ? String(word.dropFirst(2)) : word) == plain(tag)
    }
  }

  private static func plain(_ tag: String) -> String {
    tag.hasSuffix(compressedSuffix) ? tag.dropLast(compressedSuffix.count) + "\"" : tag
  }

  /// Checks the precondition `If-Match` of a request (RFC 9110, 13.1.1). Without the header, there is no precondition.
  /// - Parameters:
  ///   - request: the request that would change the resource.
  ///   - current: the current response to GET.
  /// - Throws: ``Problem`` with status 412 if no tag matches.
  package static func check(_ request: HTTPRequest, _ current: @autoclosure () throws -> HTTPResponse) throws {
    guard let header = request.header("If-Match") else { return }
    try check(header, current())
  }

  /// Checks the value of `If-Match`.
  static func check(_ header: String, _ current: @autoclosure () throws -> HTTPResponse) throws {
    guard case .bytes(let bytes) = try current().body else { return }
    // `If-Match` requires strong tags.
    let tags = header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasPrefix("W/") }
    if matches(tags.joined(separator: ","), of(bytes)) { return }
    throw Problem(
      412, "Changed meanwhile", "The resource no longer matches If-Match. Read it again, apply the change, and send its new ETag."
    )
  }
}

extension HTTPResponse {
  /// The response with the tag of its body. Valid only if GET returns the same body.
  package var tagged: HTTPResponse {
    guard case .bytes(let bytes) = body else { return self }
    return with("ETag", EntityTag.of(bytes))
  }
}
