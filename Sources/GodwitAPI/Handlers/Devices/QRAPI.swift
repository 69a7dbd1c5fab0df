internal import GodwitHTTP
internal import GodwitText

/// `POST /api/v1/qr`: a text as a QR code. The server makes it, so that a token in it is sent to no other service.
struct QRAPI {
  func make(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    var body = try JSONBody(request.takeBody(), "QR code")
    let text = try body.needed("text")
    try body.end()
    guard let matrix = QRMatrix(text) else {
      throw Problem(
        422, "Too long", "A QR code holds 2,953 bytes, and none that is 0; this text has \(text.utf8.count).", at: "text")
    }
    let rows = matrix.rows.map(\.jsonQuoted).joined(separator: ",")
    return .now(JSONText.response(#"{"rows":[\#(rows)]}"#).with("Cache-Control", "no-store"))
  }
}
