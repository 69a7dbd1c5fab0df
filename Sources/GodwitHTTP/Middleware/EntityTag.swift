internal import Foundation
internal import GodwitDigests
internal import GodwitText

/// Entity tags (RFC 9110, 8.8.3): the name of an answer, so that a client is not sent what it has.
///
/// A tag is a hash of the answer, so it changes with whatever is in it, on every server of a database, and over restarts.
package enum EntityTag {
  /// What is put to the tag of an answer that is compressed: it is another one, byte by byte.
  private static let compressedSuffix = "-gz\""

  /// The tag of an answer: the first 16 bytes of its SHA-256.
  package static func of(_ bytes: [UInt8]) -> String {
    "\"\(Hexadecimal.text(SHA256Digest.of(bytes, prefix: 16)))\""
  }

  /// The tag of the same answer, compressed.
  static func compressed(_ tag: String) -> String { tag.hasSuffix("\"") ? tag.dropLast() + compressedSuffix : tag }

  /// Whether one of the tags of `If-None-Match` is this one (RFC 9110, 13.1.2: weak or not, compressed or not).
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

  /// Checks whether something is still as the request names it (`If-Match`: RFC 9110, 13.1.1).
  /// - Parameters:
  ///   - request: the request that would change it.
  ///   - current: what a GET would be answered with now.
  /// - Throws: ``Problem`` with a status of 412 when it is not.
  package static func check(_ request: HTTPRequest, _ current: @autoclosure () throws -> HTTPResponse) throws {
    guard let header = request.header("If-Match") else { return }
    try check(header, current())
  }

  /// The same for the value of the header.
  static func check(_ header: String, _ current: @autoclosure () throws -> HTTPResponse) throws {
    guard case .bytes(let bytes) = try current().body else { return }
    // A weak tag says too little for this.
    let tags = header.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.hasPrefix("W/") }
    if matches(tags.joined(separator: ","), of(bytes)) { return }
    throw Problem(
      412, "Changed meanwhile", "The resource no longer matches If-Match. Read it again, apply the change, and send its new ETag."
    )
  }
}

extension HTTPResponse {
  /// With the tag of its body, where a GET is answered with the same.
  package var tagged: HTTPResponse {
    guard case .bytes(let bytes) = body else { return self }
    return with("ETag", EntityTag.of(bytes))
  }
}
