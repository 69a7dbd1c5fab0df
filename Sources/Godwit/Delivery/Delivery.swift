internal import Foundation
internal import GodwitEngine
internal import GodwitFormats
internal import GodwitModel

/// Carries batches out of the journal to an endpoint, and what the endpoint said back into the journal.
struct Delivery: Sendable {
  /// How an upload ended, before the journal is asked what still waits.
  enum Outcome: Sendable {
    case acknowledged
    case nothingToSend
    case failed(reason: String, retryAfter: Double?)
    case refused(reason: String, count: Int)
    case unauthorized(reason: String)
  }

  let journal: Journal
  let client: HTTPClient
  let now: @Sendable () -> Date

  /// Sends at most `limit` records. The journal is changed only after the endpoint has said that it has them.
  func upload(to endpoint: Endpoint, limit: Int) async -> Outcome {
    let batch: [(sequence: Int64, record: Record)]
    do { batch = try journal.next(endpoint: endpoint.id.name, limit: limit) } catch {
      return .failed(reason: "The journal cannot be read: \(error)", retryAfter: nil)
    }
    guard let last = batch.last else { return .nothingToSend }
    let more = journal.waiting(endpoint: endpoint.id.name) > batch.count
    let current = more ? newest() : nil
    var headers = endpoint.headers
    headers["Content-Type"] = endpoint.format.contentType
    if let token = endpoint.token { headers["Authorization"] = "Bearer \(token)" }
    let request = HTTPClient.Request(
      url: endpoint.url, headers: headers, body: endpoint.format.body(batch.map(\.record), current: current),
      timeout: endpoint.timeout)
    let answer: HTTPClient.Answer
    do { answer = try await client.send(request) } catch {
      return .failed(reason: "\(endpoint) did not answer: \(error.localizedDescription)", retryAfter: nil)
    }
    if (300..<400).contains(answer.status) {
      let target = answer.headers["location"].map { " to \($0)" } ?? ""
      return .failed(
        reason: "\(endpoint) redirects\(target). Name the address that it redirects to.", retryAfter: nil)
    }
    switch endpoint.format.verdict(status: answer.status, body: answer.body) {
    case .accepted(let rejected):
      let refused = rejected.compactMap { rejection -> (sequence: Int64, reason: String)? in
        batch.indices.contains(rejection.index) ? (batch[rejection.index].sequence, rejection.reason) : nil
      }
      do {
        try journal.acknowledge(
          endpoint: endpoint.id.name, through: last.sequence, settingAside: refused, at: now())
      } catch {
        // The endpoint has them and will get them again; it knows them by their identifiers.
        return .failed(reason: "The journal cannot be written: \(error)", retryAfter: nil)
      }
      return .acknowledged
    case .refused(let reason): return .refused(reason: "\(endpoint): \(reason)", count: batch.count)
    case .unauthorized(let reason): return .unauthorized(reason: "\(endpoint): \(reason)")
    case .failed(let reason):
      return .failed(
        reason: "\(endpoint): \(reason)",
        retryAfter: answer.headers["retry-after"].flatMap { RetryAfter.seconds($0, now: now()) })
    }
  }

  /// Sets aside the record that an endpoint is to get next.
  func setAsideNext(of endpoint: EndpointID, reason: String) throws {
    guard let next = try journal.next(endpoint: endpoint.name, limit: 1).first else { return }
    try journal.acknowledge(
      endpoint: endpoint.name, through: next.sequence, settingAside: [(next.sequence, reason)], at: now())
  }

  /// The newest position, without an identifier: it is told beside the batch and not delivered by it.
  private func newest() -> Record? {
    // Nothing is lost without it: it is a courtesy to the reader of a long queue.
    guard let fix = try? journal.newestFix() else { return nil }
    return Record(kind: .fix(fix))
  }
}

/// The header `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
enum RetryAfter {
  /// Seconds from `now`, at most a day; `nil` when it is neither.
  static func seconds(_ text: String, now: Date) -> Double? {
    let text = text.trimmingCharacters(in: .whitespaces)
    let seconds = Double(text) ?? date(text)?.timeIntervalSince(now)
    guard let seconds, seconds.isFinite else { return nil }
    return min(max(0, seconds), 86400)
  }

  /// "Sun, 06 Nov 1994 08:49:37 GMT".
  private static func date(_ text: String) -> Date? {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
    return RFC3339.date("\(parts[3])-\(number)-\(parts[1])T\(parts[4])Z")
  }
}
