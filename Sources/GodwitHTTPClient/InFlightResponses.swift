internal import Foundation
internal import Synchronization

/// Answers that come in pieces, by the numbers of their requests, and the callers that wait for them. A request that no
/// caller of this launch waits for is skipped: its records are sent again, and the server knows them by their identifiers.
final class InFlightResponses: Sendable {
  /// How a request ended.
  enum Ending: Sendable {
    case answered(status: Int, headers: [String: String])
    case failed(any Error)
  }

  private struct Waiting {
    var body: [UInt8] = []
    var caller: CheckedContinuation<HTTPClient.Answer, any Error>
    /// Seconds after which the request was given up.
    var limit: Double?
  }
  private let waiting = Mutex<[Int: Waiting]>([:])

  /// Waits for the answer to a request, or until it is late. A request that is late is cancelled; what counts is how it
  /// ends, so that an answer that came at the last moment, or while the program was suspended, is not lost.
  /// - Parameters:
  ///   - number: of the request.
  ///   - seconds: that the answer may take.
  ///   - sleep: waits so many seconds.
  ///   - begin: sends the request; called once the answer can come.
  ///   - cancel: cancels it; its ending is told nevertheless.
  /// - Throws: an error that says that it was late, or how it failed.
  func answer(
    to number: Int, within seconds: Double, sleep: @escaping @Sendable (Double) async throws -> Void, begin: () -> Void,
    cancel: @escaping @Sendable () -> Void
  ) async throws -> HTTPClient.Answer {
    try Task.checkCancellation()
    let timer = Task { [weak self] in
      guard (try? await sleep(seconds)) != nil else { return }
      self?.waiting.withLock { $0[number]?.limit = seconds }
      cancel()
    }
    defer { timer.cancel() }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { caller in
        waiting.withLock { $0[number] = Waiting(caller: caller) }
        begin()
      }
    } onCancel: {
      cancel()
    }
  }

  /// Whether a caller waits for the answer to a request.
  func isWaiting(for number: Int) -> Bool { waiting.withLock { $0[number] != nil } }

  /// A piece of an answer. What is too long is cut off.
  func received(_ bytes: some Collection<UInt8>, of number: Int) {
    waiting.withLock { waiting in
      guard let length = waiting[number]?.body.count else { return }
      waiting[number]?.body += bytes.prefix(max(0, HTTPClient.maximumAnswerSize - length))
    }
  }

  /// The end of an answer.
  func ended(_ ending: Ending, of number: Int) {
    guard let waiting = waiting.withLock({ $0.removeValue(forKey: number) }) else { return }
    switch ending {
    case .answered(let status, let headers):
      waiting.caller.resume(returning: HTTPClient.Answer(status: status, headers: headers, body: waiting.body))
    case .failed(let error):
      waiting.caller.resume(throwing: waiting.limit.map { HTTPError("There was no answer within \($0) s.") } ?? error)
    }
  }
}
