extension StringProtocol {
  /// The text without control characters and blanks (U+0000…U+0020) at both ends.
  package var trimmed: String {
    var rest = Substring(self).unicodeScalars[...]
    while let first = rest.first, first.value <= 0x20 { rest.removeFirst() }
    while let last = rest.last, last.value <= 0x20 { rest.removeLast() }
    return String(rest)
  }
}
