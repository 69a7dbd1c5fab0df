/// What a service says of a fault, made fit for a log.
enum ServiceMessage {
  /// One line without its full stop, at most 200 characters; `nil` when nothing is left.
  /// - Parameter hidden: what must not be in it: keys, tokens, the coordinate's spellings.
  static func safe(_ text: String, hiding hidden: [String]) -> String? {
    var text = text
    // The longest first: a short one may be a part of it.
    for secret in hidden.filter({ !$0.isEmpty }).sorted(by: { $0.count > $1.count }) {
      text = text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
    }
    // An address may repeat the request's query; a number with three decimals and more can be a coordinate.
    text.replace(#/\?[^\s"'<>]*=[^\s"'<>]*/#, with: "")
    text.replace(#/-?[0-9]+\.[0-9]{3,}/#, with: "…")
    let words = text.split(whereSeparator: { $0.isWhitespace || $0.isNewline || $0.unicodeScalars.contains { $0.value < 0x20 } })
    text = words.joined(separator: " ")
    if text.count > 200 { text = String(text.prefix(199)) + "…" }
    while text.hasSuffix(".") { text.removeLast() }
    return text.isEmpty ? nil : text
  }
}
