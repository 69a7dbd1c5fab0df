internal import GodwitAPI

/// A QR code for a terminal. A character cell shows two modules. They are dark on light in all color schemes of terminals.
package enum QRCode {
  /// Returns the lines of the code; `nil` if the text is too long for a code.
  package static func lines(_ text: String) -> [String]? {
    guard let code = QRMatrix(text) else { return nil }
    // The standard (ISO/IEC 18004) requires a quiet zone of four modules; two are sufficient on a screen.
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
