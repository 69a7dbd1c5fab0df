internal import Foundation
package import GodwitHTTP
package import GodwitText
internal import GodwitWire

/// The encoding of the fields in a request body.
package enum PostedForm: Hashable {
  /// A form, JSON or text. The content of the body decides which.
  case text
  /// `multipart/form-data`, with the complete header.
  case multipart(String)
  /// A content type that none of the supported clients sends.
  case other(String)

  /// - Parameter header: the header `Content-Type`. Many scripts do not send it.
  package init(_ header: String?) {
    let type = (header?.prefix { $0 != ";" }).map { $0.trimmingCharacters(in: .whitespaces).lowercased() } ?? ""
    switch type {
    case "", "application/x-www-form-urlencoded", "application/json", "text/json", "text/plain": self = .text
    case "multipart/form-data": self = .multipart(header ?? "")
    default: self = type.hasPrefix("application/") && type.hasSuffix("+json") ? .text : .other(type)
    }
  }

  /// Returns the query and the body as one form. A JSON body is returned without the query.
  /// - Throws: `FormatError` if a multipart body is invalid.
  package func text(_ query: [(name: String, value: String)], _ body: [UInt8]) throws(FormatError) -> [UInt8] {
    if case .multipart(let header) = self, !body.isEmpty {
      let form = try MultipartForm(body, contentType: header)
      let files = form.files.map { (name: $0.name, value: "\($0.type), \($0.size) bytes") }
      return Array(QueryString.encoded(query + form.fields + files).utf8)
    }
    let first = body.first { $0 > 0x20 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return body }
    let text = Array(QueryString.encoded(query).utf8)
    if first == nil { return text }
    return text.isEmpty ? body : text + [UInt8(ascii: "&")] + body
  }

  package static func rejection(of type: String) -> Problem {
    Problem(
      415, "Unknown media type",
      "Content-Type is \(String(type.prefix(80)).debugDescription). Send application/x-www-form-urlencoded, multipart/form-data, "
        + "application/json or text/plain.", at: "header Content-Type")
  }
}
