import Foundation
import GodwitHTTP
import GodwitHTTPClient
import GodwitModel
import GodwitPhone
import GodwitSecrets
import GodwitSimulator
import GodwitWire
import TestHistory

/// The network between the phone and the server: requests and responses are lost, requests arrive late, twice or out of order, and a
/// proxy responds instead of the server. It records the sent and the acknowledged records.
///
/// `@unchecked Sendable`: used only on the thread of the simulation.
final class PhoneNetwork: UnreliableServer, @unchecked Sendable {
  /// The outcome of a request.
  enum Fate: String, Sendable, CaseIterable {
    case answered
    /// The request does not arrive.
    case lost
    /// The response does not arrive.
    case unanswered
    /// The request arrives later, after the timeout of the phone.
    case late
    /// The request is answered, and arrives again later.
    case twice
    /// A proxy responds that the server cannot be reached.
    case badGateway
    /// A proxy rejects the request with a page.
    case proxyPage
  }

  let server: ServerMachine
  private(set) var history = History()
  /// Second records of positions that the phone recorded twice. The store has such a position once.
  private(set) var twins: Set<SentRecord> = []
  private var positions: [Position: SentRecord] = [:]
  private struct Position: Hashable {
    var journal: UInt64
    var time: Int
    var coordinate: Coordinate
  }
  /// Numbers that were used for two records.
  private(set) var reused: [String] = []
  /// Records that the server rejected.
  private(set) var rejections: [String] = []
  private(set) var fates: [Fate: Int] = [:]
  /// Whether requests and responses are lost.
  var isFaulty = true
  /// Whether a proxy rejects each request with a page.
  var isRejecting = false
  /// Whether the phone has no power. Its program still runs, but has no effect.
  var isCutOff = false
  /// Called with each event.
  var log: (String) -> Void = { _ in }
  /// Called when the server has received a request that the phone waits for.
  var received: () -> Void = {}
  private var random: RandomSource
  /// Requests that have not arrived yet.
  private var late: Schedule<LocalRequest>

  init(_ server: ServerMachine, seed: UInt64, from start: SimulatedTime) {
    self.server = server
    random = RandomSource(seed: seed, stream: "network")
    late = Schedule(from: start)
  }

  /// The time of the next arrival of a late request; `nil`: there is none.
  var nextArrival: SimulatedTime? { late.nextTime() }

  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response {
    (try? reply(to: request, at: time).response.get()) ?? HTTPClient.Response(status: 503)
  }

  func reply(to request: HTTPClient.Request, at time: Date) -> SimulatedReply {
    guard !isCutOff else { return Self.timeout }
    let now = SimulatedTime(time)
    server.advance(to: now)
    record(request)
    let fate = fate()
    fates[fate, default: 0] += 1
    switch fate {
    case .answered: return arrived(request)
    case .lost:
      log("request lost")
      return Self.timeout
    case .unanswered:
      _ = arrived(request)
      return Self.timeout
    case .late:
      delay(request, from: now)
      return Self.timeout
    case .twice:
      delay(request, from: now)
      return arrived(request)
    case .badGateway:
      log("proxy: 502")
      return SimulatedReply(.success(HTTPClient.Response(status: 502)), after: 1)
    case .proxyPage:
      log("proxy: 400")
      let page = Array("<html><body><h1>400 Bad Request</h1></body></html>".utf8)
      return SimulatedReply(
        .success(HTTPClient.Response(status: 400, headers: ["content-type": "text/html"], body: page)), after: 1)
    }
  }

  private static let timeout = SimulatedReply(.failure(HTTPError("The connection was lost.")), after: .infinity)

  private func fate() -> Fate {
    if isRejecting { return .proxyPage }
    guard isFaulty else { return .answered }
    return switch random.uniform() {
    case ..<0.82: .answered
    case ..<0.86: .lost
    case ..<0.90: .unanswered
    case ..<0.93: .late
    case ..<0.96: .twice
    case ..<0.98: .badGateway
    default: .proxyPage
    }
  }

  /// Delivers a request seconds, hours or days later.
  private func delay(_ request: HTTPClient.Request, from now: SimulatedTime) {
    let seconds = random.happens(0.8) ? random.uniform(1...21_600) : random.uniform(3 * 86_400...10 * 86_400)
    late.plan(local(request), at: now + seconds)
    log("request comes after \(Int(seconds)) s")
  }

  /// Delivers late requests.
  func deliver(until end: SimulatedTime) {
    while let (time, request) = late.next(until: end) {
      server.advance(to: time)
      receive(request)
    }
  }

  // MARK: At the server

  private func local(_ request: HTTPClient.Request) -> LocalRequest {
    var headers = request.headers
    headers["Authorization"] = "Bearer \(server.token.secret)"
    let items = URLComponents(url: request.url, resolvingAgainstBaseURL: false)?.queryItems ?? []
    return LocalRequest(
      method: request.method, path: request.url.path, query: Dictionary(items.map { ($0.name, $0.value ?? "") }) { $1 },
      headers: headers, body: request.body)
  }

  private func arrived(_ request: HTTPClient.Request) -> SimulatedReply {
    let response = receive(local(request))
    received()
    guard let response else { return Self.timeout }
    return SimulatedReply(
      .success(HTTPClient.Response(status: response.status, headers: response.headers, body: response.body)))
  }

  @discardableResult
  private func receive(_ request: LocalRequest) -> LocalResponse? {
    let response = server.respond(request)
    let records = Self.records(of: request.body)
    let numbers = records.compactMap(\.id).map { "\($0.sequence.value)" }
    log(
      "request \(numbers.first ?? "")…\(numbers.last ?? "") \(records.count): \(response.map { "\($0.status)" } ?? "no answer")")
    guard let response, (200..<300).contains(response.status) else { return response }
    history.acknowledge(records.compactMap(Self.sent).filter { !twins.contains($0) }, entries: 0)
    if case .accepted(let accepted) = Overland.Response.read(status: response.status, body: response.body, acceptsAny2xx: false) {
      rejections += accepted.rejected.map { "\($0)" }
    }
    return response
  }

  private static func records(of body: [UInt8]) -> [Record] { (try? Overland.read(body).records) ?? [] }

  /// Returns the number of a record that is a position, and `nil` for other records: the store has only positions as points.
  private static func sent(_ record: Record) -> SentRecord? {
    guard case .fix = record.kind, let id = record.id else { return nil }
    return SentRecord(journal: id.journal, number: Int(id.sequence.value))
  }

  private func record(_ request: HTTPClient.Request) {
    for record in Self.records(of: request.body) {
      guard let sent = Self.sent(record) else { continue }
      let time = Int((record.time.timeIntervalSince1970 * 1000).rounded())
      if let before = history.sent[sent], before != time { reused.append("\(sent)") }
      guard case .fix(let fix) = record.kind else { continue }
      let position = Position(journal: sent.journal, time: time, coordinate: fix.coordinate)
      if let first = positions[position], first != sent {
        twins.insert(sent)
        continue
      }
      positions[position] = sent
      history.send(sent, time: time)
    }
  }
}
