internal import GodwitAPI

/// A QR code for a terminal: two modules in a character cell, dark on light whatever the terminal's colours.
package enum QRCode {
  /// Lines of text, or `nil` when the text is too long for a code.
  package static func lines(_ text: String) -> [String]? {
    guard let code = QRMatrix(text) else { return nil }
    // The quiet zone of four modules that the standard (ISO/IEC 18004) requires; two do on a screen.
    let margin = 2
    return stride(from: -margin, to: code.width + margin, by: 2).map { y in
      var line = "\u{1B}[30;47m"
      for x in -margin..<code.width + margin {
        switch (code.isDark(x, y), code.isDark(x, y + 1)) {
        case (true, true): line += "█"
        case (true, false): line += "▀"
        case (false, true): line += "▄"
        case (false, false): line += " "
        }
      }
      return line + "\u{1B}[0m"
    }
  }
}
