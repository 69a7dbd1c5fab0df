internal import Foundation
internal import GodwitFormats
internal import GodwitModel

/// Overland in.
struct OverlandReceiver {
  let server: Server
  init(_ server: Server) { self.server = server }

  func respond(_ exchange: Exchange) -> HTTPReply {
    Intake.take(exchange, server, "an Overland request") { (intake, body) throws(FormatError) in
      let request = try Overland.read(body)
      var refusals = request.refused.map {
        Refused(place: $0.place.description, reason: $0.reason, raw: $0.raw)
      }
      let range = exchange.header(SequenceRange.header).flatMap { text in
        let range = SequenceRange(text)
        if range == nil { refusals.append(Self.badRange(text)) }
        return range
      }
      let broken = request.broken
      // Here and not after the commit: the store's thread has other things to do.
      let hint = server.regionNews.hint(device: intake.device.id)?.description
      let rejected = request.refused.map { (index: $0.index, reason: "\($0.reason) (\($0.place))") }
      // Of a request that broke off nobody knows what it would have covered.
      return intake.submit(request.records, refusals, range: broken == nil ? range : nil) { (stored) -> HTTPResponse in
        var answer: [UInt8] = []
        Overland.writeAnswer(
          saved: stored.saved, duplicates: stored.duplicates, rejected: rejected,
          error: broken.map { "The body is no valid JSON: \($0). What came before it is stored." }, into: &answer)
        if let hint { Self.append(regions: hint, to: &answer) }
        return .json(answer, status: broken == nil ? 200 : 400)
      }
    }
  }

  /// Adds what makes a tracker sync: the digest of the regions that it would get.
  private static func append(regions digest: String, to answer: inout [UInt8]) {
    guard answer.last == UInt8(ascii: "}") else { return }
    answer.removeLast()
    answer += Array(#","regions":"\#(digest)"}"#.utf8)
  }

  /// The records are good without it.
  private static func badRange(_ text: String) -> Refused {
    Refused(
      place: "header \(SequenceRange.header)",
      reason: "\"\(text)\" is no range; expected JOURNAL FIRST-LAST, such as 9f86d081884c7d65 17-516",
      raw: Array(text.utf8))
  }
}
