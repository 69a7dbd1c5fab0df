import Foundation
import GodwitModel
import Synchronization
import TestClient

/// Phones that upload without a pause, each what comes after what was acknowledged, and the same again until it was.
final class Uploads: Sendable {
  private let endpoint: String
  private let token: String
  private let state = Mutex(State())
  private static let batch = 20
  private static let start = 1_795_176_000

  private struct State {
    /// Seconds after the start, of points whose batch was answered with 200.
    var acknowledged: Set<Int> = []
    var sent: Set<Int> = []
    /// How often each status was answered; 0 for no answer.
    var responses: [Int: Int] = [:]
    /// What the first answers said that were not 200.
    var rejections: [String] = []
    var isOver = false
  }

  init(endpoint: String, token: String) {
    self.endpoint = endpoint
    self.token = token
  }

  /// Uploads until it is reported to end, and every phone's last batch was acknowledged.
  /// - Parameter phones: that upload at the same time.
  func run(phones: Int) async {
    await withTaskGroup(of: Void.self) { group in
      for phone in 0..<phones {
        group.addTask { [self] in
          var first = phone * 1_000_000
          while !state.withLock({ $0.isOver }) {
            while await !upload(first) { try? await Task.sleep(for: .milliseconds(10)) }
            first += Self.batch
          }
        }
      }
    }
  }

  /// The statuses that there were; 0 for no answer.
  var statuses: Set<Int> { state.withLock { Set($0.responses.keys) } }

  /// What the first answers said that were not 200.
  var rejections: [String] { state.withLock { $0.rejections } }

  func end() { state.withLock { $0.isOver = true } }

  /// Waits until some more batches were acknowledged.
  func more(_ batches: Int) async throws {
    let before = state.withLock { $0.acknowledged.count }
    try await wait("\(batches) more batches") { $0.acknowledged.count >= before + batches * Self.batch }
  }

  /// Waits until some more requests were answered with a status.
  func more(_ count: Int, answeredWith status: Int) async throws {
    let before = state.withLock { $0.responses[status] ?? 0 }
    try await wait("\(count) answers \(status)") { ($0.responses[status] ?? 0) >= before + count }
  }

  private func wait(_ what: String, _ condition: (State) -> Bool) async throws {
    let end = Date().addingTimeInterval(90)
    while !state.withLock({ condition($0) }) {
      guard Date() < end else {
        throw Background.Timeout(what: what, said: "\(state.withLock { $0.responses })")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// What is wrong with what the store has: `nil` when every acknowledged point is there, each once, and nothing that was not sent.
  /// - Parameter times: of all that the store has, in milliseconds since 1970.
  func fault(of times: [Int]) -> String? {
    let (acknowledged, sent) = state.withLock { ($0.acknowledged, $0.sent) }
    let seconds = times.map { $0 / 1000 - Self.start }
    let stored = Set(seconds)
    if stored.count != seconds.count { return "\(seconds.count - stored.count) points are there more than once" }
    let lost = acknowledged.subtracting(stored)
    if !lost.isEmpty { return "\(lost.count) of \(acknowledged.count) acknowledged points were lost" }
    let strange = stored.subtracting(sent)
    return strange.isEmpty ? nil : "\(strange.count) points were never sent"
  }

  private func upload(_ first: Int) async -> Bool {
    let seconds = first..<first + Self.batch
    state.withLock { $0.sent.formUnion(seconds) }
    let points = seconds.map { second in
      let time = RFC3339.string(Date(timeIntervalSince1970: Double(Self.start + second)))
      return #"{"type":"Feature","geometry":{"type":"Point","coordinates":[10,47]},"properties":{"timestamp":"\#(time)"}}"#
    }
    let response = try? await ask(
      "POST", endpoint, "{\"locations\":[\(points.joined(separator: ","))]}", token: token)
    let status = response?.status ?? 0
    state.withLock {
      $0.responses[status, default: 0] += 1
      if status == 200 {
        $0.acknowledged.formUnion(seconds)
      } else if let response, $0.rejections.count < 5 {
        $0.rejections.append("\(status): \(response.text.prefix(500))")
      }
    }
    return status == 200
  }
}
