internal import CQREncode
internal import GodwitHTTP

/// The modules of a QR code (ISO/IEC 18004), by libqrencode.
package struct QRMatrix: Sendable {
  /// The number of modules of a side, without the quiet zone.
  package let width: Int
  private let dark: [Bool]

  /// - Parameter text: the content. The initializer returns `nil` if the content is too long for a QR code or contains a
  ///   NUL.
  package init?(_ text: String) {
    // libqrencode treats a NUL as the end of the text.
    guard !text.utf8.contains(0), let code = QRcode_encodeString(text, 0, QR_ECLEVEL_L, QR_MODE_8, 1) else { return nil }
    defer { QRcode_free(code) }
    guard let modules = code.pointee.data else { return nil }
    let width = Int(code.pointee.width)
    self.width = width
    dark = (0..<(width * width)).map { modules[$0] & 1 == 1 }
  }

  /// Whether a module is dark; `false` for modules outside of the code.
  package func isDark(_ x: Int, _ y: Int) -> Bool {
    x >= 0 && y >= 0 && x < width && y < width && dark[y * width + x]
  }

  /// The rows of the code as strings of `0` and `1`.
  var rows: [String] {
    (0..<width).map { y in String((0..<width).map { isDark($0, y) ? "1" : "0" }) }
  }
}
