import Foundation
import GodwitHTTPClient
import GodwitSimulator

/// The receiver of the webhook, behind a network that loses requests and responses.
///
/// `@unchecked Sendable`: used only on the thread of the simulation.
final class WebhookReceiver: @unchecked Sendable {
  /// The names of the accepted events, in the order of their arrival.
  private(set) var events: [String] = []
  /// Whether requests and responses are lost, and the receiver fails.
  var isFaulty = true
  private var random: RandomSource
  private var pending: [Int: HTTPStarter.Completion] = [:]
  private var count = 0

  init(seed: UInt64) { random = RandomSource(seed: seed, stream: "webhooks") }

  private enum Fate { case accepted, failed, lost, unanswered }

  private func fate() -> Fate {
    guard isFaulty else { return .accepted }
    switch random.uniform() {
    case ..<0.7: return .accepted
    case ..<0.85: return .failed
    case ..<0.93: return .lost
    default: return .unanswered
    }
  }

  /// Receives a request of the server.
  /// - Returns: a closure that cancels the request.
  func receive(
    _ request: HTTPClient.Request, _ timers: ServerTimers, _ machine: ServerMachine,
    _ completion: @escaping HTTPStarter.Completion
  ) -> @Sendable () -> Void {
    count += 1
    let number = count
    pending[number] = completion
    let name = request.headers["Godwit-Event-ID"] ?? ""
    let fate = fate()
    machine.log("webhook \(name) \(fate)")
    if fate == .accepted || fate == .unanswered { events.append(name) }
    let isAnswered = fate == .accepted || fate == .failed
    timers.call(after: isAnswered ? random.uniform(0.01...3) : 15) { [self] in
      finish(
        number,
        isAnswered
          ? .success(HTTPClient.Response(status: fate == .accepted ? 200 : 503))
          : .failure(HTTPError("No response within 15 seconds.")))
    }
    return { [self] in finish(number, .failure(HTTPError("The request was cancelled."))) }
  }

  private func finish(_ number: Int, _ result: Result<HTTPClient.Response, HTTPError>) {
    pending.removeValue(forKey: number)?(result)
  }

  /// Ends all requests, because the program of the server has ended.
  func endRequests() {
    for number in pending.keys.sorted() { finish(number, .failure(HTTPError("The program has ended."))) }
  }
}
