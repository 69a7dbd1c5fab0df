internal import Foundation
internal import Synchronization

/// Responses that arrive in parts, by request number, and the callers that wait for them. A request without a caller in
/// this launch is skipped: its records are sent again, and the server knows them by their identifiers.
final class InFlightResponses: Sendable {
  /// The result of a request.
  enum Ending: Sendable {
    case answered(status: Int, headers: [String: String])
    case failed(any Error)
  }

  private struct Waiting {
    var body: [UInt8] = []
    var caller: CheckedContinuation<HTTPClient.Response, any Error>
    /// The timeout of the request in seconds.
    var limit: Double?
  }
  private let waiting = Mutex<[Int: Waiting]>([:])

  /// Waits for the response to a request, or for its timeout. A late request is cancelled, but its actual result
  /// counts, so that a response at the last moment, or during a suspension, is not lost.
  /// - Parameters:
  ///   - number: of the request.
  ///   - seconds: that the answer may take.
  ///   - sleep: suspends for a number of seconds.
  ///   - begin: sends the request; called once the answer can come.
  ///   - cancel: cancels it; its ending is reported nevertheless.
  /// - Throws: an error for a timeout or a failure.
  func respond(
    to number: Int, within seconds: Double, sleep: @escaping @Sendable (Double) async throws -> Void, begin: () -> Void,
    cancel: @escaping @Sendable () -> Void
  ) async throws -> HTTPClient.Response {
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

  /// Returns whether a caller waits for the response to a request.
  func isWaiting(for number: Int) -> Bool { waiting.withLock { $0[number] != nil } }

  /// Adds a part of a response. A response that is too long is truncated.
  func received(_ bytes: some Collection<UInt8>, of number: Int) {
    waiting.withLock { waiting in
      guard let length = waiting[number]?.body.count else { return }
      waiting[number]?.body += bytes.prefix(max(0, HTTPClient.maximumResponseSize - length))
    }
  }

  /// Ends a response.
  func ended(_ ending: Ending, of number: Int) {
    guard let waiting = waiting.withLock({ $0.removeValue(forKey: number) }) else { return }
    switch ending {
    case .answered(let status, let headers):
      waiting.caller.resume(returning: HTTPClient.Response(status: status, headers: headers, body: waiting.body))
    case .failed(let error):
      waiting.caller.resume(throwing: waiting.limit.map { HTTPError("No response within \($0) s.") } ?? error)
    }
  }
}
