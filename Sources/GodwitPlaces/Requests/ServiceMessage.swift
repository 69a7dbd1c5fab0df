/// Sanitizes an error message of a service for logs.
enum ServiceMessage {
  /// Returns the message in one line without its full stop, with at most 200 characters; `nil` if it is empty.
  /// - Parameter hidden: Texts to remove: keys, tokens and the texts of the coordinate.
  static func safe(_ text: String, hiding hidden: [String]) -> String? {
    var text = text
    // Longest first, because a short text can be part of a longer one.
    for secret in hidden.filter({ !$0.isEmpty }).sorted(by: { $0.count > $1.count }) {
      text = text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
    }
    // A URL may contain the request's query. A number with three or more decimals can be a coordinate.
    text.replace(#/\?[^\s"'<>]*=[^\s"'<>]*/#, with: "")
    text.replace(#/-?[0-9]+\.[0-9]{3,}/#, with: "…")
    let words = text.split(whereSeparator: { $0.isWhitespace || $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } })
    text = words.joined(separator: " ")
    if text.count > 200 { text = String(text.prefix(199)) + "…" }
    while text.hasSuffix(".") { text.removeLast() }
    return text.isEmpty ? nil : text
  }
}
