internal import Foundation
internal import Synchronization

/// Answers that come in pieces, by the numbers of their requests, and who waits for them. A request that nobody waits for
/// any more, because the program was ended and begun again meanwhile, is passed over: its records are sent again, and
/// the server knows them by their identifiers.
final class AnswersInTransit: Sendable {
  /// How a request ended.
  enum Ending: Sendable {
    case answered(status: Int, headers: [String: String])
    case failed(any Error)
  }

  private struct Waiting {
    var body: [UInt8] = []
    var caller: CheckedContinuation<HTTPClient.Answer, any Error>
  }
  private let waiting = Mutex<[Int: Waiting]>([:])

  /// Waits for the answer to a request.
  /// - Parameters:
  ///   - number: of the request.
  ///   - begin: sends it; called once the answer can come.
  func answer(to number: Int, begin: () -> Void) async throws -> HTTPClient.Answer {
    try await withCheckedThrowingContinuation { caller in
      waiting.withLock { $0[number] = Waiting(caller: caller) }
      begin()
    }
  }

  /// A piece of an answer. What is too long is cut off.
  func received(_ bytes: some Collection<UInt8>, of number: Int) {
    waiting.withLock { waiting in
      guard let length = waiting[number]?.body.count else { return }
      waiting[number]?.body += bytes.prefix(max(0, HTTPClient.longestAnswer - length))
    }
  }

  /// The end of an answer.
  func ended(_ ending: Ending, of number: Int) {
    guard let waiting = waiting.withLock({ $0.removeValue(forKey: number) }) else { return }
    switch ending {
    case .answered(let status, let headers):
      waiting.caller.resume(returning: HTTPClient.Answer(status: status, headers: headers, body: waiting.body))
    case .failed(let error): waiting.caller.resume(throwing: error)
    }
  }
}
