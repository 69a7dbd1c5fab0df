import Foundation
import GodwitModel
import Synchronization
import TestClient
import TestHistory

/// Phones that upload without a pause. Each phone sends a batch until it is acknowledged, and then the next one. Each phone has a
/// journal and moves back and forth through ``region``.
final class Uploads: Sendable {
  /// The endpoint of a phone, and the token of its device.
  struct Sender: Sendable {
    var endpoint: String
    var token: String
  }

  private let senders: [Sender]
  private let hasRegion: Bool
  private let state = Mutex(State())
  private static let batch = 20
  /// The time of the first record of the first phone, in seconds since 1970: 1 January 2020. The other phones begin earlier. A server
  /// whose clock is behind must not treat the records as from the future.
  private static let start = 1_577_836_800
  /// The number of records after which the movement repeats. A phone is in the middle of the region at a quarter and at three quarters.
  private static let period = 240
  /// The number of records after the middle of the region after which the phone is certainly outside.
  private static let outside = 40

  /// A geofence through which the phones move, as the body of a request.
  static let region = #"{"id":"bend","center":{"latitude":47,"longitude":10.012},"radius":300}"#

  private struct State {
    var history = History()
    /// The number of responses by status; 0: no response.
    var responses: [Int: Int] = [:]
    /// The maximum time of a response by status.
    var maximumTime: [Int: Duration] = [:]
    /// The statuses and bodies of the first responses other than 200.
    var rejections: [String] = []
    var lastAcknowledgement: ContinuousClock.Instant?
    /// The maximum time between two acknowledgements since it was reset.
    var pause = Duration.zero
    var isOver = false
  }

  /// - Parameters:
  ///   - senders: the senders of the phones, repeated from the first if there are more phones.
  ///   - hasRegion: whether the server has ``region``, and each phone is a separate device.
  init(_ senders: [Sender], hasRegion: Bool = false) {
    self.senders = senders
    self.hasRegion = hasRegion
  }

  convenience init(endpoint: String, token: String) { self.init([Sender(endpoint: endpoint, token: token)]) }

  /// Uploads until the end is requested and every phone's last batch was acknowledged.
  /// - Parameters:
  ///   - phones: the number of phones, which upload at the same time.
  ///   - first: the number of the first phone, which determines its journal and times.
  func run(phones: Int, from first: Int = 0) async {
    await withTaskGroup(of: Void.self) { group in
      for phone in first..<first + phones {
        group.addTask { [self] in
          var first = 1
          while !state.withLock({ $0.isOver }), !Task.isCancelled {
            while await !upload(first, phone) {
              // The sleep ends early only when the task is cancelled.
              guard (try? await Task.sleep(for: .milliseconds(10))) != nil else { return }
            }
            first += Self.batch
          }
        }
      }
    }
  }

  /// The statuses of all responses; 0: no response.
  var statuses: Set<Int> { state.withLock { Set($0.responses.keys) } }

  /// The maximum time of a response with a status.
  func maximumTime(_ status: Int) -> Duration { state.withLock { $0.maximumTime[status] ?? .zero } }

  /// The statuses and bodies of the first responses other than 200.
  var rejections: [String] { state.withLock { $0.rejections } }

  /// The number of acknowledged records.
  var acknowledged: Int { state.withLock { $0.history.acknowledged.count } }

  func end() { state.withLock { $0.isOver = true } }

  /// Waits until `batches` more batches were acknowledged.
  func waitForBatches(_ batches: Int) async throws {
    let before = acknowledged
    try await wait("\(batches) more batches") { $0.history.acknowledged.count >= before + batches * Self.batch }
  }

  /// Waits for `count` more responses with a status.
  func waitForResponses(_ count: Int, withStatus status: Int) async throws {
    let before = state.withLock { $0.responses[status] ?? 0 }
    try await wait("\(count) responses with status \(status)") { ($0.responses[status] ?? 0) >= before + count }
  }

  /// Returns the maximum time without an acknowledgement while `body` runs.
  func maximumPause(_ body: () async throws -> Void) async rethrows -> Duration {
    state.withLock { $0.pause = .zero }
    try await body()
    return state.withLock { $0.pause }
  }

  private func wait(_ what: String, _ condition: (State) -> Bool) async throws {
    let end = Date().addingTimeInterval(90)
    while !state.withLock({ condition($0) }) {
      guard Date() < end else {
        throw Background.Timeout(what: what, errorOutput: "\(state.withLock { ($0.responses, $0.rejections) })")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Returns the problems of a store; empty if it has every acknowledged record once and in order.
  func problems(of stored: StoredHistory) -> [HistoryChecker.Problem] {
    HistoryChecker(history: state.withLock { $0.history }, stored: stored).problems
  }

  private func upload(_ first: Int, _ phone: Int) async -> Bool {
    let sender = senders[phone % senders.count]
    let journal = UInt64(phone) + 1
    let numbers = first..<first + Self.batch
    let records = numbers.map { SentRecord(journal: journal, number: $0) }
    // Phones that share a device have no records with the same time.
    let times = numbers.map { Self.start - phone * 1_000_000 + $0 }
    state.withLock { state in for (record, time) in zip(records, times) { state.history.send(record, time: time * 1000) } }
    let name = (String(repeating: "0", count: 16) + String(journal, radix: 16)).suffix(16)
    let points = zip(numbers, times).map { number, time in
      let step = number % Self.period
      let longitude = 10 + Double(min(step, Self.period - step)) * 0.0002
      let time = RFC3339.string(Date(timeIntervalSince1970: Double(time)))
      return #"{"type":"Feature","id":"\#(name)-\#(number)","geometry":{"type":"Point","coordinates":[\#(longitude),47]},"#
        + #""properties":{"timestamp":"\#(time)"}}"#
    }
    let start = ContinuousClock.now
    let response = try? await ask(
      "POST", sender.endpoint, "{\"locations\":[\(points.joined(separator: ","))]}", token: sender.token,
      headers: ["Godwit-Range": "\(name) \(numbers.lowerBound)-\(numbers.upperBound - 1); since=1"])
    let status = response?.status ?? 0
    // Each half of the period has one entry, which the server has detected when the phone is outside again.
    let known = hasRegion ? numbers.upperBound - 1 - Self.outside + Self.period / 4 : 0
    state.withLock { state in
      state.responses[status, default: 0] += 1
      state.maximumTime[status] = max(state.maximumTime[status] ?? .zero, ContinuousClock.now - start)
      if status == 200 {
        state.history.acknowledge(records, entries: max(0, known / (Self.period / 2)))
        let now = ContinuousClock.now
        state.pause = max(state.pause, state.lastAcknowledgement.map { now - $0 } ?? .zero)
        state.lastAcknowledgement = now
      } else if let response, state.rejections.count < 5 {
        state.rejections.append("\(status): \(response.text.prefix(500))")
      }
    }
    return status == 200
  }
}
