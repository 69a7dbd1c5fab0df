internal import Foundation
internal import GodwitFormats
internal import GodwitModel
internal import Synchronization

/// Overland in: decodes on the thread of the connection, suspends the request, answers after the commit.
struct OverlandReceiver: Sendable {
  let store: any TrackStore
  let metrics: Metrics
  let regions: RegionNews
  let maximumBody: Int

  func respond(_ exchange: Exchange) -> HTTPReply {
    guard let device = exchange.device else {
      return .now(Problem(401, "Access token needed", "Send the device's token as Bearer.").response)
    }
    let received = Date()
    let sent = exchange.takeBody()
    metrics.received.add(sent.count, ordering: .relaxed)
    let body: [UInt8]
    do throws(Problem) {
      body = try RequestBody.decoded(
        sent, encoding: exchange.header("Content-Encoding"), limit: maximumBody)
    } catch {
      return keep(sent, of: device, received, because: error, exchange)
    }
    let request: Overland.Request
    do throws(FormatError) {
      request = try Overland.read(body)
    } catch {
      return keep(
        body, of: device, received, at: error.place.description,
        because: Problem(400, "Not an Overland request", error.description), exchange)
    }
    if let refusal = exchange.suspend() { return .now(refusal) }
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
    let hint = regions.hint(device: device.id)?.description
    let rejected = request.refused.map { (index: $0.index, reason: "\($0.reason) (\($0.place))") }
    store.submit(
      Submission(
        device: device, records: request.records, refusals: refusals,
        // Of a request that broke off nobody knows what it would have covered.
        range: request.broken == nil ? range : nil, received: received
      ) { result in
        switch result {
        case .success(let stored):
          var answer: [UInt8] = []
          Overland.writeAnswer(
            saved: stored.saved, duplicates: stored.duplicates, rejected: rejected,
            error: broken.map { "The body is no valid JSON: \($0). What came before it is stored." }, into: &answer)
          if let hint { Self.append(regions: hint, to: &answer) }
          exchange.finish(.json(answer, status: broken == nil ? 200 : 400))
        case .failure(let error): exchange.finish(Self.unavailable(error).response)
        }
      })
    return .later
  }

  /// Keeps a body that nobody could read, then refuses it.
  private func keep(
    _ body: [UInt8], of device: Device, _ received: Date, at place: String = "body", because problem: Problem,
    _ exchange: Exchange
  ) -> HTTPReply {
    if let refusal = exchange.suspend() { return .now(refusal) }
    let refused = Refused(place: place, reason: problem.detail, raw: body)
    store.submit(
      Submission(device: device, records: [], refusals: [refused], received: received) { result in
        switch result {
        case .success: exchange.finish(problem.response)
        case .failure(let error): exchange.finish(Self.unavailable(error).response)
        }
      })
    return .later
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

  /// The answer when the store could not take it. The device keeps its records and comes again.
  static func unavailable(_ error: any Error) -> Problem {
    Problem(503, "Not stored", "\(error)", retryAfter: error is StoreError ? 1 : 30)
  }
}
