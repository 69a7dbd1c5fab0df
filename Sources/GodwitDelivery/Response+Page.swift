internal import Foundation
internal import GodwitHTTPClient

extension HTTPClient.Response {
  /// Why this is a web page and not a response of an endpoint, as a sentence; `nil`: it is not a web page.
  var pageProblem: String? {
    guard isPage else { return nil }
    return "The server answered with status \(status) and a page. Is the address right, and is a login needed? A proxy or "
      + "the wifi of a hotel may have answered instead."
  }

  /// Whether the response is meant for a browser: the content type is HTML, or the body begins like HTML.
  private var isPage: Bool {
    let type = headers["content-type"]?.lowercased() ?? ""
    if type.contains("html") {
      // Small scripts leave the default content type. Their body is empty, "OK", or the acknowledgement of the protocol.
      return !body.isEmpty && !isAcknowledgement
    }
    return Self.beginsLikePage(body) && !type.contains("xml")
  }

  private var isAcknowledgement: Bool {
    let word = String(decoding: body.prefix(10), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    if body.count <= 10, word.lowercased() == "ok" { return true }
    let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    return object?["result"] as? String == "ok"
  }

  /// Returns whether the first byte that is not white space opens a tag.
  static func beginsLikePage(_ body: [UInt8]) -> Bool {
    let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return (body.starts(with: byteOrderMark) ? body.dropFirst(3) : body[...]).first { $0 > 0x20 } == UInt8(ascii: "<")
  }

  /// Whether a Godwit server has responded. Its response counts new and known records.
  var isGodwits: Bool {
    guard (200..<300).contains(status), String(decoding: body.prefix(200), as: UTF8.self).contains("\"duplicates\"") else {
      return false
    }
    let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
    return object?["result"] as? String == "ok" && object?["saved"] is Int && object?["duplicates"] is Int
      && object?["rejected"] is [Any]
  }
}
