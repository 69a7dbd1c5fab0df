internal import CQREncode

/// A QR code for a terminal: two modules in a character cell, dark on light whatever the terminal's colours.
enum QRCode {
  /// Lines of text, or `nil` when the text is too long for a code.
  static func lines(_ text: String) -> [String]? {
    guard let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard let modules = code.pointee.data else { return nil }
    // The quiet zone of four modules that the standard (ISO/IEC 18004) asks for; two do on a screen.
    let margin = 2
    func isDark(_ x: Int, _ y: Int) -> Bool {
      guard x >= 0, y >= 0, x < width, y < width else { return false }
      return modules[y * width + x] & 1 == 1
    }
    return stride(from: -margin, to: width + margin, by: 2).map { y in
      var line = "\u{1B}[30;47m"
      for x in -margin..<width + margin {
        switch (isDark(x, y), isDark(x, y + 1)) {
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
