internal import Foundation
internal import GodwitLocks

/// Responses that arrive in parts, by the number of the request, and the callers that wait for them. The response to a request of
/// an earlier launch is held until a caller requests it. A response that is neither waited for nor held is discarded.
final class InFlightResponses: Sendable {
  /// The result of a request.
  enum Ending: Sendable {
    case answered(status: Int, headers: [String: String])
    case failed(any Error)
  }

  private struct Waiting {
    var body: [UInt8] = []
    /// The caller; `nil`: the request of an earlier launch has no caller yet.
    var caller: CheckedContinuation<HTTPClient.Response, any Error>?
    /// The result, if it arrived before the caller.
    var ending: Ending?
    /// The timeout in seconds, if it has been exceeded.
    var limit: Double?
  }
  private let waiting = Mutex<[Int: Waiting]>([:])

  /// Waits for the response to a request, or for its timeout. After the timeout the request is cancelled, but its actual result
  /// is used, so that a response at the last moment, or during a suspension, is not lost.
  /// - Parameters:
  ///   - number: the number of the request.
  ///   - seconds: the timeout in seconds.
  ///   - sleep: suspends for a number of seconds.
  ///   - begin: sends the request. It is called when the response can be received.
  ///   - cancel: cancels the request. Its end must still be reported with `ended`.
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
        let held = waiting.withLock { waiting -> Waiting? in
          guard let held = waiting[number], held.caller == nil else {
            waiting[number] = Waiting(caller: caller)
            return nil
          }
          if held.ending != nil { return waiting.removeValue(forKey: number) }
          waiting[number]?.caller = caller
          return nil
        }
        if let held, let ending = held.ending { Self.resume(caller, with: ending, held) } else { begin() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Holds the response to a request of an earlier launch until a caller requests it.
  func hold(_ number: Int) { waiting.withLock { if $0[number] == nil { $0[number] = Waiting() } } }

  /// Whether a held response is a failure.
  func hasFailed(_ number: Int) -> Bool { if case .failed? = waiting.withLock({ $0[number]?.ending }) { true } else { false } }

  /// Discards a held response.
  func discard(_ number: Int) { waiting.withLock { if $0[number]?.caller == nil { $0[number] = nil } } }

  /// Returns whether the response to a request is waited for or held.
  func isWaiting(for number: Int) -> Bool { waiting.withLock { $0[number] != nil } }

  /// Adds a part of a response. A response that is too long is truncated.
  func received(_ bytes: some Collection<UInt8>, of number: Int) {
    waiting.withLock { waiting in
      guard let length = waiting[number]?.body.count else { return }
      waiting[number]?.body += bytes.prefix(max(0, HTTPClient.maximumResponseSize - length))
    }
  }

  /// Handles the end of a response.
  func ended(_ ending: Ending, of number: Int) {
    let ended = waiting.withLock { waiting -> Waiting? in
      guard waiting[number]?.caller == nil else { return waiting.removeValue(forKey: number) }
      if waiting[number]?.ending == nil { waiting[number]?.ending = ending }
      return nil
    }
    if let ended, let caller = ended.caller { Self.resume(caller, with: ending, ended) }
  }

  private static func resume(
    _ caller: CheckedContinuation<HTTPClient.Response, any Error>, with ending: Ending, _ waiting: Waiting
  ) {
    switch ending {
    case .answered(let status, let headers):
      caller.resume(returning: HTTPClient.Response(status: status, headers: headers, body: waiting.body))
    case .failed(let error):
      caller.resume(throwing: waiting.limit.map { HTTPError("No response within \($0) s.") } ?? error)
    }
  }
}
