internal import GodwitHTTP

/// `POST /api/v1/qr`: returns a text as a QR code. The server encodes the text itself, so that a token in the text is sent
/// to no other service.
struct QRAPI {
  struct QRText: BodyObject {
    let text: String
    static let kind = "QR code"
  }

  struct QRRows: ResultObject {
    var rows: [String]
    static let notes: [String: JSONValue] = [
      "rows": ["items": ["type": "string", "pattern": "^[01]+$"], "description": "1 for a dark module."]
    ]
  }

  func make(_ request: BodyRequest<QRText>) async throws -> NotStored<QRRows> {
    let text = request.body.text
    guard let matrix = QRMatrix(text) else {
      throw Problem(
        422, "Too long", "A QR code holds at most 2,953 bytes and no zero byte; this text has \(text.utf8.count).", at: "text")
    }
    return NotStored(QRRows(rows: matrix.rows))
  }
}
