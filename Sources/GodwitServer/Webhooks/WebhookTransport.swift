internal import Foundation

/// One letter on its way.
struct WebhookRequest: Sendable {
  var url: String
  var headers: [(name: String, value: String)]
  var body: [UInt8]
  /// POST, or GET for a question without a body.
  var method = "POST"
}

/// What came back.
struct WebhookAnswer: Sendable {
  var status: Int
  /// The header `Retry-After`, as it came.
  var retryAfter: String?
  /// Its beginning.
  var body: [UInt8] = []
}

/// Why nothing came back: a sentence.
struct WebhookFailure: Error, Sendable, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The network, as a sender of letters sees it; a test has its own.
protocol WebhookTransport: Sendable {
  /// Sends a request and calls back once, from any thread, with the answer or the reason why there is none.
  func send(_ request: WebhookRequest, completion: @escaping @Sendable (Result<WebhookAnswer, WebhookFailure>) -> Void)
  /// Ends what is on its way; its completions are called. Nothing is sent any more.
  func close()
}

/// The time, as a sender of letters sees it; a test has its own.
struct WebhookTime: Sendable {
  var now: @Sendable () -> Date
  /// Calls back, from any thread, when the time has come.
  var wake: @Sendable (_ at: Date, _ action: @escaping @Sendable () -> Void) -> Void
  /// A number by chance, 0 ..< 1.
  var chance: @Sendable () -> Double

  static let live = WebhookTime(
    now: { Date() },
    wake: { time, action in
      let seconds = max(0, time.timeIntervalSinceNow)
      DispatchQueue.global().asyncAfter(wallDeadline: .now() + seconds, execute: action)
    },
    chance: { Double.random(in: 0..<1) })
}
